"""Columns: every guess as a partition of the answers of a node, laid out for counting buckets fast. Knows no totals.

A column is a guess as seen by the answers (rows) of one node. Its labels number the responses it gives there. Guesses
that make the same partition are one column: they are interchangeable for these answers and for every subset.
"""

from typing import NamedTuple

import numpy as np

from pipeline.search.jit import kernel

LANE = 63  # labels that one 64-bit mask can tell apart; its last bit means "in another lane"
NARROW = 32  # columns of at most so many labels are counted with 32-bit masks, twice as fast
TILE = 64  # columns read at once, so that a cache line of labels is used whole
ELSEWHERE = np.uint8(LANE)


class Columns(NamedTuple):
    """The columns of a node, those with most buckets first.

    A column of k labels takes one byte a row in each of ceil(k / LANE) layers. As columns come in order of k, those
    that reach layer t are the first ones: column c of layer t is lane layers[t] + c.
    Without labels, shape (0, 0), the responses are read from the response table: slower, but it takes no memory.

    labels   uint8 (rows, lanes)   the label of a row's response, or ELSEWHERE
    layers   int64 (layers + 1,)   where each layer begins among the lanes
    guesses  int32 (columns,)      the guess of each column
    buckets  int32 (columns,)      into how many buckets it splits all rows
    answers  int32 (rows,)         the answer of each row
    own      int32 (rows,)         the column of the guess that is this answer
    """

    labels: np.ndarray
    layers: np.ndarray
    guesses: np.ndarray
    buckets: np.ndarray
    answers: np.ndarray
    own: np.ndarray


@kernel
def bare_columns(responses, members, codes):
    """All guesses over all answers, without labels."""
    width = responses.shape[0]
    buckets, seen = np.zeros(width, np.int32), np.full(codes, -1, np.int32)
    for g in range(width):
        for code in responses[g]:
            buckets[g] += seen[code] != g
            seen[code] = g
    order = np.argsort(-buckets, kind="mergesort")
    column = np.empty(width, np.int32)
    column[order] = np.arange(width).astype(np.int32)
    return Columns(
        np.empty((0, 0), np.uint8),
        np.zeros(2, np.int64),
        order.astype(np.int32),
        buckets[order],
        np.arange(responses.shape[1]).astype(np.int32),
        column[members],
    )


