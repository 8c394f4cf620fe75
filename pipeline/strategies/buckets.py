"""Strategies that look at nothing but the sizes of the buckets."""

import numpy as np
from numpy.typing import NDArray

from pipeline.strategies.partitions import BUCKETS, HIGH, LARGEST, LIMB, LOW, SQUARES
from pipeline.strategies.turn import Scores, Turn, single


def bits(pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Pairs of integers as log2_table gives them, in bits."""
    return np.asarray(pairs[:, 0] / 2**LIMB + pairs[:, 1] / 4**LIMB)


def remaining_entropy(turn: Turn) -> Scores:
    """The bits still missing after the response, sum of n * log2(n) / N: the fewer the better."""
    pairs = turn.counts[:, [HIGH, LOW]]
    return Scores(-pairs, bits(pairs) / len(turn.answers))


def entropy(turn: Turn) -> Scores:
    """The bits in the response: all there are, less those that remain."""
    keys, remaining = remaining_entropy(turn)
    return Scores(keys, np.log2(len(turn.answers)) - remaining)


def entropy_or_win(turn: Turn) -> Scores:
    """Entropy, and two bits of it more for a guess that wins if it is the answer (for one of N answers: 2 / N)."""
    keys, shown = entropy(turn)
    keys[:, 0] += turn.may_win * np.int64(2 << LIMB)
    return Scores(keys, shown + 2 * turn.may_win / len(turn.answers))


def expected_size(turn: Turn) -> Scores:
    """The answers left on average, sum of squares / N: the fewer the better."""
    squares = turn.counts[:, SQUARES]
    return single(-squares, squares / len(turn.answers))


def largest_bucket(turn: Turn) -> Scores:
    """The answers left in the worst case: the fewer the better."""
    largest = turn.counts[:, LARGEST]
    return single(-largest, largest.astype(np.float64))


def largest_then_size(turn: Turn) -> Scores:
    """As largest_bucket, ties by expected_size."""
    keys, shown = largest_bucket(turn)
    return Scores(np.column_stack([keys, expected_size(turn).keys]), shown)


def most_buckets(turn: Turn) -> Scores:
    """How many different responses there are."""
    return single(turn.counts[:, BUCKETS])
