"""What a run tells its user: tables on the terminal, result.json, openers.parquet, statistics.json."""

import json
from importlib.metadata import version
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

from pipeline.game.game import Game, words_digest
from pipeline.runtime.place import Place
from pipeline.runtime.screen import print_table
from pipeline.runtime.store import write_json
from pipeline.search.bounds import INFEASIBLE
from pipeline.stages.openers import Openers, Status

NO_PROOF = ("rejected", "malformed")  # what the checker says of a certificate of what is not so
SHOWN = ("entropy", "expected_size", "buckets", "largest_bucket", "two_guess_wins", "lower")  # fits 80 columns


def print_ranking(console: Console, table: pa.Table, by: str, show: int) -> None:
    """The first openers of a ranked table."""
    if not show:
        return
    view = Table(title=f"Best openers by {by} ({table.num_rows:,} guesses)", title_justify="left")
    shown = dict.fromkeys(("guess", "is_answer", by, *SHOWN))  # by first, once
    for name in shown:
        view.add_column(name.replace("_", "\n"), justify="left" if name == "guess" else "right", no_wrap=True)
    for row in table.slice(0, show).to_pylist():
        view.add_row(*(cell(row[name]) for name in shown))
    print_table(console, view)


def cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def write_result(place: Place, game: Game, openers: Openers, scope: str, options: dict[str, Any]) -> dict[str, Any]:
    """result.json: what is proven at this moment and what is not. No timings."""
    exact, lower = openers.exact(), openers.lower()
    incumbent = openers.incumbent()
    certificate = options["certificate"]
    proven = openers.is_decided and not (certificate and certificate["status"] in NO_PROOF)
    total = exact[0].lower if proven and exact else None
    result: dict[str, Any] = {
        "game": told_game(game),
        **options,
        "max_guesses": game.max_guesses,
        "scope": scope,
        "openers": sum(1 for _ in openers),
        "best_opener": exact[0].word if total is not None else None,
        "optimal_openers": [opener.word for opener in exact if opener.lower == total],
        "total": total,
        "mean": None if total is None else total / len(game.answers),
        "incumbent": incumbent.word if incumbent else None,
        "lower": None if lower >= INFEASIBLE else lower,
        "upper": incumbent.upper if incumbent else None,
        "proven": proven,
        "status": {str(status): openers.count(status) for status in Status},
        "versions": {package: version(package) for package in ("wordle-pipeline", "numba", "numpy", "pyarrow")},
    }
    write_json(place, result)
    return result


def told_game(game: Game) -> dict[str, Any]:
    """What result.json says of a game."""
    return {
        "guesses": len(game.guesses),
        "answers": len(game.answers),
        "guesses_sha256": words_digest(game.guesses),
        "answers_sha256": words_digest(game.answers),
        "rule": str(game.rule),
    }


def result_game(place: Place) -> object:
    """What the result.json of a folder says of its game; None if there is none."""
    try:
        return dict(json.loads((place / "result.json").read()))["game"]
    except (FileNotFoundError, KeyError, RecursionError, TypeError, ValueError):
        return None


def openers_table(openers: Openers, rank: pa.Table) -> pa.Table:
    """One row per opener considered: exact ones first, best first, then in the order they were searched."""
    first = openers.exact()
    exact = {opener.word for opener in first}
    ordered = first + [opener for opener in openers if opener.word not in exact]
    places = pc.index_in(pa.array([opener.word for opener in ordered]), rank["guess"])
    helpful = rank.select(["buckets", "largest_bucket", "expected_size", "entropy"]).take(places)
    own = pa.table(
        {
            "opener": pa.array([opener.word for opener in ordered], pa.string()),
            "lower": pa.array([None if o.lower >= INFEASIBLE else o.lower for o in ordered], pa.int64()),
            "upper": pa.array([opener.upper for opener in ordered], pa.int64()),
            "status": pa.array([str(opener.status) for opener in ordered], pa.string()),
            "is_answer": pa.array([opener.is_answer for opener in ordered], pa.bool_()),
        }
    )
    for name in helpful.schema.names:
        own = own.append_column(name, helpful[name].combine_chunks())
    return own


def verdict(result: dict[str, Any]) -> str:
    """The result in one sentence or two."""
    whom = scope_text(result)
    if not result["proven"]:
        known = f"best so far {result['incumbent']} with {result['upper']:,}" if result["incumbent"] else "none known"
        lower = "none" if result["lower"] is None else f"{result['lower']:,}"
        return f"NOT PROVEN over {whom}: {known}; proven lower bound {lower}."
    if result["best_opener"] is None and result["lower"] is None:
        cap = result["max_guesses"]
        return f"PROVEN over {whom}: none can guarantee {cap} guess{'' if cap == 1 else 'es'}."
    if result["best_opener"] is None:
        return f"PROVEN over {whom}: none has a total below {result['lower']:,}."
    others, best = result["optimal_openers"][1:], result["best_opener"]
    total = f"total {result['total']:,}, mean {result['mean']:.4f}"
    if result["openers"] == 1:
        rest = "other openers were not considered" if result["scope"] == "listed" else "there is no other opener"
        return f"PROVEN: {best} has {total}; {rest}."
    alone = "no other is as good" if result["scope"] == "all" else "no other of them is as good"
    ties = f"ties: {', '.join(others)}" if others else alone
    return f"PROVEN over {whom}: {best} is best, {total}; {ties}."


def scope_text(result: dict[str, Any]) -> str:
    """Of which openers a result speaks."""
    if result["openers"] == 1:
        return "the only opener" if result["scope"] == "all" else "the one opener listed"
    return (
        f"all {result['openers']:,} openers"
        if result["scope"] == "all"
        else f"the {result['openers']:,} openers listed"
    )


def print_exact(console: Console, openers: Openers, answers: int, show: int) -> None:
    """The exact openers, best first."""
    exact = openers.exact()
    if not show or not exact:
        return
    view = Table(title=f"Exact openers ({len(exact):,} of {sum(1 for _ in openers):,})", title_justify="left")
    for name in ("opener", "total", "mean", "is\nanswer"):
        view.add_column(name, justify="left" if name == "opener" else "right")
    for opener in exact[:show]:
        view.add_row(opener.word, f"{opener.lower:,}", f"{opener.lower / answers:.4f}", cell(opener.is_answer))
    console.print(view)
