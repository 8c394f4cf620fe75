"""Lemmas merged and trimmed to what a claim needs: a walk from the claim down. Knows no words and no files."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.search.bounds import INFEASIBLE, size_lower, useful_guesses
from pipeline.search.engine import Engine
from pipeline.search.jit import kernel
from pipeline.search.kernel import promising, set_hash, split


class UnsupportedError(RuntimeError):
    """A bound that does not follow from the lemmas: a bug, never a result."""


class Lemmas(NamedTuple):
    """Lemma j says that members[starts[j] : starts[j + 1]] with left[j] guesses left have no total below lower[j].

    starts   int64 (lemmas + 1,)
    members  uint16               ascending within each lemma
    left     int64 (lemmas,)
    lower    int64 (lemmas,)      INFEASIBLE where no strategy fits
    rests    bool (lemmas,)       whether it may rest on other lemmas
    """

    starts: NDArray[np.int64]
    members: NDArray[np.uint16]
    left: NDArray[np.int64]
    lower: NDArray[np.int64]
    rests: NDArray[np.bool_]


class Index(NamedTuple):
    """Finds lemmas: hashes uint64 (lemmas, 2) of their sets, left and lower as in Lemmas, slots int64, -1 if empty."""

    hashes: np.ndarray
    left: np.ndarray
    lower: np.ndarray
    slots: np.ndarray


def joined(parts: Iterable[Lemmas]) -> Lemmas:
    """All lemmas of the parts, in their order."""
    given = list(parts)
    sizes = np.concatenate([np.diff(part.starts) for part in given])
    rest = [np.concatenate([part[i] for part in given]) for i in range(1, 5)]
    return Lemmas(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), *rest)


def chosen(lemmas: Lemmas, which: NDArray[np.int64]) -> Lemmas:
    """These lemmas, in this order."""
    sizes = np.diff(lemmas.starts)[which]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.repeat(lemmas.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])
    return Lemmas(starts, lemmas.members[places], lemmas.left[which], lemmas.lower[which], lemmas.rests[which])


def in_order(lemmas: Lemmas) -> Lemmas:
    """By size, answers, guesses left."""
    text = lemmas.members.astype(">u2").tobytes()
    sizes, starts, left = np.diff(lemmas.starts).tolist(), lemmas.starts.tolist(), lemmas.left.tolist()
    keys = [(n, text[2 * at : 2 * (at + n)], t) for n, at, t in zip(sizes, starts, left, strict=False)]
    return chosen(lemmas, np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64))


@kernel
def set_hashes(starts, members, hashes):
    """The two words of hash of every lemma's set."""
    found = np.zeros((starts.shape[0] - 1, 2), np.uint64)
    for j in range(found.shape[0]):
        for a in members[starts[j] : starts[j + 1]]:
            found[j, 0] ^= hashes[a, 0]
            found[j, 1] ^= hashes[a, 1]
    return found


@kernel
def fill(index):
    """Enters every lemma."""
    mask = np.uint64(index.slots.shape[0] - 1)
    for j in range(index.left.shape[0]):
        slot = index.hashes[j, 0] & mask
        while index.slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        index.slots[slot] = j


@kernel
def lemma_of(index, first, second, left):
    """The lemma about this set with so many guesses left, or -1."""
    mask = np.uint64(index.slots.shape[0] - 1)
    slot = first & mask
    while index.slots[slot] >= 0:
        j = index.slots[slot]
        if index.hashes[j, 0] == first and index.hashes[j, 1] == second and index.left[j] == left:
            return j
        slot = (slot + np.uint64(1)) & mask
    return -1


