"""The engine: the kernel with its working space for one response table, in indices. Knows no words.

A set of answers is an array of their indices, which are rows of the engine's columns.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from pipeline.game.entropy import log2_table
from pipeline.game.rules import Codes
from pipeline.search.beam import beam_total
from pipeline.search.bounds import INFEASIBLE, size_lower
from pipeline.search.columns import Columns, bare_columns, label_bytes, narrowed
from pipeline.search.jit import compiled
from pipeline.search.kernel import (
    STOPPED,
    Search,
    best_total,
    bucket_bounds,
    guess_bounds,
    guess_total,
    promising,
    split,
)
from pipeline.search.lemmas import new_log
from pipeline.search.outcome import Effort, SearchStoppedError
from pipeline.search.scan import NODES, SCANS, new_masks
from pipeline.search.table import LAST_TASK, answer_hashes, new_table

POLL_SECONDS = 0.2  # between two calls of a progress callback

Rows = NDArray[np.int32]
Bounds = NDArray[np.int64]
ProgressCallback = Callable[[Effort], None]


class Engine:
    """Solves sets of answers of one response table. One search at a time; `stop` may be called from anywhere."""

    def __init__(
        self,
        responses: Codes,
        members: NDArray[np.integer],
        solved: int,
        table_mib: float,
        width: int | None,
        label_mib: float = 256,
    ) -> None:
        """At most so many MiB are used for the transposition table, and for labels of all guesses and answers."""
        guesses, answers = responses.shape
        codes = int(responses.max()) + 1
        self.search = Search(
            responses=responses,
            members=members.astype(np.int32),
            hashes=answer_hashes(answers),
            codes=codes,
            solved=solved,
            table=new_table(table_mib),
            task=1,
            masks=new_masks(guesses),
            sizes=np.zeros(codes, np.int32),
            tallies=np.zeros(3, np.int64),
            stop=np.zeros(1, np.int64),
            found=np.zeros(1, np.int64),
            most=0,
            lemmas=new_log(0),
        )
        self.width = width
        self.logs = log2_table(answers) if width else np.zeros((1, 2), np.int64)
        self.is_member = np.zeros(guesses, bool)
        self.is_member[members] = True
        self.columns: Columns = bare_columns(responses, self.search.members, codes)
        if label_bytes(self.columns) <= label_mib * 2**20:
            rows = np.arange(answers, dtype=np.int32)
            self.columns = narrowed(self.columns, responses, self.search.hashes, codes, rows, False)
        self.search = self.search._replace(most=int(self.columns.buckets[0]))

    def forget(self) -> None:
        """Empties the transposition table and the lemmas: what follows depends on nothing searched before."""
        self.search.lemmas.counts[:] = 0
        task = self.search.task + 1
        if task > LAST_TASK:
            self.search.table[:] = 0
            task = 1
        self.search = self.search._replace(task=task)

    def log_lemmas(self, answers: int) -> None:
        """Every lower bound above the static one is noted from now on; there is room for so many answers."""
        self.search = self.search._replace(lemmas=new_log(answers))

    def has_all_lemmas(self) -> bool:
        """Whether there was room for every lemma since `forget`."""
        log = self.search.lemmas
        return bool(log.counts[0] <= len(log.facts) and log.counts[1] <= len(log.answers))

    def noted(self) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
        """The lemmas since `forget`: their answers, and their facts, as in LemmaLog; none where there is no room."""
        log = self.search.lemmas
        if not len(log.answers):
            return log.answers.copy(), log.facts.copy()
        return log.answers[: log.counts[1]].copy(), log.facts[: log.counts[0]].copy()

    def stop(self) -> None:
        self.search.stop[0] = 1

    def effort(self) -> Effort:
        tallies = self.search.tallies
        return Effort(int(tallies[NODES]), int(tallies[SCANS]), time.process_time())

    def run(self, call: Callable[[], int], progress: ProgressCallback | None = None) -> int:
        """The result of a kernel call; with a callback it runs in a thread, so that the callback sees it at work."""
        self.search.found[0] = -1
        result: list[int] = []
        if progress is None:
            result.append(call())
        else:
            before = self.effort()
            thread = threading.Thread(target=lambda: result.append(call()))
            thread.start()
            try:
                while thread.is_alive():
                    thread.join(POLL_SECONDS)
                    progress(since(before, self.effort()))
            except BaseException:  # also an interrupt: the kernel must not go on alone
                self.stop()
                thread.join()
                self.search.stop[0] = 0  # this was for it alone
                raise
        if result[0] == STOPPED:
            self.search.stop[0] = 0
            raise SearchStoppedError("the search was stopped")
        return int(result[0])

    def best(
        self,
        rows: Rows,
        guesses_left: int,
        budget: int = INFEASIBLE,
        progress: ProgressCallback | None = None,
    ) -> int:
        """As `best_total` of kernel.py, over all guesses; with a beam width the least total within the beam."""
        if self.width:
            self.forget()  # what the table remembers of beams is totals without guesses
            return self.run(
                lambda: beam_total(self.search, self.columns, rows, guesses_left, self.width, self.logs), progress
            )
        return self.run(lambda: best_total(self.search, self.columns, rows, guesses_left, budget), progress)

    def found(self) -> int:
        """The best guess of the last search, -1 if it ended without expanding a node or without beating its budget."""
        return int(self.search.found[0])

    def buckets(self, rows: Rows, g: int) -> list[Rows]:
        """The buckets of guess g that are not solved, the largest first."""
        grouped, ends = np.empty(len(rows), np.int32), np.empty(len(rows) + 1, np.int32)
        k = split(self.search, self.columns, rows, g, grouped, ends)
        return [grouped[ends[b] : ends[b + 1]] for b in range(k)]

    def quick(self, rows: Rows, g: int, guesses_left: int, budget: int) -> tuple[int, Rows, Rows, Bounds, Bounds]:
        """(total, grouped, ends, lowers, uppers) of guess g: a sum of quick bounds that stops at the budget.

        Bucket b is grouped[ends[b] : ends[b + 1]], the largest first, without the solved one.
        """
        n, columns = len(rows), self.columns
        grouped, ends = np.empty(n, np.int32), np.empty(n + 1, np.int32)
        lowers, uppers = np.empty(n, np.int64), np.empty(n, np.int64)
        _, total = guess_bounds(self.search, columns, rows, g, guesses_left)
        k = split(self.search, columns, rows, g, grouped, ends)
        total = bucket_bounds(self.search, columns, grouped, ends, k, total, guesses_left - 1, budget, lowers, uppers)
        return int(total), grouped, ends[: k + 1], lowers[:k], uppers[:k]

    def optimal(self, rows: Rows, guesses_left: int, total: int) -> Iterator[int]:
        """Every guess that reaches the least total, which is given, in the order of the tie rule.

        The tie rule: a guess that may still be the answer first, then one of the answer list, then guess-list order.
        """
        here = set(self.search.members[rows].tolist())
        if len(rows) == 1:
            yield from here
            return
        listed = np.empty(len(self.columns.guesses), np.int32)
        count, _ = promising(self.search, self.columns, rows, 3 * len(rows) - total - 1, listed)
        for g in sorted(listed[:count].tolist(), key=lambda g: (g not in here, not self.is_member[g], g)):
            if self.total_of(rows, g, guesses_left, total + 1) == total:
                yield g

    def totals_below(self, rows: Rows, guesses_left: int, budget: int, known: dict[int, int]) -> dict[int, int]:
        """Every guess that tells anything and whose total is below the budget, with it; those known are left out."""
        listed = np.empty(len(self.columns.guesses), np.int32)
        count, _ = promising(self.search, self.columns, rows, 3 * len(rows) - budget, listed)
        fresh = [g for g in listed[:count].tolist() if g not in known]
        totals = {g: self.total_of(rows, g, guesses_left, budget) for g in fresh}
        return {g: total for g, total in totals.items() if total < budget}

    def ordered(self, rows: Rows, guesses_left: int, budget: int) -> list[int]:
        """Every guess that may have a total below the budget, the most promising first."""
        listed = np.empty(len(self.columns.guesses), np.int32)
        count, _ = promising(self.search, self.columns, rows, 3 * len(rows) - budget, listed)
        keys = [guess_bounds(self.search, self.columns, rows, g, guesses_left)[0] for g in listed[:count]]
        return [int(listed[c]) for c in np.argsort(np.array(keys, np.int64), kind="stable")]

    def share(self, rows: Rows, guesses_left: int, budget: int, share: int, shares: int) -> int:
        """As `best`, with only every shares-th of the ordered guesses as the next one, from `share` on."""
        best = budget
        for g in self.ordered(rows, guesses_left, budget)[share::shares]:
            best = min(best, self.total_of(rows, g, guesses_left, best))
        return best

    def total_of(self, rows: Rows, g: int, guesses_left: int, budget: int) -> int:
        """As `guess_total` of kernel.py."""
        return self.run(lambda: guess_total(self.search, self.columns, rows, g, guesses_left, budget))


def since(before: Effort, now: Effort) -> Effort:
    return Effort(now.nodes - before.nodes, now.scans - before.scans, now.seconds - before.seconds)


def make_engine(
    responses: Codes,
    members: NDArray[np.integer],
    solved: int,
    table_mib: float = 64,
    width: int | None = None,
    label_mib: float = 256,
) -> Engine:
    """An engine whose kernel is compiled, by this process or by another one on this machine."""
    compile_kernel(responses.dtype, width)
    return Engine(responses, members, solved, table_mib, width, label_mib)


def compile_kernel(dtype: np.dtype[np.unsignedinteger], width: int | None = None) -> None:
    """Compiles what an engine for response tables of this type calls, unless that has been done on this machine."""
    compiled(f"normal-{dtype}", lambda: first_calls(dtype))
    if width:
        compiled(f"beam-{dtype}", lambda: first_beam(dtype))


def compile_ahead(dtype: np.dtype[np.unsignedinteger], width: int | None = None) -> None:
    """Begins to compile beside whatever comes first; `compile_kernel` then waits for what is left of it."""

    def work() -> None:
        with suppress(Exception):  # told by compile_kernel, which tries again
            compile_kernel(dtype, width)

    threading.Thread(target=work, daemon=True).start()


def compile_kernels(names: Iterable[str]) -> None:
    """The same for several types, by name: what every node of a cluster does before its first task."""
    for name in names:
        compile_kernel(np.dtype(name))


def first_calls(dtype: np.dtype[np.unsignedinteger]) -> None:
    """Calls everything jitted but beams, on a game of four answers, with the types that real games have."""
    engine, rows = four_answers(dtype, None)
    engine.quick(rows, 0, 4, INFEASIBLE)
    list(engine.optimal(rows, 4, engine.best(rows, 4)))
    size_lower(4, 3, 4)


def first_beam(dtype: np.dtype[np.unsignedinteger]) -> None:
    engine, rows = four_answers(dtype, 2)
    engine.best(rows, 4)


def four_answers(dtype: np.dtype[np.unsignedinteger], width: int | None) -> tuple[Engine, Rows]:
    responses = np.array([[9 if g == a else (g + 1) * a % 3 for a in range(4)] for g in range(6)], dtype)
    responses.setflags(write=False)
    rows = np.arange(4, dtype=np.int32)
    return Engine(responses, rows, 9, 0, width), rows
