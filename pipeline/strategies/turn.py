"""What a strategy sees and what it says: a turn in, exact scores out. Knows the game only."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.game.entropy import log2_table
from pipeline.game.game import Game
from pipeline.game.legality import Indices, Legality, Mode, Played
from pipeline.game.rules import Codes, response_rows
from pipeline.strategies.partitions import BUCKETS, Counts, partition_counts

TIES = ("list", "member")


class StrategyError(ValueError):
    """A strategy that cannot play this game; the message says which can."""


class Scores(NamedTuple):
    """One row per guess of the turn. Keys are exact integers compared like words, more is better; `shown` is to see."""

    keys: NDArray[np.int64]  # (guesses, limbs)
    shown: NDArray[np.float64]  # (guesses,)


@dataclass(frozen=True, slots=True)
class Manner:
    """How ties are broken, and what some strategies can be told."""

    ties: str = "list"  # the first guess in list order; or `member`: one that may be the answer first
    seed: int = 0  # of `random`
    schedule: tuple[str, ...] = ("letter_frequency", "retry_misplaced", "distinct_letters")  # the last one stays


class Board:
    """One game in one mode, with everything that strategies look up again and again."""

    def __init__(
        self, game: Game, mode: Mode = Mode.NORMAL, responses: Codes | None = None, manner: Manner | None = None
    ) -> None:
        self.game, self.mode = game, mode
        self.manner = manner or Manner()
        if self.manner.ties not in TIES:
            raise StrategyError(f"ties={self.manner.ties}: must be one of {', '.join(TIES)}")
        self.legality = Legality(game, mode)
        self.responses = response_rows(game.rule, game.guesses, game.answers) if responses is None else responses
        self.logs = log2_table(len(game.answers))
        self.codes = game.solved + 1
        self.answer_of = np.full(len(game.guesses), -1)  # the answer that a guess is, -1 for none
        self.answer_of[game.members] = np.arange(len(game.answers))

    def start(self) -> "Turn":
        """The first turn."""
        return Turn(self, np.arange(len(self.game.answers)), np.arange(len(self.game.guesses)), ())

    @cached_property
    def letters(self) -> NDArray[np.int64]:
        """The letters of every guess as numbers 0, 1, ..., shape (guesses, length)."""
        if not self.game.rule.marks_letters:
            raise StrategyError("this strategy counts letters, but the responses of this game count pegs; try entropy")
        words = np.array([list(guess) for guess in self.game.guesses], "U1")
        return np.unique(words, return_inverse=True)[1].reshape(words.shape)

    @cached_property
    def alphabet(self) -> int:
        """How many different letters there are."""
        return int(self.letters.max()) + 1

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether a letter of a guess did not occur before in it, shape (guesses, length)."""
        first = np.ones(self.letters.shape, bool)
        for i in range(1, self.letters.shape[1]):
            first[:, i] = (self.letters[:, :i] != self.letters[:, i : i + 1]).all(axis=1)
        return first

    @cached_property
    def bags(self) -> NDArray[np.int64]:
        """A number for the multiset of letters of every guess."""
        return np.unique(np.sort(self.letters, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


class Turn:
    """A position of a game: the answers that remain and the guesses that are allowed and tell something."""

    def __init__(self, board: Board, answers: Indices, allowed: Indices, history: tuple[Played, ...]) -> None:
        self.board, self.answers, self.allowed, self.history = board, answers, allowed, history
        counts = partition_counts(board.responses, allowed, answers, board.codes, board.logs)
        tells = counts[:, BUCKETS] > 1 if len(answers) > 1 else board.answer_of[allowed] == answers[0]
        self.guesses: Indices = allowed[tells]
        self.counts: Counts = counts[tells]

    @cached_property
    def may_win(self) -> NDArray[np.bool_]:
        """Which of the guesses may be the answer."""
        remains = np.zeros(len(self.board.game.answers) + 1, bool)  # the last one is for -1, no answer at all
        remains[self.answers] = True
        return np.asarray(remains[self.board.answer_of[self.guesses]])

    def after(self, g: int, response: int) -> "Turn":
        """The turn that follows."""
        answers = self.answers[self.board.responses[g, self.answers] == response]
        allowed = self.board.legality.after(self.allowed, (g, response))
        return Turn(self.board, answers, allowed, (*self.history, (g, response)))

    def buckets(self, g: int) -> dict[int, Indices]:
        """The answers by their response to a guess, responses ascending."""
        row = self.board.responses[g, self.answers]
        order = np.argsort(row, kind="stable")
        codes, starts = np.unique(row[order], return_index=True)
        return dict(zip(codes.tolist(), np.split(self.answers[order], starts[1:]), strict=True))


Strategy = Callable[[Turn], Scores]


def best_first(turn: Turn, scores: Scores) -> Indices:
    """Places in `turn.guesses`, the best first; ties as the board says."""
    places = np.arange(len(turn.guesses))
    later = [places] if turn.board.manner.ties == "list" else [places, ~turn.may_win]
    return np.lexsort((*later, *(-scores.keys.T[::-1])))


def best_place(turn: Turn, scores: Scores) -> int:
    """The first of best_first, without sorting."""
    best = np.arange(len(turn.guesses))
    for limb in scores.keys.T:
        values = limb[best]
        best = best[values == values.max()]
    if turn.board.manner.ties == "member" and turn.may_win[best].any():
        best = best[turn.may_win[best]]
    return int(best[0])


def single(keys: NDArray[np.integer], shown: NDArray[np.floating] | None = None) -> Scores:
    """Scores whose keys are one integer each; by default that is what is shown."""
    return Scores(keys.astype(np.int64)[:, None], (keys if shown is None else shown).astype(np.float64))
