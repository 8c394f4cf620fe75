"""tree.html: a page to play a tree, browse it and look up answers; works from disk, with no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.export.page import page
from pipeline.game.tree import Tree


@dataclass(frozen=True, slots=True)
class Known:
    """What is known besides the tree: totals of openers, and of the best guesses after each first response.

    `others` says in a sentence what is known of every other opener.
    """

    openers: Sequence[tuple[str, int]]
    others: str
    best: Mapping[int, Sequence[tuple[str, int]]]


def write(tree: Tree, known: Known) -> str:
    game = tree.game
    data = {
        "letters": game.rule.marks_letters,
        "length": game.length,
        "solved": game.solved,
        "cap": game.max_guesses,
        "parents": tree.parents.tolist(),
        "responses": tree.responses.tolist(),
        "guesses": [tree.word(node) for node in range(len(tree))],
        "finds": tree.finds.astype(int).tolist(),
        "openers": known.openers,
        "others": known.others,
        "best": {str(response): list(guesses) for response, guesses in sorted(known.best.items())},
    }
    folder = Path(__file__).parent
    style, body, script = ((folder / f"explorer.{kind}").read_text("utf-8") for kind in ("css", "html", "js"))
    return page(f"{tree.root.guess}: decision tree", style, body, data, script)
