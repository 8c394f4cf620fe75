"""Domsleee's JSON: {guess, next: {"+?_": node}}, + green, ? yellow, _ grey; the solved response repeats the guess."""

from typing import Any

from pipeline.export.nested import (
    Built,
    built,
    compare_solved,
    compared,
    digits,
    dumped,
    field,
    loaded,
    require_letters,
    walked,
)
from pipeline.game.game import Game
from pipeline.game.tree import Tree, TreeError


def write(tree: Tree) -> str:
    game = tree.game
    require_letters(game, "domsleee")

    def node(index: int, below: dict[int, Built]) -> Built:
        following = {digits(response, game.length, "_?+"): child for response, child in below.items()}
        if tree.finds[index]:
            following["+" * game.length] = {"guess": tree.word(index), "next": {}}
        return {"guess": tree.word(index), "next": following}

    return dumped(built(tree, node))


def read(game: Game, text: str) -> Tree:
    return from_value(game, loaded(text))


def from_value(game: Game, value: Any) -> Tree:
    require_letters(game, "domsleee")
    solved = "+" * game.length

    def below(node: Any) -> tuple[str, dict[str, Any]]:
        following = field(node, "next", dict)
        return field(node, "guess", str), {text: child for text, child in following.items() if text != solved}

    def compare(node: int, read: Any) -> None:
        end = read["next"].get(solved)
        if end is not None and (field(end, "next", dict), end.get("guess")) != ({}, read["guess"]):
            raise TreeError(f"{tree.path(node)} {solved}: this is solved, so only the guess should be here")
        compare_solved(tree, node, end is not None or not read["next"])

    tree = walked(game, value, below)
    compared(tree, value, below, compare)
    return tree
