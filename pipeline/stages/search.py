"""Stage `search`: the total of every opener considered, exact or beaten, bucket by bucket.

A task is a list of units, each one piece of work for the solver:

    {opener, budget}                            all buckets, cheapest first, until the budget is met (None: no budget)
    {opener, response}                          one bucket, exactly
    {opener, response, probe}                   one bucket, with its probe-th most promising guess as the next
    {opener, response, budget, share, shares}   one bucket, with every shares-th of its promising guesses

A task begins with an empty transposition table, so its rows depend on the task alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.game.game import Game
from pipeline.runtime.stage import Finished, Shared, Stage, Task, Watcher
from pipeline.search.bounds import INFEASIBLE
from pipeline.search.outcome import Outcome
from pipeline.search.solver import Solver
from pipeline.stages.openers import Openers
from pipeline.stages.responses import response_table
from pipeline.stages.rounds import Unit, rounds

VERSION = 2
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
        buckets = np.array([len(sizes(opener.word)) for opener in openers], np.int64)
        return rounds(game, openers, sizes, buckets, beam=options.width is not None)

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
        rows = [row for unit in task.data["units"] for row in unit_rows(solver, unit)]
        if not shared["certificate"] or solver.engine.has_all_lemmas():
            break
        solver.engine.log_lemmas(2 * int(solver.engine.search.lemmas.counts[1]))  # there was not enough room
    return with_lemmas(pa.Table.from_pylist(rows, schema=ROWS), solver)


def with_lemmas(rows: pa.Table, solver: Solver) -> pa.Table:
    """The rows, the first one with all lemmas of the task."""
    answers, facts = solver.engine.noted()
    starts = np.concatenate([[0], np.cumsum(facts[:, 0])]).astype(np.int32)
    columns = [
        pa.ListArray.from_arrays(starts, answers),
        pa.array(facts[:, 1].astype(np.uint16)),
        pa.array(facts[:, 2], mask=facts[:, 2] >= INFEASIBLE),
        pa.array(facts[:, 3] == 1),
    ]
    ends = np.full(rows.num_rows + 1, len(facts), np.int32)
    ends[0] = 0
    lemmas = pa.ListArray.from_arrays(ends, pa.StructArray.from_arrays(columns, fields=list(LEMMA)))
    return rows.set_column(rows.num_columns - 1, ROWS.field("lemmas"), lemmas)


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


def unit_rows(solver: Solver, unit: Unit) -> list[dict[str, Any]]:
    opener, budget = unit["opener"], unit.get("budget")
    if "response" not in unit:
        evaluation = solver.evaluate(opener, budget)
        rows = [row(unit, bucket.response, bucket.size, bucket.outcome) for bucket in evaluation.buckets]
        if rows:  # what the quick bounds of all buckets took is told with the first
            rows[0]["seconds"] += evaluation.outcome.seconds - sum(row["seconds"] for row in rows)
        return rows + ([solved_row(solver, unit)] if opener in solver.answer_index else [])
    if unit["response"] == solver.game.solved:
        return [solved_row(solver, unit)]
    position = solver.bucket(opener, unit["response"])
    if "probe" in unit:
        outcome = solver.probe(position, unit["probe"])
    elif "share" in unit:
        outcome = solver.solve_share(position, unit["share"], unit["shares"], budget)
    else:
        outcome = solver.solve(position)
    return [row(unit, unit["response"], len(position.answers), outcome)]


def solved_row(solver: Solver, unit: Unit) -> dict[str, Any]:
    return row(unit, solver.game.solved, 1, Outcome(0, 0, None, 0, 0.0))


def row(unit: Unit, response: int, size: int, outcome: Outcome) -> dict[str, Any]:
    shares = 0 if "probe" in unit else unit.get("shares")
    return {
        "opener": unit["opener"],
        "response": response,
        "size": size,
        "share": unit.get("share"),
        "shares": shares,
        "budget": unit.get("budget"),
        "lower": None if outcome.lower >= INFEASIBLE else outcome.lower,
        "upper": None if outcome.upper is None or outcome.upper >= INFEASIBLE else outcome.upper,
        "guess": outcome.guess,
        "nodes": outcome.nodes,
        "seconds": outcome.seconds,
    }
