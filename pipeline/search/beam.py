"""Beam width: an upper bound from trying only the most promising guesses at every node. Knows no words and no files.

A node tries the `width` guesses of least remaining entropy (the sum of n * log2(n) over the buckets), ties by guess
index, whether they are answers or not. A guess that tells nothing is skipped, though it takes its place among them.
"""

import numpy as np

from pipeline.search.bounds import INFEASIBLE, size_lower, useful_guesses
from pipeline.search.jit import kernel
from pipeline.search.kernel import STOPPED, set_hash, split
from pipeline.search.scan import NODES
from pipeline.search.table import find, lower_of, remember, stamp


@kernel
def least_entropy(search, columns, rows, logs, width):
    """The `width` guesses of least remaining entropy, best first; -1 where there are not so many.

    logs  int64 (answers + 1, 2)  n * log2(n) in units of 2^-30 and 2^-60, exact in ties
    """
    guesses = np.full(width, -1, np.int64)
    high, low = np.empty(width, np.int64), np.empty(width, np.int64)
    sizes = search.sizes
    for g in range(search.responses.shape[0]):
        codes = search.responses[g]
        for row in rows:
            sizes[codes[columns.answers[row]]] += 1
        units, parts = np.int64(0), np.int64(0)
        for row in rows:
            code = codes[columns.answers[row]]
            units += logs[sizes[code], 0]
            parts += logs[sizes[code], 1]
            sizes[code] = 0
        units, parts = units + (parts >> 30), parts & (2**30 - 1)
        at = width
        while at > 0 and (
            guesses[at - 1] < 0 or units < high[at - 1] or (units == high[at - 1] and parts < low[at - 1])
        ):
            at -= 1
        if at < width:
            for i in range(width - 1, at, -1):
                guesses[i], high[i], low[i] = guesses[i - 1], high[i - 1], low[i - 1]
            guesses[at], high[at], low[at] = g, units, parts
    return guesses


@kernel
def beam_total(search, columns, rows, guesses_left, width, logs):
    """The least total of a strategy within the beam, or INFEASIBLE, or STOPPED. The same whatever the table holds."""
    n = rows.shape[0]
    guesses_left = useful_guesses(guesses_left, n)
    if n <= 2 or guesses_left <= 1:
        return size_lower(n, n, guesses_left)
    first, second = set_hash(search, columns, rows)
    mark = stamp(search.task, guesses_left, n)
    i = find(search.table, first, second, mark)
    if i >= 0:
        return lower_of(search.table, i)
    if search.stop[0] != 0:
        return STOPPED
    search.tallies[NODES] += 1
    best, best_guess = np.int64(INFEASIBLE), np.int64(-1)
    grouped, ends = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    for g in least_entropy(search, columns, rows, logs, width):
        if g < 0:
            break
        k = split(search, columns, rows, g, grouped, ends)
        if k == 1 and ends[1] == n:
            continue  # it tells nothing
        total = n
        for b in range(k):
            part = beam_total(search, columns, grouped[ends[b] : ends[b + 1]], guesses_left - 1, width, logs)
            if part == STOPPED:
                return STOPPED
            total += part
            if total >= best:
                break
        if total < best:
            best, best_guess = total, g
    search.found[0] = best_guess
    remember(search.table, first, second, mark, best, best)
    return best
