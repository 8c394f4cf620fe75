"""Stage `aggregate`: the decision trees of the best openers, bucket by bucket, and the best guesses in each bucket."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from pipeline.game.game import Game
from pipeline.game.tree import Decision, Tree
from pipeline.runtime.stage import Finished, Shared, Stage, Task
from pipeline.runtime.store import read_parts
from pipeline.stages.responses import response_table
from pipeline.stages.rounds import bucket_cost, packed
from pipeline.stages.search import solver_of

SHOWN = 5  # the best guesses of a bucket that are told with their totals
TOLD_COST = 200_000  # in buckets that cost more only the tree's own guess is told: others may cost many times that
VERSION = 1
ROWS = pa.schema(
    [
        pa.field("opener", pa.string(), nullable=False),
        pa.field("bucket", pa.int32(), nullable=False),  # the response to the opener
        pa.field("node", pa.int32(), nullable=False),  # within the bucket
        pa.field("parent", pa.int32(), nullable=False),  # -1 is the opener
        pa.field("response", pa.int32(), nullable=False),
        pa.field("guess", pa.string(), nullable=False),
        pa.field("best", pa.list_(pa.struct([("guess", pa.string()), ("total", pa.int64())]))),  # at node 0 only
    ]
)
BestGuesses = Mapping[int, Sequence[tuple[str, int]]]  # response to the opener -> its best guesses, with totals


def aggregate_stage(game: Game, openers: Sequence[str], responses: Finished, table_mib: int) -> Stage:
    """The trees of openers whose totals are exact; without a bucket that is INFEASIBLE."""

    def plan() -> list[list[Task]]:
        table = response_table(game, responses)
        places = {word: g for g, word in enumerate(game.guesses)}
        units = []
        for opener in openers:
            sizes = np.bincount(table[places[opener]])
            units += [
                {"opener": opener, "response": int(response), "cost": 10 * bucket_cost(game, int(sizes[response]))}
                for response in np.flatnonzero(sizes)
                if response != game.solved
            ]
        return [packed("trees", sorted(units, key=lambda unit: -unit["cost"]))]

    def shared() -> Shared:
        settings = {"width": None, "table_mib": table_mib, "key": stage.fingerprint}
        return {"game": game, "responses": response_table(game, responses), **settings}

    options = {"openers": list(openers), "max_guesses": game.max_guesses, "shown": SHOWN}
    stage = Stage("aggregate", VERSION, options, (responses.fingerprint,), plan, run, shared)
    return stage


def run(task: Task, shared: Shared) -> pa.Table:
    """The nodes below the buckets of one task."""
    solver = solver_of(shared)
    solver.forget()
    rows = []
    for unit in task.data["units"]:
        position = solver.bucket(unit["opener"], unit["response"])
        shown = SHOWN if bucket_cost(solver.game, len(position.answers)) <= TOLD_COST else 1
        best = [{"guess": guess, "total": total} for guess, total in solver.best_totals(shown, position)]
        for node, (parent, response, guess) in enumerate(solver.expand(position).decisions()):
            own = {"opener": unit["opener"], "bucket": unit["response"], "best": best if node == 0 else None}
            rows.append({**own, "node": node, "parent": parent, "response": response, "guess": guess})
    return pa.Table.from_pylist(rows, schema=ROWS)


def aggregated(game: Game, openers: Sequence[str], finished: Finished) -> dict[str, tuple[Tree, BestGuesses]]:
    """The tree of every opener with the best guesses after each first response."""
    decisions: dict[str, list[Decision]] = {opener: [(-1, -1, opener)] for opener in openers}
    best: dict[str, dict[int, list[tuple[str, int]]]] = {opener: {} for opener in openers}
    begin = 0
    for row in read_parts(finished.parts).to_pylist() if finished.parts else []:
        nodes = decisions[row["opener"]]
        if row["node"] == 0:
            begin = len(nodes)
            best[row["opener"]][row["bucket"]] = [(item["guess"], item["total"]) for item in row["best"]]
            nodes.append((0, row["bucket"], row["guess"]))
        else:
            nodes.append((begin + row["parent"], row["response"], row["guess"]))
    return {opener: (Tree(game, decisions[opener]), best[opener]) for opener in openers}
