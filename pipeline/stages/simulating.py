"""One run of the simulations, from the word lists to the comparison of all strategies."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from pipeline.export import contests as contests_page
from pipeline.runtime.place import Place
from pipeline.runtime.progress import Progress
from pipeline.runtime.screen import plain_console
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import Executor, run_stage
from pipeline.runtime.store import read_parts, write_parquet
from pipeline.stages.comparison import games_of, print_comparison, strategies_table, strategy_rows, title
from pipeline.stages.estimate import Foretold, tasks_estimate
from pipeline.stages.ingest import ingest_stage
from pipeline.stages.responses import responses_stage
from pipeline.stages.simulate import Contest, simulate_stage


def run_contests(
    contests: Sequence[Contest],
    outputs: Place,
    executor: Executor,
    progress: Progress,
    workers: int | None = None,
) -> None:
    """Plays every contest, and writes and shows what came of it; with `workers` each is estimated first."""
    rows: list[dict[str, Any]] = []
    sections = dict[str, list[dict[str, Any]]]()
    games: list[pa.Table] = []
    for contest in contests:
        ingest = run_stage(ingest_stage(contest.game), outputs, SerialExecutor(), progress)
        responses = run_stage(responses_stage(contest.game, ingest), outputs, executor, progress)
        stage = simulate_stage(contest, responses)
        foretold = Foretold(tasks_estimate(stage, workers), progress) if workers else None
        finished = run_stage(stage, outputs, executor, progress)
        played = read_parts(finished.parts)
        if foretold:
            cpu_seconds = float(played["seconds"].to_numpy().sum())
            foretold.compare(outputs, finished.computed == len(finished.parts), cpu_seconds)
        own = strategy_rows(contest, played)
        print_comparison(plain_console(), contest, own)
        rows += own
        sections[title(contest)] = own
        games.append(games_of(contest, played))
    write_parquet(outputs / "strategies.parquet", strategies_table(rows))
    write_parquet(outputs / "games.parquet", pa.concat_tables(games))
    (outputs / "strategies.html").write(contests_page.write(sections).encode())
    progress.say(f"results: {outputs / 'strategies.html'}, strategies.parquet, and every game in games.parquet there")
