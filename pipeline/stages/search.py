"""Stage `search`: the total of every opener considered, exact or beaten, bucket by bucket.

A task is a list of units, each one piece of work for the solver:

    {opener, budget}                            all buckets, cheapest first, until the budget is met (None: no budget)
    {opener, response}                          one bucket, exactly
    {opener, response, probe}                   one bucket, with its probe-th most promising guess as the next
    {opener, response, budget, share, shares}   one bucket, with every shares-th of its promising guesses

A task begins with an empty transposition table, so its rows depend on the task alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
import pyarrow as pa

from pipeline.game.game import Game
from pipeline.runtime.stage import Finished, Shared, Stage, Task, Watcher
from pipeline.search.bounds import INFEASIBLE
from pipeline.search.outcome import UNKNOWN, Buckets, Outcome, one_bucket
from pipeline.search.solver import Solver
from pipeline.stages.openers import Openers
from pipeline.stages.responses import response_table
from pipeline.stages.rounds import Unit, rounds

VERSION = 2
SOLVED = Outcome(0, 0, None, 0, 0.0)  # nothing more to guess
ROOM = 2**22  # for the answers of all lemmas of a task, to begin with
LEMMA = pa.struct(
    [
        ("answers", pa.list_(pa.uint16())),
        ("guesses_left", pa.uint16()),
        ("lower", pa.int32()),  # null means INFEASIBLE
        ("rests", pa.bool_()),  # whether it may rest on other lemmas
    ]
)
ROWS = pa.schema(
    [
        pa.field("opener", pa.string(), nullable=False),
        pa.field("response", pa.int32(), nullable=False),  # the bucket
        pa.field("size", pa.int32(), nullable=False),
        pa.field("share", pa.int32()),  # null in a probe
        pa.field("shares", pa.int32()),  # null where the bucket was searched whole
        pa.field("budget", pa.int64()),  # null means none
        pa.field("lower", pa.int64()),  # null means INFEASIBLE
        pa.field("upper", pa.int64()),  # null means unknown or INFEASIBLE
        pa.field("guess", pa.string()),  # the next guess of the strategy behind upper, if known
        pa.field("nodes", pa.int64(), nullable=False),  # statistics, like seconds
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("lemmas", pa.list_(LEMMA)),  # those of the whole task, on its first row
    ]
)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What the rows depend on besides the game."""

    openers: tuple[str, ...] | None  # None means all guesses
    top: int | None
    best: int
    budget: int | None
    order: str
    width: int | None
    table_mib: int
    certificate: bool = False  # whether the rows carry the lemmas of a certificate


def search_stage(
    game: Game, options: SearchOptions, openers: Openers, responses: Finished, rank: Finished, watcher: Watcher
) -> Stage:
    table = cache(lambda: response_table(game, responses))
    index = {word: g for g, word in enumerate(game.guesses)}

    def sizes(opener: str) -> dict[int, int]:
        counts = np.bincount(table()[index[opener]])
        return {int(response): int(counts[response]) for response in np.flatnonzero(counts)}

    def plan() -> Iterable[Sequence[Task]]:
        return rounds(game, openers, sizes, beam=options.width is not None)

    meaning = {
        "openers": None if options.openers is None else list(options.openers),
        "top": options.top,
        "best": options.best,
        "budget": options.budget,
        "order": options.order,
        "width": options.width,
        "table_mib": options.table_mib,
        "certificate": options.certificate,
        "max_guesses": game.max_guesses,
    }

    def shared() -> Shared:
        settings = {"width": options.width, "table_mib": options.table_mib, "key": stage.fingerprint}
        return {"game": game, "responses": table(), "certificate": options.certificate, **settings}

    inputs = (responses.fingerprint, rank.fingerprint)
    stage = Stage("search", VERSION, meaning, inputs, plan, run, shared, watcher)
    return stage


