"""Stage `responses`: the response of every guess to every answer, in blocks of guesses."""

import numpy as np
import pyarrow as pa

from pipeline.game.game import Game
from pipeline.game.rules import Codes, response_rows
from pipeline.runtime.place import Place
from pipeline.runtime.stage import Finished, Shared, Stage, Task
from pipeline.runtime.store import tables

BLOCK_BYTES = 2**20


def table_bytes(game: Game) -> int:
    """The size of the whole table."""
    return len(game.guesses) * row_bytes(game)


def row_bytes(game: Game) -> int:
    return len(game.answers) * game.code_type.itemsize


def guess_blocks(game: Game) -> tuple[Task, ...]:
    """The guesses in blocks of about one MiB of table; depends on the game alone."""
    rows = max(1, BLOCK_BYTES // row_bytes(game))
    starts = range(0, len(game.guesses), rows)
    ends = [min(start + rows, len(game.guesses)) for start in starts]
    return tuple(
        Task(f"{start:06d}-{end:06d}", {"start": start, "end": end}) for start, end in zip(starts, ends, strict=True)
    )


def responses_stage(game: Game, ingest: Finished) -> Stage:
    options = {"rule": game.rule}
    return Stage(
        "responses", 1, options, (ingest.fingerprint,), lambda: [guess_blocks(game)], run, lambda: {"game": game}
    )


def run(task: Task, shared: Shared) -> pa.Table:
    """One row per guess: the number of its buckets and its response to every answer, in answer-list order."""
    game: Game = shared["game"]
    guesses = game.guesses[task.data["start"] : task.data["end"]]
    codes = response_rows(game.rule, guesses, game.answers)
    rows = pa.FixedSizeListArray.from_arrays(pa.array(codes.reshape(-1)), len(game.answers))
    buckets = pa.array([int(np.count_nonzero(np.bincount(row))) for row in codes], pa.int32())
    return pa.table({"guess": pa.array(guesses, pa.string()), "buckets": buckets, "responses": rows})


def response_table(game: Game, responses: Finished) -> Codes:
    """The whole table in one read-only array, shape (guesses, answers)."""
    table = np.empty((len(game.guesses), len(game.answers)), game.code_type)
    start = 0
    for part in tables(responses.parts, ["responses"]):
        rows = part["responses"].combine_chunks()
        table[start : start + len(rows)] = rows.flatten().to_numpy().reshape(len(rows), -1)
        start += len(rows)
    table.setflags(write=False)
    return table


def most_buckets(parts: list[Place]) -> int:
    """The most buckets any guess makes of all answers."""
    return max(int(np.max(rows["buckets"].to_numpy())) for rows in tables(parts, ["buckets"]))
