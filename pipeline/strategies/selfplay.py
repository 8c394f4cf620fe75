"""A strategy against every answer at once: games that begin alike are played once as far as they are alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pipeline.strategies.turn import Board, Strategy, Turn, best_place


@dataclass(frozen=True)
class Games:
    """The guesses played for each of some answers, the answer last; indices throughout."""

    paths: dict[int, tuple[int, ...]]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(path) for path in self.paths.values()], np.int64)

    @property
    def histogram(self) -> list[int]:
        """How many games took 1, 2, 3, ... guesses."""
        return [int(count) for count in np.bincount(self.lengths)[1:]]

    @property
    def total(self) -> int:
        return int(self.lengths.sum())

    @property
    def mean(self) -> float:
        return self.total / len(self.lengths)

    @property
    def sd(self) -> float:
        return spread(self.lengths)

    @property
    def longest(self) -> list[int]:
        """The answers whose games took the most guesses."""
        most = self.lengths.max()
        return [a for a, path in self.paths.items() if len(path) == most]


def spread(lengths: NDArray[np.integer]) -> float:
    """The standard deviation of a sample, from integers and rounded once; 0 for a single game."""
    n, total, squares = len(lengths), int(lengths.sum()), int((lengths.astype(np.int64) ** 2).sum())
    with localcontext(prec=40):
        return float((Decimal(n * squares - total**2) / max(n * (n - 1), 1)).sqrt())


def next_guess(turn: Turn, strategy: Strategy) -> int:
    """The guess that the strategy plays. With one answer left it is that one, as nothing else tells anything."""
    if len(turn.answers) == 1:
        return int(turn.guesses[0])
    return int(turn.guesses[best_place(turn, strategy(turn))])


def play_all(board: Board, strategy: Strategy, answers: Iterable[int] | None = None) -> Games:
    """The games of all answers, or of some. Every guess tells something, so every game ends."""
    wanted = np.zeros(len(board.game.answers), bool)
    wanted[slice(None) if answers is None else list(answers)] = True
    paths: dict[int, tuple[int, ...]] = {}
    waiting: list[tuple[Turn, tuple[int, ...]]] = [(board.start(), ())]
    while waiting:
        turn, path = waiting.pop()
        g = next_guess(turn, strategy)
        for response, bucket in turn.buckets(g).items():
            if response == board.game.solved:
                paths[int(bucket[0])] = (*path, g)
            elif len(bucket) == 1 and wanted[bucket[0]]:
                paths[int(bucket[0])] = (*path, g, int(board.game.members[bucket[0]]))
            elif wanted[bucket].any():
                waiting.append((turn.after(g, response), (*path, g)))
    return Games({a: paths[a] for a in np.flatnonzero(wanted).tolist()})