@kernel
def mark_guess(search, columns, rows, g, left, target, index, needed, grouped, ends):
    """Marks lemmas that together show that guess g costs at least `target`; False if there are none.

    Those that are needed anyway come first, then those of the largest buckets.
    """
    n = rows.shape[0]
    k = split(search, columns, rows, g, grouped, ends)
    total = n
    for b in range(k):
        total += size_lower(np.int64(ends[b + 1] - ends[b]), search.most, left - 1)
    for again in range(2):
        for b in range(k):
            size = np.int64(ends[b + 1] - ends[b])
            if total >= target or size <= 2:
                break
            first, second = set_hash(search, columns, grouped[ends[b] : ends[b + 1]])
            j = lemma_of(index, first, second, useful_guesses(left - 1, size))
            if j >= 0 and needed[j] != (again == 1):
                gain = index.lower[j] - size_lower(size, search.most, left - 1)
                if gain > 0:
                    total += gain
                    needed[j] = True
    return total >= target


@kernel
def mark(search, columns, rows, left, target, index, needed):
    """Marks the lemmas on which this one rests: the first guess for which there are not enough, or -1."""
    n = rows.shape[0]
    guesses = np.empty(columns.guesses.shape[0], np.int32)
    grouped, ends = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    count, _ = promising(search, columns, rows, 3 * n - target, guesses)
    for g in guesses[:count]:
        if not mark_guess(search, columns, rows, g, left, target, index, needed, grouped, ends):
            return g
    return -1


class Trimmer:
    """Lemmas of one game, each set and guesses left once with its largest bound, and which of them are needed."""

    def __init__(self, engine: Engine, lemmas: Lemmas) -> None:
        self.engine = engine
        hashes = set_hashes(lemmas.starts, lemmas.members, engine.search.hashes)
        order = np.lexsort((-lemmas.lower, lemmas.left, hashes[:, 1], hashes[:, 0]))
        facts = np.stack([hashes[order, 0], hashes[order, 1], lemmas.left[order].astype(np.uint64)])
        new = np.ones(len(order), bool)
        new[1:] = (facts[:, 1:] != facts[:, :-1]).any(axis=0)
        kept = np.sort(order[new])
        self.lemmas = chosen(lemmas, kept)
        slots = np.full(2 ** int(2 * len(kept) + 1).bit_length(), -1, np.int64)
        self.index = Index(hashes[kept], self.lemmas.left, self.lemmas.lower, slots)
        fill(self.index)
        self.needed = np.zeros(len(kept), bool)

    def need_lemma(self, answers: NDArray[np.integer], guesses_left: int) -> None:
        """The claim is about this lemma, which must be there unless the static bound says as much."""
        first, second = set_hash(self.engine.search, self.engine.columns, answers.astype(np.int32))
        left = useful_guesses(guesses_left, len(answers))
        j = lemma_of(self.index, np.uint64(first), np.uint64(second), left)
        if j >= 0:
            self.needed[j] = True

    def need_guess(self, answers: NDArray[np.integer], g: int, guesses_left: int, lower: int) -> None:
        """The claim says that this guess costs at least `lower`."""
        n, search, columns = len(answers), self.engine.search, self.engine.columns
        space = np.empty(n, np.int32), np.empty(n + 1, np.int32)
        rows = answers.astype(np.int32)
        if not mark_guess(search, columns, rows, g, guesses_left, lower, self.index, self.needed, *space):
            raise UnsupportedError(f"guess {g} is not shown to cost {lower}")

    def trimmed(self) -> Lemmas:
        """The lemmas needed, with all on which they rest, in order."""
        sizes = np.diff(self.lemmas.starts)
        for j in np.argsort(-sizes, kind="stable"):
            if self.needed[j] and self.lemmas.rests[j]:
                rows = self.lemmas.members[self.lemmas.starts[j] : self.lemmas.starts[j + 1]].astype(np.int32)
                left, lower = int(self.lemmas.left[j]), int(self.lemmas.lower[j])
                search, columns = self.engine.search, self.engine.columns
                g = mark(search, columns, rows, left, min(lower, INFEASIBLE), self.index, self.needed)
                if g >= 0:
                    raise UnsupportedError(f"lemma {j} ({len(rows)} answers, {left} left, {lower}) fails for guess {g}")
        return in_order(chosen(self.lemmas, np.flatnonzero(self.needed)))
