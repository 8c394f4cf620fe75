"""Trees of any origin, replayed on the same lists: what each costs, and where it first differs."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipeline.export.reading import tree_of
from pipeline.game.game import Game
from pipeline.game.tree import Tree, TreeError
from pipeline.runtime.place import Place


def compare_trees(console: Console, game: Game, places: list[Place]) -> None:
    """Prints one row per tree; raises TreeError at the first file that is none of this game."""
    if not places:
        raise TreeError("trees=[]: give the files to compare, as in trees=[a.json,b.txt]")
    trees = [tree_of(str(place), place.size() or 0, place.read, game) for place in places]
    title = f"Trees replayed on {len(game.answers):,} answers"
    view = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("tree", "opener", "total", "mean", "worst", "histogram", "first difference"):
        is_number = name in ("total", "mean", "worst")
        wraps = name in ("tree", "histogram", "first difference")
        view.add_column(name, justify="right" if is_number else "left", no_wrap=not wraps, overflow="fold")
    for place, tree in zip(places, trees, strict=True):
        counts = " ".join(f"{turn}:{count}" for turn, count in tree.histogram().items())
        cells = (tree.root.guess, f"{tree.total:,}", f"{tree.mean:.4f}", str(tree.worst), counts)
        difference = "-" if tree is trees[0] else first_difference(trees[0], tree)
        view.add_row(str(place), *cells, difference)
    console.print(view)


def first_difference(one: Tree, other: Tree) -> str:
    """The first node, from the root down by response, where two trees guess differently."""
    waiting = [(0, 0)]
    while waiting:
        here, there = waiting.pop()
        if one.word(here) != other.word(there):
            return f"{other.path(there)} instead of {one.word(here)}"
        pairs = [(node, other.below[there][response]) for response, node in one.below[here].items()]
        waiting += reversed(pairs)
    return "none"
