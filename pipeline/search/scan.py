"""Scans: how many buckets every column makes of some rows, by bit masks. Knows no totals.

A mask has a bit for each label; the bits set by the rows of a set are the buckets that the column makes of it.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.extending import intrinsic

from pipeline.search.columns import ELSEWHERE, LANE, NARROW
from pipeline.search.jit import kernel

BLOCK = 1024  # columns counted at once, so that their masks stay in the nearest cache
IN_LANE = np.uint64(2**LANE - 1)
NODES, SCANS, LABELS = 0, 1, 2  # places in `tallies`: nodes expanded, sets scanned, labels read


class Masks(NamedTuple):
    """Working space for counting: one mask a column of a block, in both widths, and the bonus of every column.

    wide       uint64 (BLOCK,)   or more: also one bit for each of the 65,536 possible codes
    narrow     uint32 (BLOCK,)
    elsewhere  uint8 (BLOCK,)    how many rows have their label in another lane than the first
    counts     int32 (BLOCK,)
    bonus      uint8 (guesses,)  1 for the columns that are answers of the set being counted, else 0
    """

    wide: np.ndarray
    narrow: np.ndarray
    elsewhere: np.ndarray
    counts: np.ndarray
    bonus: np.ndarray


def new_masks(guesses: int) -> Masks:
    return Masks(
        np.zeros(max(BLOCK, 2**16 // 64), np.uint64),
        np.zeros(BLOCK, np.uint32),
        np.zeros(BLOCK, np.uint8),
        np.zeros(BLOCK, np.int32),
        np.zeros(guesses, np.uint8),
    )


if numba.config.DISABLE_JIT:

    def popcount(mask):
        return int(mask).bit_count()

else:

    @intrinsic
    def popcount(typing_context, mask):
        """The number of bits set."""

        def generated(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return mask(mask), generated


@kernel
def bit(one, label):
    return one << type(one)(label)


@kernel
def mark_labels(masks, labels, rows, n, start):
    """Sets in masks[j] the bit of the label in lane start + j, for each of the rows: eight at once, then four.

    Where fewer than four are left the last row is taken again, which changes nothing.
    """
    end = start + masks.shape[0]
    i = 0
    while i + 8 <= n:
        a, b = labels[rows[i], start:end], labels[rows[i + 1], start:end]
        c, d = labels[rows[i + 2], start:end], labels[rows[i + 3], start:end]
        e, f = labels[rows[i + 4], start:end], labels[rows[i + 5], start:end]
        g, h = labels[rows[i + 6], start:end], labels[rows[i + 7], start:end]
        for j in range(masks.shape[0]):
            one = masks.dtype.type(1)
            abcd = bit(one, a[j]) | bit(one, b[j]) | bit(one, c[j]) | bit(one, d[j])
            masks[j] |= abcd | bit(one, e[j]) | bit(one, f[j]) | bit(one, g[j]) | bit(one, h[j])
        i += 8
    while i < n:
        a, b = labels[rows[i], start:end], labels[rows[min(i + 1, n - 1)], start:end]
        c, d = labels[rows[min(i + 2, n - 1)], start:end], labels[rows[min(i + 3, n - 1)], start:end]
        for j in range(masks.shape[0]):
            one = masks.dtype.type(1)
            masks[j] |= bit(one, a[j]) | bit(one, b[j]) | bit(one, c[j]) | bit(one, d[j])
        i += 4


@kernel
def count_elsewhere(counts, labels, rows, n, start):
    """Counts for each lane start + j how many of the first n <= 255 rows have their label in another lane."""
    width = counts.shape[0]
    counts[:] = 0
    i = 0
    while i + 4 <= n:
        a = labels[rows[i], start : start + width]
        b = labels[rows[i + 1], start : start + width]
        c = labels[rows[i + 2], start : start + width]
        d = labels[rows[i + 3], start : start + width]
        for j in range(width):
            ab = np.uint8(a[j] == ELSEWHERE) + np.uint8(b[j] == ELSEWHERE)
            counts[j] += np.uint8(ab + np.uint8(c[j] == ELSEWHERE) + np.uint8(d[j] == ELSEWHERE))
        i += 4
    while i < n:
        a = labels[rows[i], start : start + width]
        for j in range(width):
            counts[j] += np.uint8(a[j] == ELSEWHERE)
        i += 1


@kernel
def count_block(columns, responses, rows, n, start, end, floor, masks):
    """Writes how many buckets columns start..end-1 make of the rows, plus the bonus, to masks.counts; returns the most.

    Where none makes more than `floor` the counts may be too low, and what is returned is not above `floor`.
    """
    width = end - start
    counts = masks.counts[:width]
    bonus = masks.bonus[start:end]
    if columns.labels.shape[0] == 0:
        return count_codes(columns, responses, rows, n, start, masks, counts, bonus)
    most = np.int32(0)
    if columns.buckets[start] <= NARROW:
        narrow = masks.narrow[:width]
        narrow[:] = 0
        mark_labels(narrow, columns.labels, rows, n, start)
        for j in range(width):
            counts[j] = np.int32(popcount(narrow[j])) + np.int32(bonus[j])
            most = max(most, counts[j])
        return most
    wide = masks.wide[:width]
    wide[:] = 0
    mark_labels(wide, columns.labels, rows, n, start)
    for j in range(width):
        counts[j] = np.int32(popcount(wide[j] & IN_LANE)) + np.int32(bonus[j])
        most = max(most, counts[j])
    for t in range(1, columns.layers.shape[0] - 1):
        reach = min(columns.layers[t + 1] - columns.layers[t], end) - start
        if reach <= 0:
            break
        elsewhere = masks.elsewhere[:reach]
        if t == 1:
            count_elsewhere(elsewhere, columns.labels, rows, min(n, 255), start)
        buckets, lane, is_counted = columns.buckets[start : start + reach], np.int32(t * LANE), t == 1 and n <= 255
        hope = most
        for j in range(reach):  # all of it in 32 bits, so that it is done for many columns at once
            more = np.int32(buckets[j] - lane)
            if is_counted:
                more = min(more, np.int32(elsewhere[j]))
            hope = max(hope, np.int32(counts[j] + more))
        if hope <= floor:  # the labels of the lanes not read are too few
            return most
        part = masks.wide[:reach]
        part[:] = 0
        mark_labels(part, columns.labels, rows, n, columns.layers[t] + start)
        for j in range(reach):
            counts[j] += np.int32(popcount(part[j] & IN_LANE))
            most = max(most, counts[j])
    return most


@kernel
def count_codes(columns, responses, rows, n, start, masks, counts, bonus):
    """As count_block for columns without labels: one response after the other, from the response table."""
    most = np.int32(0)
    words = masks.wide
    for j in range(counts.shape[0]):
        codes = responses[columns.guesses[start + j]]
        k = 0
        for i in range(n):
            words[codes[columns.answers[rows[i]]] >> 6] = 0
        for i in range(n):
            code = np.int64(codes[columns.answers[rows[i]]])
            mask = bit(np.uint64(1), code & 63)
            k += (words[code >> 6] & mask) == 0
            words[code >> 6] |= mask
        counts[j] = np.int32(k) + np.int32(bonus[j])
        most = max(most, counts[j])
    return most


@kernel
def block_end(columns, start):
    """Where the block that begins with column `start` ends: masks of one width, at most BLOCK columns."""
    end = min(start + BLOCK, columns.guesses.shape[0])
    if columns.buckets[start] > NARROW and columns.buckets[end - 1] <= NARROW:
        low, high = start, end - 1  # the first narrow column is in (low, high]
        while high - low > 1:
            middle = (low + high) // 2
            if columns.buckets[middle] > NARROW:
                low = middle
            else:
                high = middle
        end = high
    return end


@kernel
def most_buckets(columns, responses, rows, n, floor, ceiling, masks, tallies):
    """(k, c): the most buckets plus bonus that a column makes of the rows, if above `floor`, and the first such column.

    (floor, -1) if no column exceeds `floor`. Stops at `ceiling`, which is known to be the most possible.
    A column makes no more buckets of some rows than of all: the order of columns tells when to stop.
    """
    best, at = floor, -1
    start = np.int64(0)
    while start < columns.guesses.shape[0] and columns.buckets[start] + 1 > best and best < ceiling:
        end = block_end(columns, start)
        if count_block(columns, responses, rows, n, start, end, best, masks) > best:
            for j in range(end - start):
                if masks.counts[j] > best:
                    best, at = np.int64(masks.counts[j]), start + j
        start = end
    tallies[SCANS] += 1
    tallies[LABELS] += start * n
    return best, at
