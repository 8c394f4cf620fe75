"""Random response tables for the property tests, and a second exact path that is plain but not naive.

A table is all that the search sees of a game, so random tables cover more than random words would.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipeline.search.bounds import INFEASIBLE
from pipeline.search.engine import Engine, make_engine
from tests import naive


@dataclass(frozen=True)
class RandomTable:
    """A response table (guesses, answers), the guess that is each answer, and the code of `solved`."""

    responses: NDArray[np.integer]
    members: NDArray[np.int64]
    solved: int

    def engine(self, table_mib: float = 1, width: int | None = None, label_mib: float = 1) -> Engine:
        return make_engine(self.responses, self.members, self.solved, table_mib, width, label_mib)

    def naive_total(self, answers: Sequence[int], guesses_left: int | None) -> int:
        total = naive.best_total(self.responses.tolist(), self.solved, answers, guesses_left)
        return INFEASIBLE if total is naive.INFEASIBLE else total


def random_table(seed: int, answers: int, guesses: int, codes: int, dull: float = 0) -> RandomTable:
    """Responses below `codes`, a share `dull` of them 0; some of the guesses make the partition of another, renamed."""
    rng = np.random.default_rng([seed, answers, guesses, codes])
    responses = rng.integers(0, codes, (guesses, answers)) * (rng.random((guesses, answers)) >= dull)
    members = rng.permutation(guesses)[:answers]
    others = np.setdiff1d(np.arange(guesses), members)
    for g in others[: len(others) // 3]:
        responses[g] = rng.permutation(codes)[responses[rng.integers(guesses)]]
    responses[members, np.arange(answers)] = codes  # the response to the answer itself is `solved`, and no other is
    responses = responses.astype(np.uint8 if codes < 256 else np.uint16)
    responses.setflags(write=False)
    return RandomTable(responses, members, codes)


@st.composite
def small_tables(draw: st.DrawFn) -> RandomTable:
    """Games small enough for the naive twin: with few codes and with many, and dull ones that take many guesses."""
    if draw(st.booleans()):
        answers = draw(st.integers(6, 9))
        guesses, codes = answers + draw(st.integers(0, 5)), draw(st.sampled_from([2, 3]))
        return random_table(
            draw(st.integers(0, 2**32)), answers, guesses, codes, draw(st.sampled_from([0.5, 0.7, 0.9]))
        )
    answers = draw(st.integers(3, 12))
    guesses = draw(st.integers(answers, 40))
    codes = draw(st.sampled_from([2, 3, 4, 5, 8, 20, 100, 300]))
    return random_table(draw(st.integers(0, 2**32)), answers, guesses, codes)


def plain_total(table: RandomTable, answers: Sequence[int], guesses_left: int) -> int:
    """The least total by a plain depth-first search: guesses by their sum of 2s - 1, the only bound, until it ends."""

    responses = table.responses.tolist()

    @cache
    def best(rows: tuple[int, ...], left: int) -> int:
        n = len(rows)
        if left == 0 or (left == 1 and n > 1):
            return INFEASIBLE
        if n == 1:
            return 1
        found = INFEASIBLE
        partitions = [naive.partition(codes, rows) for codes in responses]
        lowers = [n + sum(2 * len(b) - 1 for r, b in buckets.items() if r != table.solved) for buckets in partitions]
        for lower, buckets in sorted(zip(lowers, partitions, strict=True), key=lambda pair: pair[0]):
            if lower >= found:
                break
            if len(buckets) == 1:
                continue
            parts = [tuple(bucket) for r, bucket in buckets.items() if r != table.solved]
            found = min(found, n + sum(best(part, left - 1) for part in parts))
        return min(found, INFEASIBLE)

    return best(tuple(answers), min(guesses_left, len(answers)))
