"""The partitions of many guesses at once, compiled. Knows arrays only."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from pipeline.game.rules import Codes

LIMB = 30  # bits of the smaller unit of log2_table
BUCKETS, LARGEST, SQUARES, HIGH, LOW = range(5)  # the columns of partition_counts

Counts = NDArray[np.int64]


def jitted(function: Callable[..., Any]) -> Any:
    """Compiled at the first call, and cached where that is possible."""
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder can be written to
        return numba.njit(function, nogil=True)


@jitted
def partition_counts(
    responses: Codes, guesses: NDArray[np.int64], answers: NDArray[np.int64], codes: int, logs: Counts
) -> Counts:
    """Per guess: its buckets, the largest, the sum of squares, and the sum of n * log2(n) as two integers.

    `logs` is log2_table; the two integers are carried, so that they compare like numbers. Shape (guesses, 5).
    """
    counts = np.zeros((len(guesses), 5), np.int64)
    sizes = np.zeros(codes, np.int64)
    for i in range(len(guesses)):
        row = responses[guesses[i]]
        for a in answers:
            sizes[row[a]] += 1
        low = 0
        for a in answers:
            size = sizes[row[a]]
            if size:
                counts[i, BUCKETS] += 1
                counts[i, LARGEST] = max(counts[i, LARGEST], size)
                counts[i, SQUARES] += size * size
                counts[i, HIGH] += logs[size, 0]
                low += logs[size, 1]
                sizes[row[a]] = 0
        counts[i, HIGH] += low >> LIMB
        counts[i, LOW] = low & ((1 << LIMB) - 1)
    return counts


@jitted
def least_remaining(
    responses: Codes, guesses: NDArray[np.int64], answers: NDArray[np.int64], codes: int, logs: Counts
) -> tuple[int, int]:
    """The least sum of n * log2(n) that any of the guesses leaves, as two integers, carried."""
    best_high, best_low = logs[len(answers), 0] + 1, 0
    sizes = np.zeros(codes, np.int64)
    for g in guesses:
        row = responses[g]
        for a in answers:
            sizes[row[a]] += 1
        high = low = 0
        for a in answers:
            size = sizes[row[a]]
            high += logs[size, 0]
            low += logs[size, 1]
            sizes[row[a]] = 0
        high, low = high + (low >> LIMB), low & ((1 << LIMB) - 1)
        if high < best_high or (high == best_high and low < best_low):
            best_high, best_low = high, low
            if high == 0 and low == 0:
                break  # every answer has a response of its own
    return best_high, best_low
