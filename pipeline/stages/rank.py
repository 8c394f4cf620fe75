"""Stage `rank`: every guess as an opener, by every heuristic, with a static lower bound on its total."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.game.game import Game
from pipeline.runtime.stage import Finished, Shared, Stage, Task
from pipeline.runtime.store import read_parts
from pipeline.search.bounds import guess_lower
from pipeline.stages.responses import guess_blocks, most_buckets, response_table
from pipeline.strategies.ranking import MORE_IS_BETTER, BucketColumns, LetterColumns, bucket_sizes

SCHEMA = pa.schema(
    [
        pa.field("guess", pa.string(), nullable=False),
        pa.field("is_answer", pa.bool_(), nullable=False),
        pa.field("buckets", pa.int32(), nullable=False),
        pa.field("largest_bucket", pa.int32(), nullable=False),
        pa.field("expected_size", pa.float64(), nullable=False),
        pa.field("entropy", pa.float64(), nullable=False),
        pa.field("remaining_entropy", pa.float64(), nullable=False),
        pa.field("lower", pa.int64(), nullable=False),
        pa.field("two_guess_wins", pa.int32(), nullable=False),
        pa.field("letter_entropy", pa.float64()),  # the letter columns are null where a response counts pegs
        pa.field("letter_frequency", pa.float64()),
        pa.field("letter_frequency_global", pa.int64()),
    ]
)


class NotSupportedError(ValueError):
    """The configuration asks for something that a stage cannot honour yet."""


def rank_stage(game: Game, responses: Finished) -> Stage:
    if game.is_weighted:
        raise NotSupportedError("stage rank cannot honour game.weights yet; set game.weights=null")

    def shared() -> Shared:
        table = response_table(game, responses)
        return {"game": game, "responses": table, "most_buckets": most_buckets(responses.parts)}

    return Stage("rank", 1, {}, (responses.fingerprint,), lambda: [guess_blocks(game)], run, shared)


def run(task: Task, shared: Shared) -> pa.Table:
    """One row per guess of the block, in list order."""
    game: Game = shared["game"]
    answers = set(game.answers)
    of_buckets = BucketColumns(len(game.answers))
    of_letters = LetterColumns(game.answers) if game.rule.marks_letters else None
    rows = []
    for g in range(task.data["start"], task.data["end"]):
        guess = game.guesses[g]
        sizes, is_answer = bucket_sizes(shared["responses"][g]), guess in answers
        lower = guess_lower(sizes, is_answer, shared["most_buckets"])
        letters = of_letters.row(guess) if of_letters else {}
        rows.append({"guess": guess, "is_answer": is_answer, "lower": lower, **of_buckets.row(sizes), **letters})
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def ranked(rank: Finished, by: str) -> pa.Table:
    """Every guess, best first by that column; ties: a guess that may be the answer first, then list order."""
    table = read_parts(rank.parts)
    return table.take(pa.array(ranking_order(table, by)))


def ranking_order(table: pa.Table, by: str) -> NDArray[np.int64]:
    column = table[by]
    if column.null_count:
        raise NotSupportedError(
            f"rank.by={by} counts letters, but this game's responses count pegs; try rank.by=entropy"
        )
    values = column.to_numpy()
    keys = -values if MORE_IS_BETTER[by] else values
    not_answer = ~table["is_answer"].to_numpy()
    return np.lexsort((np.arange(len(keys)), not_answer, keys))
