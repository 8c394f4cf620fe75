"""One run of the search, from the ranking to its results: honest at every moment, also when it is stopped."""

import difflib
import hashlib
import json
from typing import Any

import pyarrow as pa

from pipeline.game.game import Game
from pipeline.game.words import WordListError
from pipeline.runtime.place import Place
from pipeline.runtime.progress import Progress
from pipeline.runtime.stage import Executor, Finished, run_stage
from pipeline.runtime.store import write_json, write_parquet
from pipeline.search.engine import compile_kernel
from pipeline.stages.openers import Opener, Openers
from pipeline.stages.rounds import FIRST, beat_cost, bucket_cost
from pipeline.stages.search import SearchOptions, search_stage
from pipeline.stages.summary import openers_table, verdict, write_result
from pipeline.stages.watch import OutOfTimeError, SearchWatcher


class Search:
    """The openers considered and all that becomes known of them, with the files that say so."""

    def __init__(
        self, game: Game, options: SearchOptions, order: pa.Table, time_limit: float | None, outputs: Place
    ) -> None:
        """`order` is the ranking by which openers are taken."""
        self.game, self.options, self.rank, self.outputs = game, options, order, outputs
        self.considered = considered(options, order)
        place = {word: g for g, word in enumerate(game.guesses)}
        facts = (self.considered[name].to_pylist() for name in ("guess", "is_answer", "buckets", "lower"))
        openers = [Opener(word, place[word], *others) for word, *others in zip(*facts, strict=True)]
        self.openers = Openers(openers, len(game.answers), options.best, options.budget, options.width is not None)
        self.scope = "all" if options.openers is None and options.top is None else "listed"
        self.certificate: dict[str, str] | None = None
        cost = whole_cost(game, self.considered, options)
        self.watcher = SearchWatcher(self.openers, cost, time_limit, outputs, self.write_result)

    def run(self, responses: Finished, rank: Finished, executor: Executor, progress: Progress) -> Finished | None:
        """Until everything is decided, or the time is over (None); the files tell the truth however this ends."""
        stage = search_stage(self.game, self.options, self.openers, responses, rank, self.watcher)
        try:
            self.write_result()
            compile_kernel(self.game.code_type, self.options.width)  # here, where its user can see it
            self.watcher.begin()  # compiling is not a part of the search
            return run_stage(stage, self.outputs, executor, progress)
        except OutOfTimeError:
            progress.say("the time limit is over: stopped with the bounds proven so far; the same command goes on")
            return None
        finally:
            self.write_result()
            write_parquet(self.outputs / "openers.parquet", openers_table(self.openers, self.rank))
            write_json(self.outputs / "progress.json", self.watcher.state())
            self.write_statistics(stage.fingerprint)

    def write_statistics(self, fingerprint: str) -> None:
        """statistics.json; one that was written while this very search computed says more than one of a rerun."""
        place = self.outputs / "statistics.json"
        try:
            is_known = json.loads(place.read())["search"] == fingerprint
        except (FileNotFoundError, KeyError, TypeError, ValueError):
            is_known = False
        if self.watcher.new_tasks or not is_known:
            write_json(place, {"search": fingerprint, **self.watcher.statistics()})

    def write_result(self) -> dict[str, Any]:
        settings = {"mode": "normal", "objective": "mean", "width": self.options.width, "best": self.options.best}
        said = settings | {"certificate": self.certificate}
        return write_result(self.outputs / "result.json", self.game, self.openers, self.scope, said)

    def verdict(self) -> str:
        return verdict(self.write_result())


def check_openers(game: Game, options: SearchOptions) -> None:
    """Raises WordListError at the first opener that is no guess."""
    known = set(game.guesses)
    for word in options.openers or ():
        if word not in known:
            near = difflib.get_close_matches(word, game.guesses, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise WordListError(f"openers: {word!r} is not in the guess list{hint}")


def sampled(game: Game, count: int) -> tuple[str, ...]:
    """A fixed sample of the guesses: those whose words have the least digests, whatever else is on the list."""
    return tuple(sorted(game.guesses, key=lambda word: hashlib.sha256(word.encode()).digest())[:count])


def considered(options: SearchOptions, order: pa.Table) -> pa.Table:
    """The rows of the ranking that the search considers, in its order."""
    if options.openers is None:
        return order if options.top is None else order.slice(0, options.top)
    places = {word: i for i, word in enumerate(order["guess"].to_pylist())}
    return order.take(pa.array(sorted({places[word] for word in options.openers})))


def whole_cost(game: Game, table: pa.Table, options: SearchOptions) -> int:
    """An estimate of all the work, in the unit of rounds.py: the first round exact, the others beaten."""
    rows = table.select(["buckets", "expected_size"]).to_pylist()
    first = len(rows) if options.budget is None and options.best >= len(rows) else max(FIRST, options.best)
    most = max(row["buckets"] for row in rows)
    exact = sum(bucket_cost(game, 1) * row["buckets"] + square_cost(game, row["expected_size"]) for row in rows[:first])
    beaten = sum(beat_cost(game, row["buckets"], most) for row in rows[first:])
    return int(exact + beaten)


def square_cost(game: Game, expected_size: float) -> int:
    """The sum of squares of the bucket sizes, as bucket_cost counts it."""
    return round(expected_size * len(game.answers)) * len(game.guesses) // 12_972
