"""A game as the helper sees it: the clues so far, what they leave, and what is wrong if they leave nothing."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from pipeline.game.game import Game
from pipeline.game.legality import Indices, Legality, Mode
from pipeline.game.rules import response_rows
from pipeline.play.notation import Clue, PlayError
from pipeline.strategies.turn import Board, Manner, Turn


class Helper:
    """One game in one mode. Guesses outside the list are taken as they come: they were played, so they were legal.

    They belong to their clues alone: the game stays as it is, and a clue that is taken back leaves nothing behind.
    """

    def __init__(self, game: Game, mode: Mode = Mode.NORMAL, manner: Manner | None = None) -> None:
        self.game, self.mode, self.manner = game, mode, manner or Manner("member")
        self.board = Board(game, mode, None, self.manner)
        self.index = {word: g for g, word in enumerate(game.guesses)}
        self.board_with = lru_cache(maxsize=1)(self.wider_board)

    def wider_board(self, outside: tuple[str, ...]) -> Board:
        """The board with some words from outside behind its guesses."""
        if not outside:
            return self.board
        game = replace(self.game, guesses=(*self.game.guesses, *outside))
        rows = response_rows(game.rule, outside, game.answers)
        return Board(game, self.mode, np.concatenate([self.board.responses, rows]), self.manner)

    def played(self, clues: Sequence[Clue]) -> tuple[Board, list[tuple[int, int]]]:
        """A board on which every clue can be played, and the clues there."""
        outside = tuple(dict.fromkeys(clue.guess for clue in clues if clue.guess not in self.index))
        index = self.index | {word: len(self.index) + i for i, word in enumerate(outside)} if outside else self.index
        return self.board_with(outside), [(index[clue.guess], clue.response) for clue in clues]

    def agreeing(self, clues: Sequence[Clue]) -> Indices:
        """The answers that agree with the clues."""
        board, played = self.played(clues)
        answers = np.arange(len(self.game.answers))
        for g, response in played:
            answers = answers[board.responses[g, answers] == response]
        return answers

    def turn(self, clues: Sequence[Clue]) -> Turn:
        """The turn after the clues; raises PlayError with an explanation if no answer is left."""
        answers = self.agreeing(clues)
        if not len(answers):
            raise PlayError(self.explain(clues))
        board, played = self.played(clues)
        return Turn(board, answers, board.legality.allowed(played), tuple(played))

    def illegal(self, clues: Sequence[Clue]) -> list[str]:
        """What was played and the mode does not allow; only said, the game goes on."""
        (board, played), said = self.played(clues), []
        for i, (g, _) in enumerate(played):
            if g not in board.legality.allowed(played[:i]):
                said.append(f"{clues[i].guess} was not allowed in {self.mode} mode")
        return said

    def strange(self, clues: Sequence[Clue]) -> list[str]:
        """Guesses that are not in the list, for whoever mistyped one; only said, they may be right elsewhere."""
        words = dict.fromkeys(clue.guess for clue in clues if clue.guess not in self.index)
        return [f"{word} is not in the guess list{self.near(word, self.game.guesses)}" for word in words]

    def near(self, word: str, words: Sequence[str]) -> str:
        found = difflib.get_close_matches(word, words, n=3)
        return f"; did you mean {' or '.join(found)}?" if found else ""

    def explain(self, clues: Sequence[Clue]) -> str:
        """Which clue is at odds with the others: those that nothing gives, and those without which some are left."""
        texts = [f"{clue.guess} {self.game.rule.text(clue.response, self.game.length)}" for clue in clues]
        lines = [f"No answer of the list agrees with {'all these clues' if len(clues) > 1 else 'this clue'}."]
        for clue, text in zip(clues, texts, strict=True):
            if not len(self.agreeing([clue])):
                lines.append(f"  {text}: no answer at all gives this response; mistyped?")
        for i in range(len(clues)):
            left = self.agreeing([*clues[:i], *clues[i + 1 :]]) if len(clues) > 1 else ()
            if len(left):
                some = ", ".join(self.game.answers[a] for a in left[:5]) + (", ..." if len(left) > 5 else "")
                lines.append(f"  without {texts[i]}: {len(left):,} left ({some})")
        outside = [w for w in self.outside(clues) if w not in {clue.guess for clue in clues}]
        if outside:
            some = ", ".join(outside[:8]) + (", ..." if len(outside) > 8 else "")
            lines.append(f"  guesses that are no answers but agree: {some}")
        elif len(lines) == 1:
            lines.append(
                "  leaving out any single clue does not help: the answer is outside the list, or two are wrong"
            )
        return "\n".join(lines)

    def outside(self, clues: Sequence[Clue]) -> list[str]:
        """The guesses that agree with the clues, answers or not."""
        board, played = self.played(clues)
        strict = Legality(board.game, Mode.STRICT)
        return [self.game.guesses[g] for g in strict.allowed(played) if g < len(self.game.guesses)]

    def known_answer(self, word: str) -> int:
        """The index of an answer."""
        if word not in self.game.answers:
            raise PlayError(f"{word!r} is not in the answer list{self.near(word, self.game.answers)}")
        return self.game.answers.index(word)

    def known_guess(self, word: str) -> int:
        """The index of a guess."""
        if word not in self.index:
            raise PlayError(f"{word!r} is not in the guess list{self.near(word, self.game.guesses)}")
        return self.index[word]
