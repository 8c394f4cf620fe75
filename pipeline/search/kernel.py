"""The least total of a set of answers, exact or beaten: branch and bound in normal mode. Knows no words and no files.

    best_total(search, columns, rows, guesses_left, budget)
      Let v be the least total over all strategies for these answers, or INFEASIBLE if guesses_left do not suffice.
        v <  budget  ->  returns v, exact
        v >= budget  ->  returns some r with budget <= r <= v: a proven lower bound

A set of answers is an array of rows of `columns`. Every lower bound in use is one of bounds.py, or the least over all
guesses of n plus such bounds of the buckets; so each can be replayed as a lemma.
"""

from typing import NamedTuple

import numpy as np

from pipeline.search.bounds import INFEASIBLE, size_lower, split_lower, useful_guesses
from pipeline.search.columns import narrowed
from pipeline.search.jit import kernel
from pipeline.search.lemmas import LemmaLog, record
from pipeline.search.scan import LABELS, NODES, SCANS, Masks, block_end, count_block, most_buckets
from pipeline.search.table import find, lower_of, remember, stamp, upper_of

STOPPED = -1  # returned by a search that was asked to stop


class Search(NamedTuple):
    """What every node of one task shares.

    responses  uint8 or uint16 (guesses, answers), read-only
    members    int32 (answers,)    the guess that is each answer
    hashes     uint64 (answers, 2)
    codes      int                 above every response code
    solved     int                 the response to the answer itself
    table      uint64 (entries, 4) see table.py
    task       int                 whose entries of the table count
    masks      see scan.py
    sizes      int32 (codes,)      all 0 between uses
    tallies    int64 (3,)          see scan.py
    stop       int64 (1,)          set to 1 from outside to end the search
    found      int64 (1,)          the best guess of the last node that was expanded and beat its budget
    most       int                 the most buckets that any guess makes of all answers
    lemmas     see lemmas.py

    The last two decide about effort, never about results:
    members_first  up to this size a set tries its own answers before it counts the buckets of every column
    narrow_from    a node with more promising guesses than this makes columns of its own
    """

    responses: np.ndarray
    members: np.ndarray
    hashes: np.ndarray
    codes: int
    solved: int
    table: np.ndarray
    task: int
    masks: Masks
    sizes: np.ndarray
    tallies: np.ndarray
    stop: np.ndarray
    found: np.ndarray
    most: int
    lemmas: LemmaLog
    members_first: int = 24
    narrow_from: int = 200


@kernel
def set_hash(search, columns, rows):
    """128 bits that name the set of answers in these rows."""
    first, second = np.uint64(0), np.uint64(0)
    for row in rows:
        first ^= search.hashes[columns.answers[row], 0]
        second ^= search.hashes[columns.answers[row], 1]
    return first, second


@kernel
def bucket_count(search, columns, rows, g):
    """Into how many buckets guess g splits the rows, and the size of the largest."""
    codes, sizes = search.responses[g], search.sizes
    k, largest = 0, 0
    for row in rows:
        code = codes[columns.answers[row]]
        k += sizes[code] == 0
        sizes[code] += 1
        largest = max(largest, sizes[code])
    for row in rows:
        sizes[codes[columns.answers[row]]] = 0
    return k, largest


@kernel
def quick_bounds(search, columns, rows, guesses_left):
    """(lower, upper) of a set without expanding it: by size, from the table, or by counting buckets.

    Exact iff lower = upper; upper is INFEASIBLE while no strategy is known. guesses_left is at most the number of rows.
    """
    n = rows.shape[0]
    lower = size_lower(n, search.most, guesses_left)
    if n <= 2 or lower == INFEASIBLE:
        return lower, lower
    first, second = set_hash(search, columns, rows)
    mark = stamp(search.task, guesses_left, n)
    i = find(search.table, first, second, mark)
    if i >= 0:
        return lower_of(search.table, i), upper_of(search.table, i)
    static = lower
    lower, upper = counted_bounds(search, columns, rows, guesses_left)
    if lower > static:
        record(search.lemmas, columns.answers, rows, guesses_left, lower, np.int64(0))
    remember(search.table, first, second, mark, lower, upper)
    return lower, upper


