"""What a search says: positions, outcomes and its errors, as plain data. Knows nothing of how they are found."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome of an opener, and that of each of its buckets that is not solved, the largest first."""

    outcome: Outcome
    buckets: tuple[BucketOutcome, ...]
