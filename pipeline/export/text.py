"""Selby's text: one line per answer, `salet BBBBB1 courd BBBBB2 ... GGGGG4`, no header and no blank lines.

In the hollow form what a line shares with the one before is blank. Responses are sorted by `order`, a permutation of
b, g, y; where a game counts pegs, by code.
"""

from pipeline.game.game import Game
from pipeline.game.rules import ResponseError, shown
from pipeline.game.tree import Decision, Tree, TreeError


def write(tree: Tree, hollow: bool = True, order: str = "bgy") -> str:
    game = tree.game

    def key(response: int) -> tuple[int, ...]:
        if not game.rule.marks_letters:
            return (response,)
        return tuple(order.index(mark) for mark in tree.text(response))

    lines, last = list[str](), ""
    waiting: list[tuple[str, int | None]] = [("", 0)]  # how a line begins, and the node that comes next
    while waiting:
        line, node = waiting.pop()
        if node is None:
            lines.append(blanked(line, last) if hollow else line)
            last = line
            continue
        following: dict[int, int | None] = {**tree.below[node], **({game.solved: None} if tree.finds[node] else {})}
        for response in sorted(following, key=key, reverse=True):
            child, turn = following[response], tree.turns[node]
            step = f"{line}{tree.word(node)} {tree.text(response).upper()}{turn}"
            waiting.append((step if child is None else f"{step} ", child))
    return "".join(f"{line}\n" for line in lines)


def blanked(line: str, last: str) -> str:
    """The line with the words it shares with the last one blank."""
    shared = 0
    for here, there in zip(line.split(" "), last.split(" "), strict=False):
        if here != there:
            break
        shared += len(here) + 1
    return " " * shared + line[shared:]


def read(game: Game, text: str) -> Tree:
    """Either form, in any order of lines."""
    decisions: list[Decision] = []
    rows: dict[tuple[int, int], int] = {}
    found: set[int] = set()
    last = ""
    for number, given in enumerate(text.removesuffix("\n").split("\n"), start=1):
        given = given.rstrip("\r")
        blank = len(given) - len(given.lstrip(" "))
        if blank > len(last):
            raise TreeError(f"line {number}: {blank} blanks, but the line above has {len(last)} characters")
        last = last[:blank] + given[blank:]
        try:
            add_line(game, last, decisions, rows, found)
        except (TreeError, ResponseError) as error:
            raise TreeError(f"line {number}: {error}") from None
    return Tree(game, decisions)


def add_line(
    game: Game, line: str, decisions: list[Decision], rows: dict[tuple[int, int], int], found: set[int]
) -> None:
    """Takes in one game; `rows` are the decisions by parent and response, `found` those that end a game."""
    words = line.split(" ")
    if len(words) % 2 or not all(words):
        raise TreeError(f"{shown(line)} is not `guess RESPONSE1 guess RESPONSE2 ...`")
    parent, response = -1, -1
    for turn, (guess, step) in enumerate(zip(words[::2], words[1::2], strict=True), start=1):
        if response == game.solved:
            raise TreeError(f"a guess after the solved response: {shown(guess)}")
        row = rows.setdefault((parent, response), len(decisions))
        if row == len(decisions):
            decisions.append((parent, response, guess))
        elif decisions[row][2] != guess:
            raise TreeError(f"{shown(guess)} is guessed where an earlier line has {shown(decisions[row][2])}")
        if not step.endswith(str(turn)):
            raise TreeError(f"{shown(step)} should end in {turn}, its turn")
        parent, response = row, game.rule.parse(step.removesuffix(str(turn)), game.length)
    if response != game.solved:
        raise TreeError(f"the line ends with {shown(words[-1])}, which is not solved")
    if parent in found:
        raise TreeError(f"{shown(words[-2])} is found twice")
    found.add(parent)