@kernel
def counted_bounds(search, columns, rows, guesses_left):
    """(lower, upper) of n >= 3 answers with guesses_left >= 2, from the number of buckets of every column.

    Claim: lower is the least `split_lower` of any guess, and upper equals it where that bound is attained.
    """
    n = rows.shape[0]
    best, at = np.int64(0), np.int64(-1)  # the most buckets, plus one if the guess is a member, and that guess
    # 1. Members: the best that can be is a member that tells all others apart.
    if n <= search.members_first or guesses_left == 2:
        for row in rows:
            g = np.int64(search.members[columns.answers[row]])
            k, _ = bucket_count(search, columns, rows, g)
            if k == n:
                return 2 * n - 1, 2 * n - 1
            if k + 1 > best:
                best, at = k + 1, g
        # Only a member makes n + 1, so n is the most that remains: 2n, by a member that leaves one pair.
        if best == n and guesses_left >= 3:
            return 2 * n, 2 * n
    else:
        for row in rows:
            search.masks.bonus[columns.own[row]] = 1
    # 2. All columns. With two guesses left only a perfect one will do, and no member is.
    if guesses_left == 2:
        best, c = most_buckets(columns, search.responses, rows, n, n - 1, n, search.masks, search.tallies)
        lower = 2 * n if c >= 0 else INFEASIBLE
        return lower, lower
    ceiling = n if n <= search.members_first else n + 1
    best, c = most_buckets(columns, search.responses, rows, n, best, ceiling, search.masks, search.tallies)
    if n > search.members_first:
        for row in rows:
            search.masks.bonus[columns.own[row]] = 0
    if c >= 0:
        at = np.int64(columns.guesses[c])
    # 3. The bound is attained if no bucket exceeds two answers.
    lower = split_lower(n, best, 0, search.most)
    _, largest = bucket_count(search, columns, rows, at)
    return lower, (lower if largest <= 2 else INFEASIBLE)


@kernel
def guess_bounds(search, columns, rows, g, guesses_left):
    """(key, lower) of a guess from the sizes of its buckets: what it is ordered by, and a lower bound on the total."""
    codes, sizes = search.responses[g], search.sizes
    n = rows.shape[0]
    for row in rows:
        sizes[codes[columns.answers[row]]] += 1
    squares, lower = 0, n if guesses_left > 0 else INFEASIBLE
    for row in rows:
        code = codes[columns.answers[row]]
        size = np.int64(sizes[code])
        if size > 0 and code != search.solved:
            squares += size * size
            lower += size_lower(size, search.most, guesses_left - 1)
        sizes[code] = 0
    return 2 * squares + n * min(lower, INFEASIBLE), min(lower, INFEASIBLE)


@kernel
def split(search, columns, rows, g, grouped, ends):
    """Groups the rows by their response to guess g, largest bucket first, without the solved one; returns how many.

    Bucket b is grouped[ends[b]:ends[b + 1]]. Buckets of one size are in order of their first row.
    """
    codes, sizes = search.responses[g], search.sizes
    k = 0
    for row in rows:
        code = codes[columns.answers[row]]
        if sizes[code] == 0 and code != search.solved:
            ends[k + 1] = code
            k += 1
        sizes[code] += 1
    for b in range(2, k + 1):  # by insertion: most are small and nearly in order
        code, c = ends[b], b
        while c > 1 and sizes[ends[c - 1]] < sizes[code]:
            ends[c] = ends[c - 1]
            c -= 1
        ends[c] = code
    sizes[search.solved] = -1
    at = 0
    ends[0] = 0
    for b in range(1, k + 1):
        size = sizes[ends[b]]
        sizes[ends[b]] = at
        at += size
    for row in rows:
        code = codes[columns.answers[row]]
        if code != search.solved:
            grouped[sizes[code]] = row
            sizes[code] += 1
    for b in range(1, k + 1):
        code = ends[b]
        ends[b] = sizes[code]
        sizes[code] = 0
    sizes[search.solved] = 0
    return k


@kernel
def bucket_bounds(search, columns, grouped, ends, k, total, guesses_left, budget, lowers, uppers):
    """The second pass over a guess: quick bounds of its buckets, largest first, until their sum meets the budget.

    `total` is a sum of lower bounds to begin with, one `size_lower` for each bucket; returns the improved sum.
    """
    for b in range(k):
        size = np.int64(ends[b + 1] - ends[b])
        lowers[b] = size_lower(size, search.most, guesses_left)
        uppers[b] = lowers[b] if size <= 2 else INFEASIBLE
    for b in range(k):
        size = np.int64(ends[b + 1] - ends[b])
        if size <= 2 or total >= budget:
            break
        bucket = grouped[ends[b] : ends[b + 1]]
        lower, upper = quick_bounds(search, columns, bucket, useful_guesses(guesses_left, size))
        total += max(lower, lowers[b]) - lowers[b]
        lowers[b], uppers[b] = max(lower, lowers[b]), upper
    return total


@kernel
def greedy_total(search, columns, rows, guesses_left):
    """The total of a strategy: at every node a guess that makes the most buckets, members preferred; or INFEASIBLE."""
    n = rows.shape[0]
    if n <= 2 or guesses_left <= 1:
        return size_lower(n, search.most, guesses_left)
    for row in rows:
        search.masks.bonus[columns.own[row]] = 1
    _, c = most_buckets(columns, search.responses, rows, n, np.int64(0), n + 1, search.masks, search.tallies)
    for row in rows:
        search.masks.bonus[columns.own[row]] = 0
    grouped, ends = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    k = split(search, columns, rows, np.int64(columns.guesses[c]), grouped, ends)
    total = n
    for b in range(k):
        total += greedy_total(search, columns, grouped[ends[b] : ends[b + 1]], guesses_left - 1)
    return min(total, INFEASIBLE)


