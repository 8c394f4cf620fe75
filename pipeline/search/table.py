"""The transposition table: bounds on totals already proven, in one flat array. Knows nothing of guesses.

An entry is four 64-bit words: two of hash over the answers, lower and upper, and a stamp that says for which task, how
many guesses left and how many answers. Entries of another task count as empty, so a new task needs no clearing.
"""

import numpy as np

from pipeline.search.jit import kernel

WAYS = 4  # entries that share a place
STAMP_BITS = 20  # for guesses_left and for the number of answers, both below 2^20; the rest counts tasks
LAST_TASK = 2 ** (64 - 2 * STAMP_BITS) - 1


def new_table(mib: float) -> np.ndarray:
    """An empty table of at most that many MiB: the largest power of two of entries, at least WAYS."""
    entries = WAYS
    while entries * 2 * 32 <= mib * 2**20:
        entries *= 2
    return np.zeros((entries, 4), np.uint64)


def answer_hashes(answers: int) -> np.ndarray:
    """Two random 64-bit words for each answer (splitmix64), uint64 (answers, 2): a set hashes to their xor."""
    with np.errstate(over="ignore"):
        x = np.arange(1, 2 * answers + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return x.reshape(answers, 2)


@kernel
def stamp(task, guesses_left, n):
    return (np.uint64(task) << np.uint64(2 * STAMP_BITS)) | np.uint64((guesses_left << STAMP_BITS) | n)


@kernel
def find(table, first, second, mark):
    """The index of the entry, or -1."""
    place = np.int64(first & np.uint64(table.shape[0] // WAYS - 1)) * WAYS
    for i in range(place, place + WAYS):
        if table[i, 0] == first and table[i, 1] == second and table[i, 3] == mark:
            return i
    return -1


@kernel
def remember(table, first, second, mark, lower, upper):
    """Stores the bounds: over the old ones of this set, else in a free entry, else over the smallest set there."""
    i = find(table, first, second, mark)
    if i < 0:
        place = np.int64(first & np.uint64(table.shape[0] // WAYS - 1)) * WAYS
        task, size = mark >> np.uint64(2 * STAMP_BITS), np.uint64(2**STAMP_BITS - 1)
        least = np.uint64(2**STAMP_BITS)
        for j in range(place, place + WAYS):
            if table[j, 3] >> np.uint64(2 * STAMP_BITS) != task:
                i = j
                break
            if table[j, 3] & size < least:
                i, least = j, table[j, 3] & size
        table[i, 0], table[i, 1], table[i, 3] = first, second, mark
    table[i, 2] = (np.uint64(upper) << np.uint64(32)) | np.uint64(lower)


@kernel
def lower_of(table, i):
    return np.int64(table[i, 2] & np.uint64(2**32 - 1))


@kernel
def upper_of(table, i):
    return np.int64(table[i, 2] >> np.uint64(32))
