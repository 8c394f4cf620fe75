"""What the simulations found: one row per contest and strategy, all games, and a table to look at."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipeline.stages.simulate import Contest
from pipeline.strategies.selfplay import spread

ROWS = pa.schema(
    [
        pa.field("strategy", pa.string(), nullable=False),
        pa.field("game", pa.string(), nullable=False),
        pa.field("mode", pa.string(), nullable=False),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("ties", pa.string(), nullable=False),
        pa.field("opener", pa.string(), nullable=False),
        pa.field("games", pa.int32(), nullable=False),
        pa.field("total", pa.int64(), nullable=False),
        pa.field("mean", pa.float64(), nullable=False),
        pa.field("sd", pa.float64(), nullable=False),
        pa.field("worst", pa.int32(), nullable=False),  # the most guesses that a game took
        pa.field("worst_answers", pa.list_(pa.string()), nullable=False),  # whose games took that many
        pa.field("losses", pa.int32(), nullable=False),  # games beyond max_guesses; all are played until solved
        pa.field("histogram", pa.list_(pa.int32()), nullable=False),  # games of 1, 2, 3, ... guesses
    ]
)
BARS = " ▁▂▃▄▅▆▇█"


def strategy_rows(contest: Contest, games: pa.Table) -> list[dict[str, Any]]:
    """One row per strategy of the contest, the best mean first."""
    rows = [strategy_row(contest, name, games.filter(pc.equal(games["strategy"], name))) for name in contest.strategies]
    return sorted(rows, key=lambda row: (row["total"], contest.strategies.index(row["strategy"])))


def strategy_row(contest: Contest, name: str, games: pa.Table) -> dict[str, Any]:
    guesses = games["guesses"].to_numpy()
    cap, worst = contest.game.max_guesses, int(guesses.max())
    return {
        "strategy": name,
        "game": contest.name,
        "mode": str(contest.mode),
        "rule": str(contest.game.rule),
        "ties": contest.manner.ties,
        "opener": games["path"][0][0].as_py(),
        "games": len(guesses),
        "total": int(guesses.sum()),
        "mean": int(guesses.sum()) / len(guesses),
        "sd": spread(guesses),
        "worst": worst,
        "worst_answers": games.filter(pc.equal(games["guesses"], worst))["answer"].to_pylist(),
        "losses": 0 if cap is None else int((guesses > cap).sum()),
        "histogram": np.bincount(guesses)[1:].tolist(),
    }


def strategies_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=ROWS)


def games_of(contest: Contest, games: pa.Table) -> pa.Table:
    """Every game with its contest, without statistics."""
    place = {name: i for i, name in enumerate(contest.strategies)}
    answers = {word: a for a, word in enumerate(contest.game.answers)}
    keys = zip(games["strategy"].to_pylist(), games["answer"].to_pylist(), strict=True)
    order = sorted(range(len(games)), key=[(place[name], answers[word]) for name, word in keys].__getitem__)
    ordered = games.drop_columns(["seconds"]).take(pa.array(order, pa.int64()))
    for i, (name, value) in enumerate((("game", contest.name), ("mode", contest.mode), ("rule", contest.game.rule))):
        ordered = ordered.add_column(i, name, pa.array([str(value)] * len(ordered), pa.string()))
    return ordered


def print_comparison(console: Console, contest: Contest, rows: Sequence[dict[str, Any]]) -> None:
    """The strategies side by side; the last column shows how many games took 1, 2, ... guesses."""
    count = f"{rows[0]['games']:,} answers" if rows else "no games"
    view = Table(title=f"{title(contest)}: {count}", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("strategy", "opener", "mean", "sd", "most", "lost", "1, 2, ..."):
        left = name in ("strategy", "opener") or name.startswith("1")
        view.add_column(name, justify="left" if left else "right", no_wrap=True)
    for row in rows:
        numbers = (f"{row['mean']:.4f}", f"{row['sd']:.3f}", str(row["worst"]), str(row["losses"]))
        view.add_row(row["strategy"], row["opener"], *numbers, sparks(row["histogram"]))
    console.print(view)


def title(contest: Contest) -> str:
    return f"{contest.name}, {contest.mode} mode, rule {contest.game.rule}, ties {contest.manner.ties}"


def sparks(histogram: Sequence[int]) -> str:
    """A bar per number of guesses, so that a row can be seen at a glance."""
    most = max(histogram)
    return "".join(BARS[-(-count * (len(BARS) - 1) // most)] for count in histogram)
