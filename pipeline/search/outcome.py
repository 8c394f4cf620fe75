"""What a search says: positions, outcomes and its errors, as plain data. Knows nothing of how they are found."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1  # an upper while no strategy is known, where None cannot be written


class PositionError(ValueError):
    """A history, word or response table that does not fit the game; the message says what would."""


class SearchStoppedError(Exception):
    """The search was asked to stop before it knew its result."""


@dataclass(frozen=True, slots=True)
class Position:
    """The answers that agree with a history, and the guesses left after it; None is no cap."""

    answers: tuple[str, ...]
    guesses_left: int | None


@dataclass(frozen=True, slots=True)
class Effort:
    """What a solver has done: nodes expanded, sets scanned, and CPU-seconds."""

    nodes: int
    scans: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is proven about a total: exact iff lower = upper, and both are INFEASIBLE if no strategy fits.

    `upper` is None while no strategy is known. `guess` is the next guess of the strategy behind `upper`, one of the
    best if exact (which one is open: only `expand` and `best_guesses` follow the tie rule); None where unknown.
    """

    lower: int
    upper: int | None
    guess: str | None
    nodes: int
    seconds: float

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper


@dataclass(frozen=True, slots=True)
class BucketOutcome:
    """The outcome of one bucket of an opener."""

    response: int
    size: int
    outcome: Outcome


class Buckets(NamedTuple):
    """The outcomes of many buckets as columns: an evaluation has a hundred, and a search evaluates every opener.

    responses, sizes, lowers, nodes  int64 (buckets,)
    uppers                           int64 (buckets,)    UNKNOWN while no strategy is known
    guesses                          the next guess of the strategy behind the upper, None where unknown
    seconds                          float64 (buckets,)
    """

    responses: NDArray[np.int64]
    sizes: NDArray[np.int64]
    lowers: NDArray[np.int64]
    uppers: NDArray[np.int64]
    guesses: list[str | None]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float64]


def one_bucket(response: int, size: int, outcome: Outcome) -> Buckets:
    """A single bucket as columns."""
    upper = UNKNOWN if outcome.upper is None else outcome.upper
    bounds = np.array([outcome.lower]), np.array([upper])
    effort = np.array([outcome.nodes]), np.array([outcome.seconds])
    return Buckets(np.array([response]), np.array([size]), *bounds, [outcome.guess], *effort)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome of an opener, and that of each of its buckets that is not solved, the largest first."""

    outcome: Outcome
    columns: Buckets

    @property
    def buckets(self) -> tuple[BucketOutcome, ...]:
        c = self.columns
        numbers = zip(*(column.tolist() for column in (c.responses, c.sizes, c.lowers, c.uppers)), strict=True)
        others = zip(c.guesses, c.nodes.tolist(), c.seconds.tolist(), strict=True)
        return tuple(
            BucketOutcome(response, size, Outcome(lower, None if upper == UNKNOWN else upper, *other))
            for (response, size, lower, upper), other in zip(numbers, others, strict=True)
        )
