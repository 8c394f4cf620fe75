"""Olson's JSON: {guess, map: {"10020": word or node}, depth, ranking: {counts}}, with digits 0, 1, 2."""

from collections import Counter
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
    told,
    walked,
)
from pipeline.game.game import Game
from pipeline.game.tree import Tree, TreeError

PREFIX = "export default "  # as a script module holds it


def write(tree: Tree) -> str:
    game = tree.game
    require_letters(game, "olson")

    def node(index: int, below: dict[int, Built]) -> Built:
        nodes = slice(index, int(tree.ends[index]))
        turns = tree.turns[nodes][tree.finds[nodes]] - tree.turns[index]
        counts = Counter(turns.tolist())
        following: dict[str, Any] = {
            digits(response, game.length, "012"): child if child["depth"] else child["guess"]
            for response, child in below.items()
        }
        if tree.finds[index]:
            following["2" * game.length] = tree.word(index)
        ranking = {"counts": [counts[turn] for turn in range(max(counts) + 1)]}
        return {"guess": tree.word(index), "map": following, "depth": max(counts), "ranking": ranking}

    return dumped(built(tree, node))


def read(game: Game, text: str) -> Tree:
    return from_value(game, loaded(text.removeprefix(PREFIX).rstrip().removesuffix(";")))


def from_value(game: Game, value: Any) -> Tree:
    require_letters(game, "olson")
    solved = "2" * game.length

    def below(node: Any) -> tuple[str, dict[str, Any]]:
        if isinstance(node, str):
            return node, {}
        following = field(node, "map", dict)
        return field(node, "guess", str), {text: child for text, child in following.items() if text != solved}

    def compare(node: int, read: Any) -> None:
        if isinstance(read, str):
            return
        end = read["map"].get(solved)
        if end is not None and end != read["guess"]:
            raise TreeError(f"{tree.path(node)} {solved}: this is solved, so the guess should be here, not {told(end)}")
        compare_solved(tree, node, end is not None)

    tree = walked(game, value, below)
    compared(tree, value, below, compare)
    return tree
