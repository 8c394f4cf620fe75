"""report.html: a run on one page, from plain data. Escapes everything that may hold words of a list."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.export import plots
from pipeline.export.page import page
from pipeline.game.tree import Tree

HARDEST = 15
ENOUGH = 30  # exact openers from which on heuristics are compared
STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --ink: #1a1c20; --soft: #565c66; --line: #c3c8d0; --bar: #0b57b0; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14161a; --ink: #eceef2; --soft: #aab1bd; --line: #444b57; --bar: #8ab8ff; } }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
.claim { font-size: 1.2rem; font-weight: 600; border-left: .3rem solid var(--bar); padding-left: .8rem; }
.note { color: var(--soft); }
h2 { margin-top: 2rem; font-size: 1.15rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1rem .2rem 0;
  border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.word, td:first-child { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } svg { width: 100%; height: auto; max-width: 44rem; } figcaption { color: var(--soft); }
a { color: var(--bar); }
"""


@dataclass(frozen=True, slots=True)
class Correlation:
    """How well a heuristic ranks the exact openers: 1 is as the totals do, 0 not at all."""

    heuristic: str
    spearman: float
    kendall: float
    ranks: Sequence[float]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything the page says."""

    name: str  # of the run
    claim: str
    answers: int
    openers: Sequence[tuple[str, int | None, int | None, str]]  # word, lower, upper, status
    considered: int
    bounds: Sequence[int]  # the static lower bound of every guess as an opener
    tree: Tree | None
    has_explorer: bool  # tree.html lies beside the report
    totals: Sequence[int]  # of the exact openers
    correlations: Sequence[Correlation]  # empty where the exact openers are too few
    stages: Sequence[tuple[str, float, int, int]]  # name, seconds of this run, parts, of these reused
    statistics: Mapping[str, object]
    provenance: Mapping[str, object]


def write(report: Report) -> str:
    sections = [
        f"<h1>Report of {html.escape(report.name)}</h1>",
        f'<p class="claim" id="claim">{html.escape(report.claim)}</p>',
        openers_section(report),
        tree_section(report),
        "<h2>Static bounds of all openers</h2>",
        plotted(
            plots.distribution(report.bounds, "proven lower bound on the total, before any search"),
            f"all {len(report.bounds):,} guesses",
        ),
        heuristics_section(report),
        "<h2>Time and work</h2>",
        rows_table(("stage", "seconds", "parts", "reused"), report.stages),
        rows_table(("search", "value"), list(report.statistics.items())),
        "<h2>Provenance</h2>",
        rows_table(("what", "value"), list(report.provenance.items())),
    ]
    return page(f"Report of {report.name}", STYLE, "<main>\n" + "\n".join(sections) + "\n</main>")


def openers_section(report: Report) -> str:
    def mean(total: int | None) -> str:
        return "" if total is None else f"{total / report.answers:.4f}"

    rows = [(word, lower, upper, mean(upper), status) for word, lower, upper, status in report.openers]
    shown = "All" if len(rows) == report.considered else f"The first {len(rows):,} of"
    whom = f"{shown} {report.considered:,} openers" if report.considered > 1 else "The one opener"
    note = f"{whom} considered. Exact where both bounds are equal."
    heads = ("opener", "lower", "upper", "mean", "status")
    return f"<h2>Best openers</h2>\n{rows_table(heads, rows)}\n{paragraph(note)}"


def tree_section(report: Report) -> str:
    tree = report.tree
    if tree is None:
        return "<h2>Guesses</h2>\n" + paragraph("There is no tree of this run.")
    hardest = [(game[-1], len(game), " ".join(game)) for game in tree.hardest(HARDEST)]
    return "\n".join(
        [
            "<h2>Guesses</h2>",
            plotted(plots.histogram(tree.histogram()), f"the tree of {tree.root.guess}, at most {tree.worst} guesses"),
            '<p><a href="tree.html">Explore the tree</a></p>' if report.has_explorer else "",
            "<h2>Hardest answers</h2>",
            rows_table(("answer", "guesses", "game"), hardest),
        ]
    )


def heuristics_section(report: Report) -> str:
    head = "<h2>Heuristics against exact totals</h2>\n"
    if not report.correlations:
        known = f"{len(report.totals):,} exact openers are known here; this needs {ENOUGH}."
        if len(report.totals) >= ENOUGH:
            known = f"All {len(report.totals):,} exact openers have one total: there is no order to compare with."
        return head + paragraph(f"{known} `+experiment=heuristics` evaluates a fixed sample of 200.")
    rows = [(item.heuristic, f"{item.spearman:.3f}", f"{item.kendall:.3f}") for item in report.correlations]
    plot = plots.scatters(report.totals, {item.heuristic: item.ranks for item in report.correlations})
    note = f"Rank correlations over {len(report.totals):,} openers with exact totals; 1 is the order of the totals."
    heads = ("heuristic", "Spearman", "Kendall")
    return head + rows_table(heads, rows) + paragraph(note) + plotted(plot, "rank by the heuristic, exact total")


def plotted(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"


def paragraph(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'


def rows_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    def cell(value: object, tag: str) -> str:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        text = "" if value is None else f"{value:,}" if is_number else str(value)
        kind = ' class="n"' if is_number else ""
        return f"<{tag}{kind}>{html.escape(text)}</{tag}>"

    lines = ["".join(cell(head, "th") for head in heads)]
    lines += ["".join(cell(value, "td") for value in row) for row in rows]
    return '<div class="wide"><table>' + "\n".join(f"<tr>{line}</tr>" for line in lines) + "</table></div>"
