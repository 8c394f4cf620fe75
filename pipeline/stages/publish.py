"""From the result of a search to files for people: trees in every format, the explorer, the report."""

from dataclasses import dataclass
from typing import Any

from pipeline.export import csv_tree, domsleee, dot, explorer, json_tree, olson, table, text
from pipeline.export.explorer import Known
from pipeline.game.game import Game
from pipeline.game.tree import Tree, TreeError
from pipeline.runtime.place import Place
from pipeline.runtime.progress import Progress
from pipeline.runtime.stage import Executor, Finished, run_stage
from pipeline.runtime.store import write_parquet
from pipeline.search.bounds import INFEASIBLE
from pipeline.stages.aggregate import SHOWN, aggregate_stage, aggregated
from pipeline.stages.openers import Status
from pipeline.stages.searching import Search

NAMES = {  # format -> file
    "json": "tree.json",
    "txt": "tree.txt",
    "csv": "tree.csv",
    "olson": "tree.olson.json",
    "domsleee": "tree.domsleee.json",
    "dot": "tree.dot",
    "html": "tree.html",
}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Which files are written, and how."""

    formats: tuple[str, ...]
    trees: int  # at most so many openers get a tree
    hollow: bool
    order: str


def publish_trees(
    game: Game, search: Search, options: ExportOptions, responses: Finished, executor: Executor, progress: Progress
) -> Tree | None:
    """Writes the trees of the best openers; returns the best one's. None, said so, where there is none to write."""
    chosen = [opener.word for opener in search.openers.exact()[: min(search.options.best, options.trees)]]
    why = "export.trees=0" if options.trees == 0 else why_none(search, chosen)
    if why:
        progress.say(f"no tree is written: {why}")
        return None
    stage = aggregate_stage(game, chosen, responses, search.options.table_mib)
    found = aggregated(game, chosen, run_stage(stage, search.outputs, executor, progress))
    for opener, (tree, best) in found.items():
        folder = search.outputs if opener == chosen[0] else search.outputs / "trees" / folder_name(opener)
        write_parquet(folder / "tree.parquet", table.table(tree))
        write_formats(folder, tree, known(search, opener, best), options, progress)
    return found[chosen[0]][0]


def why_none(search: Search, chosen: list[str]) -> str | None:
    if search.options.width is not None:
        return f"search.width={search.options.width} gives upper bounds only"
    if not search.openers.is_decided:
        return "the search is not complete; the same command goes on"
    if not chosen:
        return "no opener has an exact total"
    return None


def known(search: Search, opener: str, best: Any) -> Known:
    """What the explorer says besides the tree: the exact openers, what all others cost at least, best guesses."""
    exact = [(item.word, item.lower) for item in search.openers.exact()]
    mine = dict(exact)[opener]
    first = [item for item in exact[:SHOWN] if item[0] != opener]
    openers = sorted([(opener, mine), *first], key=lambda item: item[1])[:SHOWN]
    return Known(openers, others_text(search, len(exact) - len(openers)), best)


def others_text(search: Search, more: int) -> str:
    """What is known of the openers that are not shown; `more` of them are exact."""
    rest = [item.lower for item in search.openers if item.status is not Status.EXACT]
    least = min(rest, default=INFEASIBLE)
    if sum(1 for _ in search.openers) < len(search.game.guesses):
        return "Other openers: unknown."
    if least < INFEASIBLE:
        return f"Every opener that was not evaluated exactly has at least {least:,}."
    if rest:
        return f"Every opener that was not evaluated exactly cannot guarantee {search.game.max_guesses} guesses."
    return "All other openers are exact, too, and not better." if more else "There are no other openers."


def write_formats(folder: Place, tree: Tree, known: Known, options: ExportOptions, progress: Progress) -> None:
    writers = {
        "json": lambda: json_tree.write(tree),
        "txt": lambda: text.write(tree, options.hollow, options.order),
        "csv": lambda: csv_tree.write(tree),
        "olson": lambda: olson.write(tree),
        "domsleee": lambda: domsleee.write(tree),
        "dot": lambda: dot.write(tree),
        "html": lambda: explorer.write(tree, known),
    }
    for name in options.formats:
        try:
            (folder / NAMES[name]).write(writers[name]().encode())
        except TreeError as error:
            progress.say(f"{NAMES[name]} is not written: {error}")
    if "dot" in options.formats:
        for kind, picture in dot.drawn(dot.write(tree)).items():
            (folder / f"tree.{kind}").write(picture)


def remove_old(outputs: Place) -> None:
    """Before a search begins: nothing of an earlier one may be taken for a result of it, even if it is stopped."""
    found = ("result.json", "openers.parquet", "progress.json", "estimate.json")  # the claim goes first
    drawn = ("tree.parquet", "tree.svg", "tree.pdf", "report.html")
    there = {file.name for file in outputs.files()}
    for name in (*found, *drawn, *NAMES.values()):
        if name in there:
            (outputs / name).remove()
    (outputs / "trees").remove_tree()
    (outputs / "certificate").remove_tree()


def folder_name(word: str) -> str:
    """The word as the name of a folder: letters and digits as they are, anything else by its bytes."""
    return "".join(c if c.isalnum() else "".join(f"%{byte:02X}" for byte in c.encode()) for c in word)
