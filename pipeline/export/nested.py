"""Nested JSON, which three formats share: built and read without recursion of ours. Executes and fetches nothing."""

import json
from collections.abc import Callable
from typing import Any

from pipeline.game.game import Game
from pipeline.game.rules import ResponseError, shown
from pipeline.game.tree import Decision, Tree, TreeError

Built = dict[str, Any]
Below = Callable[[Any], tuple[str, dict[str, Any]]]  # a node as it was read -> its guess, and what follows by response


def built(tree: Tree, make: Callable[[int, dict[int, Built]], Built]) -> Built:
    """The root as `make(node, {response: what is below})` gives it, from the leaves up."""
    found: list[Built | None] = [None] * len(tree)
    for node in reversed(range(len(tree))):
        below: dict[int, Built] = {}
        for response, child in tree.below[node].items():
            part = found[child]
            assert part is not None
            below[response], found[child] = part, None
        found[node] = make(node, below)
    assert found[0] is not None
    return found[0]


def dumped(value: Built) -> str:
    """One line of JSON; raises TreeError where the nesting is deeper than JSON libraries take."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
    except RecursionError:
        raise TreeError("the tree is too deep for nested JSON") from None


def loaded(text: str) -> Any:
    """Any JSON value; raises TreeError where it is none or too deep."""
    try:
        return json.loads(text, parse_constant=refused, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise TreeError("nested too deeply to be a tree") from None
    except ValueError as error:
        raise TreeError(f"no JSON: {error}") from None


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise TreeError(f"{twice!r} is there twice")
    return found


def refused(constant: str) -> None:
    raise TreeError(f"{constant} is no JSON")


def walked(game: Game, root: Any, below: Below) -> Tree:
    """The tree of nested nodes; `below` leaves out what follows `solved`."""
    decisions: list[Decision] = []
    waiting: list[tuple[int, int, Any]] = [(-1, -1, root)]
    while waiting:
        parent, response, node = waiting.pop()
        guess, following = below(node)
        for text, child in following.items():
            try:
                code = game.rule.parse(text, game.length)
            except ResponseError as error:
                raise TreeError(f"below {shown(guess)}: {error}") from None
            waiting.append((len(decisions), code, child))
        decisions.append((parent, response, guess))
    return Tree(game, decisions)


def compared(tree: Tree, root: Any, below: Below, compare: Callable[[int, Any], None]) -> None:
    """Calls `compare` with every node of the tree and what the tree was read from there."""
    game, waiting = tree.game, [(0, root)]
    while waiting:
        node, read = waiting.pop()
        compare(node, read)
        _, following = below(read)
        waiting += [(tree.below[node][game.rule.parse(text, game.length)], child) for text, child in following.items()]


def compare_solved(tree: Tree, node: int, is_stated: bool) -> None:
    """Raises TreeError unless the solved response is there exactly where the guess may be the answer."""
    if is_stated != bool(tree.finds[node]):
        what = "the solved response is missing" if tree.finds[node] else "solved, though it cannot be the answer here"
        raise TreeError(f"{tree.path(node)}: {what}")


def field(node: Any, name: str, kind: type, default: Any = None) -> Any:
    """A member of a JSON object, of the kind it must have."""
    if not isinstance(node, dict):
        raise TreeError(f"an object with {name!r} should be here, not {told(node)}")
    value = node.get(name, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TreeError(f"{name!r} should be {kind.__name__}, not {told(value)}")
    return value


def told(value: Any) -> str:
    """A JSON value as a message may quote it; of what holds others only the kind."""
    return f"a {type(value).__name__}" if isinstance(value, dict | list) else shown(str(value))


def digits(response: int, length: int, symbols: str) -> str:
    """A letter response in three symbols: grey, yellow, green."""
    return "".join(symbols[response // 3**i % 3] for i in reversed(range(length)))


def require_letters(game: Game, name: str) -> None:
    if not game.rule.marks_letters:
        raise TreeError(f"format {name} marks letters; this game counts pegs")