def label_bytes(columns: Columns) -> int:
    """How much memory labels for all columns would take."""
    return int((-(-columns.buckets // LANE)).sum()) * len(columns.answers)


@kernel
def read_tile(columns, responses, rows, n, start, end, tile):
    """Writes what tells the responses of columns start..end-1 apart, for the n given rows, into tile[column, row]."""
    if columns.labels.shape[0] == 0:
        for c in range(start, end):
            codes = responses[columns.guesses[c]]
            for i in range(n):
                tile[c - start, i] = codes[columns.answers[rows[i]]]
        return
    layers = columns.layers
    for i in range(n):
        part = columns.labels[rows[i], start:end]
        for j in range(end - start):
            tile[j, i] = part[j]
    for t in range(1, layers.shape[0] - 1):
        reach = min(layers[t + 1] - layers[t], end) - start
        for i in range(n):
            part = columns.labels[rows[i], layers[t] + start : layers[t] + start + max(reach, 0)]
            for j in range(part.shape[0]):
                if part[j] != ELSEWHERE:
                    tile[j, i] = t * LANE + part[j]


@kernel
def signature(labels, n, weights, sums):
    """(k, first, second): the number of buckets of a column, and 128 bits that are equal for equal partitions.

    Each half is the sum over the buckets of the square of the sum of its rows' random weights, modulo 2^64.
    Claim: different partitions rarely agree: their difference is a polynomial of degree 2 in the weights, not zero.
    `sums` is all 0, at entry and at exit, and longer than the largest label.
    """
    for i in range(n):
        sums[labels[i], 0] += weights[i, 0]
        sums[labels[i], 1] += weights[i, 1]
    k, first, second = 0, np.uint64(0), np.uint64(0)
    for i in range(n):
        a, b = sums[labels[i], 0], sums[labels[i], 1]
        k += (a | b) != 0  # else this bucket has been counted
        first += a * a
        second += b * b
        sums[labels[i], 0] = 0
        sums[labels[i], 1] = 0
    return k, first, second


@kernel
def relabel(labels, n, k, known, old):
    """Renumbers n labels to be below k: by first occurrence, or by frequency if there are more than a lane holds.

    `known` is all -1, at entry and at exit, and longer than the largest label; `old` is as long.
    """
    fresh = 0
    for i in range(n):
        label = known[labels[i]]
        if label < 0:
            label = fresh
            known[labels[i]] = label
            old[label] = labels[i]
            fresh += 1
        labels[i] = label
    for label in range(k):
        known[old[label]] = -1
    if k > LANE:  # the first lane then says most
        counts = np.zeros(k, np.int64)
        for i in range(n):
            counts[labels[i]] += 1
        rank = np.empty(k, np.int64)
        rank[np.argsort(-counts, kind="mergesort")] = np.arange(k)
        for i in range(n):
            labels[i] = rank[labels[i]]


@kernel
def seen_before(signatures, taken, c):
    """Whether a column with this signature has been kept already; if not, it is from now on."""
    slot = np.int64(signatures[c, 0] & np.uint64(taken.shape[0] - 1))
    while taken[slot] >= 0:
        other = taken[slot]
        if signatures[other, 0] == signatures[c, 0] and signatures[other, 1] == signatures[c, 1]:
            return True
        slot = (slot + 1) & (taken.shape[0] - 1)
    taken[slot] = c
    return False


@kernel
def narrowed(columns, responses, hashes, codes, rows, distinct):
    """The columns of the answers in the given rows: deduplicated if `distinct`, relabelled, with contiguous rows.

    A guess that is none of these answers is dropped if it tells nothing, or, with `distinct`, if it makes the same
    partition as another column: an answer of the set is never worse than such a guess, here and in every subset.
    """
    n, width = rows.shape[0], columns.guesses.shape[0]
    own_row = np.full(width, -1, np.int32)
    answers, weights = np.empty(n, np.int32), np.empty((n, 2), np.uint64)
    for i in range(n):
        answers[i] = columns.answers[rows[i]]
        own_row[columns.own[rows[i]]] = i
        weights[i, 0], weights[i, 1] = hashes[answers[i], 0], hashes[answers[i], 1]
    tile = np.empty((TILE, n), np.uint16)
    sums, known = np.zeros((codes, 2), np.uint64), np.full(codes, -1, np.int32)
    spare = np.empty(codes, np.int32)
    signatures, buckets = np.empty((width, 2), np.uint64), np.empty(width, np.int32)
    slots = 1
    while slots < 2 * width:
        slots *= 2
    taken = np.full(slots, -1, np.int32)

    # 1. The answers of the set, so that other guesses are compared with them too.
    for i in range(n):
        c = np.int64(columns.own[rows[i]])
        read_tile(columns, responses, rows, n, c, c + 1, tile)
        buckets[c], signatures[c, 0], signatures[c, 1] = signature(tile[0], n, weights, sums)
        seen_before(signatures, taken, c)

    # 2. One column for each partition, in the order they are found.
    found = np.empty((width, n), np.uint16)  # what is never written takes no memory
    old = np.empty(width, np.int32)
    kept = 0
    for start in range(0, width, TILE):
        end = min(start + TILE, width)
        read_tile(columns, responses, rows, n, start, end, tile)
        for c in range(start, end):
            labels = tile[c - start]
            if own_row[c] < 0:
                buckets[c], signatures[c, 0], signatures[c, 1] = signature(labels, n, weights, sums)
                if buckets[c] == 1 or (distinct and seen_before(signatures, taken, c)):
                    continue
            is_small = columns.labels.shape[0] > 0 and columns.buckets[c] <= NARROW
            if not is_small:  # else its labels will do as they are
                relabel(labels, n, buckets[c], known, spare)
            found[kept] = labels
            old[kept] = c
            kept += 1

    # 3. Most buckets first, in layers.
    order = np.argsort(-buckets[old[:kept]], kind="mergesort")
    most = buckets[old[order[0]]]
    layers = np.zeros((most + LANE - 1) // LANE + 1, np.int64)
    for t in range(layers.shape[0] - 1):
        reach = 0
        while reach < kept and buckets[old[order[reach]]] > t * LANE:
            reach += 1
        layers[t + 1] = layers[t] + reach
    out = np.empty((n, layers[-1]), np.uint8)
    guesses, kept_buckets, own = np.empty(kept, np.int32), np.empty(kept, np.int32), np.empty(n, np.int32)
    for c in range(kept):
        guesses[c] = columns.guesses[old[order[c]]]
        kept_buckets[c] = buckets[old[order[c]]]
        if own_row[old[order[c]]] >= 0:
            own[own_row[old[order[c]]]] = c
    for t in range(layers.shape[0] - 1):
        reach = layers[t + 1] - layers[t]
        for start in range(0, reach, TILE):
            end = min(start + TILE, reach)
            for i in range(n):
                part = out[i, layers[t] + start : layers[t] + end]
                for j in range(end - start):
                    label = np.int32(found[order[start + j], i]) - t * LANE
                    part[j] = label if 0 <= label < LANE else LANE
    return Columns(out, layers, guesses, kept_buckets, answers, own)
