"""What a run has found, gathered for report.html and, in short, for the terminal."""

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console

from pipeline.export import report
from pipeline.export.report import ENOUGH, Correlation, Report
from pipeline.game.tree import Tree
from pipeline.runtime.progress import Progress
from pipeline.stages.searching import Search
from pipeline.stages.summary import openers_table, verdict
from pipeline.strategies.ranking import MORE_IS_BETTER

SHOWN = 20
Values = NDArray[np.float64]


def write_report(search: Search, rank: pa.Table, tree: Tree | None, progress: Progress) -> None:
    """report.html; `rank` holds every guess with every heuristic."""
    result = search.write_result()
    table = openers_table(search.openers, search.rank).slice(0, SHOWN).to_pylist()
    totals, correlations = compared(search, rank)
    game = {f"game.{key}": value for key, value in result["game"].items()}
    settings = {key: result[key] for key in ("max_guesses", "mode", "objective", "width", "best", "scope")}
    versions = {f"{name} version": text for name, text in result["versions"].items()}
    stages = [
        (name, item["seconds"], int(item["parts"]), int(item["reused"])) for name, item in progress.stages.items()
    ]
    statistics = {
        name.replace("_", " "): value for name, value in search.watcher.statistics().items() if name != "predictions"
    }
    page = report.write(
        Report(
            name=search.outputs.name,
            claim=verdict(result),
            answers=len(search.game.answers),
            openers=[(row["opener"], row["lower"], row["upper"], row["status"]) for row in table],
            considered=result["openers"],
            bounds=rank["lower"].to_pylist(),
            tree=tree,
            has_explorer=(search.outputs / "tree.html").exists(),
            totals=totals,
            correlations=correlations,
            stages=stages,
            statistics=statistics,
            provenance={**game, **settings, **versions, "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"},
        )
    )
    (search.outputs / "report.html").write(page.encode())


def print_report(console: Console, search: Search, rank: pa.Table, tree: Tree | None) -> None:
    """The report in a few lines."""
    if tree is not None:
        counts = ", ".join(f"{count:,} in {turn}" for turn, count in tree.histogram().items())
        hardest = ", ".join(game[-1] for game in tree.hardest(5))
        console.print(f"Guesses: {counts}; hardest: {hardest}", markup=False, highlight=False, soft_wrap=True)
    _, correlations = compared(search, rank)
    if correlations:
        shown = ", ".join(f"{item.heuristic} {item.spearman:.3f}" for item in correlations)
        console.print(f"Spearman's rank correlation with the total: {shown}", highlight=False, soft_wrap=True)


def compared(search: Search, rank: pa.Table) -> tuple[list[int], list[Correlation]]:
    """The totals of the exact openers, and how well each heuristic ranks them, best first; none if too few."""
    exact = {opener.word: opener.lower for opener in search.openers.exact()}
    places = {word: i for i, word in enumerate(rank["guess"].to_pylist()) if word in exact}
    totals = [exact[word] for word in places]
    if len(totals) < ENOUGH or len(set(totals)) == 1:
        return totals, []
    rows = rank.take(pa.array(list(places.values())))
    wanted = average_ranks(np.array(totals, np.float64))
    found = []
    for name, more_is_better in MORE_IS_BETTER.items():
        column = rows[name]
        if not column.null_count and len(column.unique()) > 1:
            values = column.to_numpy().astype(np.float64)
            ranks = average_ranks(-values if more_is_better else values)
            spearman = float(np.corrcoef(ranks, wanted)[0, 1])
            found.append(Correlation(name, spearman, kendall(ranks, wanted), ranks.tolist()))
    return totals, sorted(found, key=lambda item: -item.spearman)


def average_ranks(values: Values) -> Values:
    """Ranks from 1 on, the least value first; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Values = (ends - (counts - 1) / 2)[inverse]
    return ranks


def kendall(one: Values, other: Values) -> float:
    """Kendall's tau-b: agreement of all pairs, corrected for ties."""
    above = np.triu_indices(len(one), 1)
    x, y = (np.sign(values[:, None] - values[None, :])[above] for values in (one, other))
    return float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))
