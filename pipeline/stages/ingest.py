"""Stage `ingest`: both word lists as one table. Everything later depends on its fingerprint."""

import pyarrow as pa

from pipeline.game.game import Game, words_digest
from pipeline.runtime.stage import Shared, Stage, Task


def ingest_stage(game: Game) -> Stage:
    options = {
        "guesses": len(game.guesses),
        "answers": len(game.answers),
        "guesses_sha256": words_digest(game.guesses),
        "answers_sha256": words_digest(game.answers),
        "weights": list(game.weights) if game.is_weighted else None,
    }
    return Stage("ingest", 1, options, (), lambda: [[Task("words", {})]], run, lambda: {"game": game})


def run(task: Task, shared: Shared) -> pa.Table:
    """One row per guess, in list order; `answer` is its place in the answer list, null if it is none."""
    game: Game = shared["game"]
    place = {word: a for a, word in enumerate(game.answers)}
    return pa.table(
        {
            "index": pa.array(range(len(game.guesses)), pa.int32()),
            "word": pa.array(game.guesses, pa.string()),
            "is_answer": pa.array([word in place for word in game.guesses], pa.bool_()),
            "answer": pa.array([place.get(word) for word in game.guesses], pa.int32()),
            "weight": pa.array([game.weights[place[w]] if w in place else None for w in game.guesses], pa.int64()),
        }
    )
