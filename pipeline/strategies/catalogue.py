"""All strategies by name, and the one that takes turns with others."""

from pipeline.strategies.buckets import (
    entropy,
    entropy_or_win,
    expected_size,
    largest_bucket,
    largest_then_size,
    most_buckets,
    remaining_entropy,
)
from pipeline.strategies.letters import elimination, letter_entropy, letter_frequency, letter_frequency_global
from pipeline.strategies.lottery import random
from pipeline.strategies.memory import distinct_letters, per_letter_elimination, retry_misplaced
from pipeline.strategies.turn import Scores, Strategy, StrategyError, Turn
from pipeline.strategies.two_ply import two_ply

SIMPLE: dict[str, Strategy] = {
    "entropy": entropy,
    "entropy_or_win": entropy_or_win,
    "remaining_entropy": remaining_entropy,
    "expected_size": expected_size,
    "largest_bucket": largest_bucket,
    "largest_then_size": largest_then_size,
    "most_buckets": most_buckets,
    "two_ply": two_ply,
    "letter_entropy": letter_entropy,
    "elimination": elimination,
    "letter_frequency": letter_frequency,
    "letter_frequency_global": letter_frequency_global,
    "distinct_letters": distinct_letters,
    "per_letter_elimination": per_letter_elimination,
    "retry_misplaced": retry_misplaced,
    "random": random,
}


def schedule(turn: Turn) -> Scores:
    """A strategy per turn, as the board says; the last one stays."""
    names = turn.board.manner.schedule
    return simple(names[min(len(turn.history), len(names) - 1)])(turn)


def simple(name: str) -> Strategy:
    """One of those that may be in a schedule."""
    if name not in SIMPLE:
        raise StrategyError(f"schedule: no strategy {name!r}; known: {', '.join(SIMPLE)}")
    return SIMPLE[name]


SCHEDULE = "schedule"
STRATEGIES: dict[str, Strategy] = {**SIMPLE, SCHEDULE: schedule}
LETTERS = {  # those that need a response that marks letters
    "letter_entropy",
    "elimination",
    "letter_frequency",
    "letter_frequency_global",
    "distinct_letters",
    "per_letter_elimination",
    "retry_misplaced",
}