@kernel
def promising(search, columns, rows, needed, guesses):
    """(count, rest): lists in `guesses` those with buckets + [member] > needed; rest is the most of any other guess."""
    n = rows.shape[0]
    for row in rows:
        search.masks.bonus[columns.own[row]] = 1
    count, rest, start = 0, 1, np.int64(0)
    while start < columns.guesses.shape[0]:
        if columns.buckets[start] + 1 <= needed:
            rest = max(rest, columns.buckets[start] + 1)
            break
        end = block_end(columns, start)
        count_block(columns, search.responses, rows, n, start, end, np.int64(0), search.masks)
        for j in range(end - start):
            made = search.masks.counts[j]
            if made > max(needed, 1):
                guesses[count] = columns.guesses[start + j]
                count += 1
            else:
                rest = max(rest, np.int64(made))
        start = end
    search.tallies[SCANS] += 1
    search.tallies[LABELS] += start * n
    for row in rows:
        search.masks.bonus[columns.own[row]] = 0
    return count, rest


@kernel
def best_total(search, columns, rows, guesses_left, budget):
    """The least total of the rows if below `budget`, else a proven lower bound of at least `budget`; or STOPPED."""
    # 1. What needs no expansion.
    n = rows.shape[0]
    guesses_left = useful_guesses(guesses_left, n)
    lower, upper = quick_bounds(search, columns, rows, guesses_left)
    if lower == upper or lower >= budget:
        return lower
    if search.stop[0] != 0:
        return STOPPED
    search.tallies[NODES] += 1

    # 2. A strategy to begin with: no guess needs to be looked at that cannot be better.
    if upper == INFEASIBLE and budget > lower + n // 4:
        upper = greedy_total(search, columns, rows, guesses_left)
    budget = min(budget, upper + 1)

    # 3. The guesses that could beat the budget, by their number of buckets; columns of its own if they are many.
    guesses = np.empty(columns.guesses.shape[0], np.int32)
    count, rest = promising(search, columns, rows, 3 * n - budget, guesses)
    if count > search.narrow_from:
        columns = narrowed(columns, search.responses, search.hashes, search.codes, rows, np.bool_(True))
        rows = np.arange(n).astype(np.int32)
        count, rest = promising(search, columns, rows, 3 * n - budget, guesses)
    floor = max(split_lower(n, rest, 0, search.most), budget)  # what the other guesses cost at least

    # 4. The order in which they are tried.
    keys, bounds = np.empty(count, np.int64), np.empty(count, np.int64)
    for c in range(count):
        keys[c], bounds[c] = guess_bounds(search, columns, rows, np.int64(guesses[c]), guesses_left)
    order = np.argsort(keys, kind="mergesort")

    # 5. Each guess in three passes: free bounds, quick bounds of its buckets, recursion.
    best = budget
    best_guess = -1
    grouped, ends = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    lowers, uppers = np.empty(n, np.int64), np.empty(n, np.int64)
    for c in order:
        if search.stop[0] != 0:
            return STOPPED
        total = bounds[c]
        if total < best:
            k = split(search, columns, rows, np.int64(guesses[c]), grouped, ends)
            total = bucket_bounds(search, columns, grouped, ends, k, total, guesses_left - 1, best, lowers, uppers)
            for b in range(k - 1, -1, -1):  # smallest first
                if total >= best:
                    break
                if lowers[b] < uppers[b]:
                    bucket = grouped[ends[b] : ends[b + 1]]
                    part = best_total(search, columns, bucket, guesses_left - 1, best - total + lowers[b])
                    if part == STOPPED:
                        return STOPPED
                    total += part - lowers[b]
        if total < best:
            best, best_guess = total, guesses[c]
        else:
            floor = min(floor, total)

    # 6. What has been proven.
    if best_guess >= 0:
        lower = upper = best
        search.found[0] = best_guess
    else:
        lower = min(max(lower, floor), INFEASIBLE)
    record(search.lemmas, columns.answers, rows, guesses_left, lower, np.int64(1))
    first, second = set_hash(search, columns, rows)
    remember(search.table, first, second, stamp(search.task, guesses_left, n), lower, upper)
    return lower


@kernel
def guess_total(search, columns, rows, g, guesses_left, budget):
    """As best_total, with guess g as the next one, whether good or not: its least total, a lower bound, or STOPPED."""
    n = rows.shape[0]
    grouped, ends = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    lowers, uppers = np.empty(n, np.int64), np.empty(n, np.int64)
    _, total = guess_bounds(search, columns, rows, g, guesses_left)
    k = split(search, columns, rows, g, grouped, ends)
    total = bucket_bounds(search, columns, grouped, ends, k, total, guesses_left - 1, budget, lowers, uppers)
    for b in range(k - 1, -1, -1):
        if total >= budget:
            break
        if lowers[b] < uppers[b]:
            bucket = grouped[ends[b] : ends[b + 1]]
            part = best_total(search, columns, bucket, guesses_left - 1, budget - total + lowers[b])
            if part == STOPPED:
                return STOPPED
            total += part - lowers[b]
    return min(total, INFEASIBLE)
