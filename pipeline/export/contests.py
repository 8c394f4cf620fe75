"""strategies.html: how the strategies of every contest played, side by side on one page, from plain data."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.export import plots
from pipeline.export.page import page
from pipeline.export.report import STYLE, plotted, rows_table

HEADS = ("strategy", "opener", "total", "mean", "sd", "most", "lost", "games of 1, 2, ... guesses")


def write(contests: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """`contests`: what was played -> a row of strategies.parquet per strategy, best first."""
    sections = [section(i, title, rows) for i, (title, rows) in enumerate(contests.items(), 1)]
    body = "<main>\n<h1>Strategies</h1>\n" + "\n".join(sections) + "\n</main>"
    return page("Strategies", STYLE + "td:first-child { white-space: nowrap; }", body)


def section(number: int, title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    plot = plots.means([(row["strategy"], row["mean"], row["sd"]) for row in rows], f"contest-{number}")
    played = f"every strategy against {rows[0]['games']:,} answers" if rows else "nobody played"
    return f"<h2>{html.escape(title)}</h2>\n{plotted(plot, played)}\n{rows_table(HEADS, [cells(row) for row in rows])}"


def cells(row: Mapping[str, Any]) -> tuple[object, ...]:
    figures = (row["total"], f"{row['mean']:.4f}", f"{row['sd']:.3f}", row["worst"], row["losses"])
    return (row["strategy"], row["opener"], *figures, " ".join(f"{count:,}" for count in row["histogram"]))
