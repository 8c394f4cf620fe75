"""Our own JSON: nested nodes under a header that says which game it is of. docs/formats.md describes it."""

from typing import Any

from pipeline.export.nested import Built, built, compared, dumped, field, loaded, told, walked
from pipeline.game.game import Game, words_digest
from pipeline.game.tree import Tree, TreeError

FORMAT = "wordle-pipeline tree 1"


def write(tree: Tree) -> str:
    game = tree.game

    def node(index: int, below: dict[int, Built]) -> Built:
        made: Built = {"guess": tree.word(index)}
        if below:
            made |= {"answers": int(tree.sizes[index]), "total": int(tree.totals[index])}
            made["next"] = {tree.text(response): child for response, child in below.items()}
        return made

    return dumped(
        {
            "format": FORMAT,
            "max_guesses": game.max_guesses,
            **header(game),
            "total": tree.total,
            "tree": built(tree, node),
        }
    )


def read(game: Game, text: str) -> Tree:
    return from_value(game, loaded(text))


def from_value(game: Game, value: Any) -> Tree:
    found = field(value, "format", str)
    if found != FORMAT:
        raise TreeError(f"format {told(found)} is not {FORMAT!r}")
    for name, right in header(game).items():
        if field(value, name, type(right)) != right:
            raise TreeError(
                f"{name!r} is {told(value[name])}, but {told(right)} in this game;"
                " the tree is of another game: set game=... or game.guesses and game.answers to the one it was made for"
            )
    tree = walked(game, value.get("tree"), below)
    stated = field(value, "total", int)
    if stated != tree.total:
        raise TreeError(f"the file states a total of {stated:,}, but its tree has {tree.total:,} on these lists")

    def compare(node: int, read: Any) -> None:
        for name, right in (("answers", int(tree.sizes[node])), ("total", int(tree.totals[node]))):
            if field(read, name, int, right) != right:
                raise TreeError(f"{tree.path(node)}: {name!r} is {told(read[name])}, but {right:,} on these lists")

    compared(tree, value["tree"], below, compare)
    return tree


def header(game: Game) -> dict[str, str | int]:
    """What a file says of its game, but for the cap: a tree may be compared under another one."""
    return {
        "rule": str(game.rule),
        "guesses_sha256": words_digest(game.guesses),
        "answers_sha256": words_digest(game.answers),
        "answers": len(game.answers),
    }


def below(node: Any) -> tuple[str, dict[str, Any]]:
    return field(node, "guess", str), field(node, "next", dict, {})
