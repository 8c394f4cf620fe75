"""Which guesses a mode allows after a history. Knows the rules, nothing of strategies or searching."""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pipeline.game.game import Game
from pipeline.game.rules import Responder, Rule

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Played = tuple[int, int]  # a guess and its response


class ModeError(ValueError):
    """A mode that this game cannot be played in."""


class Mode(StrEnum):
    """What a guess must respect of the responses so far."""

    NORMAL = "normal"  # nothing
    HARD = "hard"  # the official rule: greens stay in place, a letter shown n times occurs at least n times
    STRICT = "strict"  # everything: it could be the answer, as far as the responses tell


class Legality:
    """The guesses of one game that a mode allows."""

    def __init__(self, game: Game, mode: Mode) -> None:
        if mode is Mode.HARD and game.rule is not Rule.WORDLE:
            raise ModeError(f"hard mode speaks of letters shown; it needs the rule wordle, not {game.rule}")
        self.game, self.mode = game, mode
        self.responder = Responder(game.rule, game.guesses)
        self.row = lru_cache(maxsize=256)(self.responder.row)

    def after(self, allowed: Indices, played: Played) -> Indices:
        """Those of the allowed guesses that still are after one more guess and its response."""
        if self.mode is Mode.NORMAL:
            return allowed
        g, response = played
        guess = self.game.guesses[g]
        fits = self.row(guess) == response if self.mode is Mode.STRICT else self.keeps_shown(guess, response)
        return allowed[fits[allowed]]

    def allowed(self, history: Iterable[Played]) -> Indices:
        """The guesses allowed after a history, in list order."""
        allowed = np.arange(len(self.game.guesses))
        for played in history:
            allowed = self.after(allowed, played)
        return allowed

    def keeps_shown(self, guess: str, response: int) -> Mask:
        """The official hard mode: greys and the places of yellows impose nothing."""
        marks = [response // 3**i % 3 for i in reversed(range(len(guess)))]
        fits = np.ones(len(self.game.guesses), bool)
        for i, c in enumerate(guess):
            if marks[i] == 2:
                fits &= self.responder.has_at(i, c)
        for c in sorted(set(guess)):
            shown = sum(mark > 0 for mark, letter in zip(marks, guess, strict=True) if letter == c)
            if shown:
                fits &= self.responder.counts(c) >= shown
        return fits