def run(task: Task, shared: Shared) -> pa.Table:
    """The rows of one task."""
    solver = solver_of(shared)
    while True:
        solver.forget()
        found = [(unit, buckets) for unit in task.data["units"] for buckets in searched(solver, unit)]
        if not shared["certificate"] or solver.engine.has_all_lemmas():
            break
        solver.engine.log_lemmas(2 * int(solver.engine.search.lemmas.counts[1]))  # there was not enough room
    return table_of(found, solver)


class Kept:
    """The solver of this worker, made once for all tasks of a run."""

    key: str | None = None
    solver: Solver | None = None


def solver_of(shared: Shared) -> Solver:
    if Kept.solver is None or Kept.key != shared["key"]:
        Kept.key = shared["key"]
        Kept.solver = Solver(shared["game"], shared["responses"], shared["table_mib"], shared["width"])
        Kept.solver.engine.log_lemmas(ROOM if shared.get("certificate") else 0)  # other stages use it too
    return Kept.solver


def searched(solver: Solver, unit: Unit) -> Iterator[Buckets]:
    """What becomes known of the buckets of a unit."""
    opener, budget, response = unit["opener"], unit.get("budget"), unit.get("response")
    if response is None:
        evaluation = solver.evaluate(opener, budget)
        seconds = evaluation.columns.seconds
        seconds[:1] += evaluation.outcome.seconds - seconds.sum()  # what the quick bounds of all buckets took
        yield evaluation.columns
        if opener in solver.answer_index:
            yield one_bucket(solver.game.solved, 1, SOLVED)
        return
    position = solver.bucket(opener, response)
    if response == solver.game.solved:
        outcome = SOLVED
    elif "probe" in unit:
        outcome = solver.probe(position, unit["probe"])
    elif "share" in unit:
        outcome = solver.solve_share(position, unit["share"], unit["shares"], budget)
    else:
        outcome = solver.solve(position)
    yield one_bucket(response, len(position.answers), outcome)


def table_of(found: Sequence[tuple[Unit, Buckets]], solver: Solver) -> pa.Table:
    """The rows, column by column: a search of all openers has a million of them."""
    units = [unit for unit, _ in found]
    places = pa.array(np.repeat(np.arange(len(found)), [len(buckets.sizes) for _, buckets in found]))
    responses, sizes, lowers, uppers, guesses, nodes, seconds = zip(*(buckets for _, buckets in found), strict=True)
    lower, upper = np.concatenate(lowers), np.concatenate(uppers)
    columns = {
        "opener": pa.array([unit["opener"] for unit in units]).take(places),
        "response": np.concatenate(responses),
        "size": np.concatenate(sizes),
        "share": pa.array([unit.get("share") for unit in units], pa.int32()).take(places),
        "shares": pa.array([0 if "probe" in unit else unit.get("shares") for unit in units], pa.int32()).take(places),
        "budget": pa.array([unit.get("budget") for unit in units], pa.int64()).take(places),
        "lower": pa.array(lower, mask=lower >= INFEASIBLE),
        "upper": pa.array(upper, mask=(upper >= INFEASIBLE) | (upper == UNKNOWN)),
        "guess": pa.array(chain.from_iterable(guesses), pa.string()),
        "nodes": np.concatenate(nodes),
        "seconds": np.concatenate(seconds),
        "lemmas": lemma_column(len(places), solver),
    }
    return pa.table(columns, schema=ROWS)


def lemma_column(rows: int, solver: Solver) -> pa.ListArray:
    """All lemmas of the task on its first row, none on the others."""
    answers, facts = solver.engine.noted()
    starts = np.concatenate([[0], np.cumsum(facts[:, 0])]).astype(np.int32)
    columns = [
        pa.ListArray.from_arrays(starts, answers),
        pa.array(facts[:, 1].astype(np.uint16)),
        pa.array(facts[:, 2], mask=facts[:, 2] >= INFEASIBLE),
        pa.array(facts[:, 3] == 1),
    ]
    ends = np.full(rows + 1, len(facts), np.int32)
    ends[0] = 0
    return pa.ListArray.from_arrays(ends, pa.StructArray.from_arrays(columns, fields=list(LEMMA)))
