"""Plots as inline SVG that takes its colours from the page, so that it reads in light and dark. Knows only numbers."""

import io
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

INK, BAR = "#010203", "#040506"  # stand for the page's colours, which take their place
FROM_PAGE = {INK: "currentColor", BAR: "var(--bar)"}
WIDTH, HEIGHT = 6.4, 3.0


def histogram(counts: Mapping[int, int]) -> str:
    """How many answers take so many guesses."""

    def draw(axes: Any) -> None:
        bars = axes.bar(list(counts), list(counts.values()), color=BAR)
        axes.set_xticks(list(counts))
        axes.bar_label(bars, [f"{count:,}" for count in counts.values()], color=INK)
        axes.set_xlabel("guesses")
        axes.set_ylabel("answers")
        axes.margins(y=0.15)

    return figure("guesses", draw)


def distribution(values: Sequence[int], label: str) -> str:
    """How often values occur, in up to sixty steps."""

    def draw(axes: Any) -> None:
        axes.hist(values, bins=min(60, max(values) - min(values) + 1), color=BAR)
        axes.set_xlabel(label)
        axes.set_ylabel("openers")

    return figure("bounds", draw)


def scatters(totals: Sequence[int], ranks: Mapping[str, Sequence[float]]) -> str:
    """One small plot per heuristic: its rank of every opener against the exact total."""
    columns = 2
    rows = -(-len(ranks) // columns)

    def draw(grid: Any) -> None:
        cells = list(grid.flat)
        for axes, (name, places) in zip(cells, ranks.items(), strict=False):
            axes.scatter(places, totals, s=6, color=BAR, linewidths=0)
            axes.set_title(name, fontsize=9, color=INK)
        for axes in cells[len(ranks) :]:
            axes.set_visible(False)

    return figure("heuristics", draw, rows, columns)


def means(rows: Sequence[tuple[str, float, float]], name: str) -> str:
    """(who, mean, standard deviation), the first on top: a dot for the mean, a line for the deviation each way."""
    height = 0.6 + 0.24 * len(rows)

    def draw(axes: Any) -> None:
        places = range(len(rows))
        values, spreads = ([row[i] for row in rows] for i in (1, 2))
        axes.errorbar(values, places, xerr=spreads, fmt="o", markersize=4, color=BAR, elinewidth=1)
        axes.set_yticks(places, [escaped(row[0]) for row in rows])
        for place, value in zip(places, values, strict=True):
            axes.annotate(f"{value:.4f}", (value, place), (0, 4), textcoords="offset points", fontsize=7, ha="center")
        axes.invert_yaxis()
        axes.set_xlabel("guesses: mean and standard deviation")
        axes.margins(y=0.6 / max(len(rows), 1))

    return figure(name, draw, height=height)


def escaped(text: str) -> str:
    """Without what matplotlib would take for a formula."""
    return text.replace("$", r"\$")


def figure(name: str, draw: Any, rows: int = 1, columns: int = 1, height: float = HEIGHT) -> str:
    """An SVG element; ids within it begin with what the name gives, so that several fit one page."""
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style = dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK)
    plain = {"svg.fonttype": "none", "svg.hashsalt": name, "font.size": 9, "axes.spines.top": False}
    with rc_context({**style, **plain, "axes.spines.right": False, "font.family": "sans-serif"}):
        drawn = Figure(figsize=(WIDTH, height if rows == 1 else 1.9 * rows), layout="constrained")
        draw(drawn.subplots(rows, columns, squeeze=rows * columns == 1))
        out = io.StringIO()
        FigureCanvasSVG(drawn).print_svg(out, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = out.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r"fill: #ffffff|fill: white", "fill: none", svg)  # the page's own background shows through
    svg = re.sub(r"(id=\"|url\(#|href=\"#)", rf"\g<1>{name}-", svg)
    for stand_in, colour in FROM_PAGE.items():
        svg = svg.replace(stand_in, colour)
    return svg.replace("<svg", f'<svg role="img" aria-label="plot of {name}"', 1)
