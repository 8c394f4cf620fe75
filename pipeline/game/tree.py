"""Decision trees: a strategy in its finite form, checked as it is made. Knows nothing of how it was found or stored."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.game.game import Game
from pipeline.game.rules import response_rows, shown

Decision = tuple[int, int, str]  # the node above (-1 at the root), the response that leads here (-1), the guess
Indices = NDArray[np.int32]


class TreeError(ValueError):
    """What is no tree of its game; the message says where it goes wrong."""


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """The guess at a node and the subtree below each response that is not `solved`, for any position.

    `size` is the number of answers here, `total` the guesses they take together from this point on. The guess itself is
    one of the answers iff `is_answer`. Subtrees are keyed by response, in ascending order.
    """

    guess: str
    is_answer: bool
    size: int
    total: int
    subtrees: Mapping[int, "DecisionTree"]

    @property
    def depth(self) -> int:
        """The guesses that the hardest answer takes."""
        return 1 + max((subtree.depth for subtree in self.subtrees.values()), default=0)

    def games(self) -> Iterator[tuple[str, ...]]:
        """The guesses played for every answer, the answer last."""
        if self.is_answer:
            yield (self.guess,)
        for subtree in self.subtrees.values():
            for game in subtree.games():
                yield (self.guess, *game)

    def decisions(self) -> list[Decision]:
        """Every node as a row, those above first."""
        found: list[Decision] = []
        waiting = [(-1, -1, self)]
        while waiting:
            parent, response, node = waiting.pop()
            waiting += [(len(found), r, subtree) for r, subtree in node.subtrees.items()]
            found.append((parent, response, node.guess))
        return found


class Tree:
    """A strategy for all answers of a game, as one flat table: a Tree that exists is sound.

    Nodes are numbered from the root down, each subtree in one piece, by ascending response: one strategy has one table.
    Per node: `parents` and `responses` (-1 at the root), `guesses` (indices), `turns` (1 at the root), `sizes` (answers
    here), `totals` (guesses they take from here on), `finds` (the guess is one of them), `ends` (the node after the
    subtree).
    """

    def __init__(self, game: Game, decisions: Sequence[Decision]) -> None:
        """Raises TreeError unless every answer is reached once, by its own responses, within max_guesses."""
        self.game = game
        children = checked_children(game, decisions)
        order = preorder(children)
        place = {old: new for new, old in enumerate(order)}
        index = {word: g for g, word in enumerate(game.guesses)}
        self.parents: Indices = np.array([place.get(decisions[old][0], -1) for old in order], np.int32)
        self.responses: Indices = np.array([decisions[old][1] for old in order], np.int32)
        self.guesses: Indices = np.array([index[decisions[old][2]] for old in order], np.int32)
        self.turns: Indices = np.ones(len(order), np.int32)
        self.sizes: Indices = np.zeros(len(order), np.int32)
        self.finds: NDArray[np.bool_] = np.zeros(len(order), bool)
        self.below = [{r: place[old] for r, old in sorted(children[o].items())} for o in order]
        self.replay()
        self.totals = self.sizes.astype(np.int64)
        self.ends: Indices = np.arange(1, len(order) + 1, dtype=np.int32)
        for node in range(len(order) - 1, 0, -1):
            above = self.parents[node]
            self.totals[above] += self.totals[node]
            self.ends[above] = max(self.ends[above], self.ends[node])
        for array in (self.parents, self.responses, self.guesses, self.turns, self.sizes, self.finds, self.totals):
            array.setflags(write=False)

    @classmethod
    def of(cls, game: Game, tree: DecisionTree) -> "Tree":
        """The table of what `Solver.expand` gives for all answers of the game."""
        return cls(game, tree.decisions())

    def replay(self) -> None:
        """Plays every answer down the tree and notes turns, sizes and finds."""
        game = self.game
        waiting: list[tuple[int, tuple[str, ...]]] = [(0, game.answers)]
        while waiting:
            node, answers = waiting.pop()
            if self.parents[node] >= 0:
                self.turns[node] = self.turns[self.parents[node]] + 1
            if game.max_guesses is not None and self.turns[node] > game.max_guesses:
                raise TreeError(f"{self.path(node)}: more than {game.max_guesses} guesses")
            buckets = partition(game, game.guesses[self.guesses[node]], answers)
            self.sizes[node] = len(answers)
            self.finds[node] = buckets.pop(game.solved, None) is not None
            for response, bucket in buckets.items():
                if response not in self.below[node]:
                    raise TreeError(
                        f"{self.path(node)} {self.text(response)}: no guess here, though {bucket[0]} is left"
                    )
                waiting.append((self.below[node][response], bucket))
            for response in self.below[node]:
                if response not in buckets:
                    raise TreeError(f"{self.path(node)} {self.text(response)}: a guess here, though no answer is left")

    def text(self, response: int) -> str:
        return self.game.rule.text(response, self.game.length)

    def path(self, node: int) -> str:
        """The guesses and responses that lead to a node, with its guess."""
        steps = [self.word(node)]
        while self.parents[node] >= 0:
            above = int(self.parents[node])
            steps.append(f"{self.word(above)} {self.text(int(self.responses[node]))}")
            node = above
        return " ".join(reversed(steps))

    def word(self, node: int) -> str:
        return self.game.guesses[int(self.guesses[node])]

    def __len__(self) -> int:
        return len(self.guesses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and list(self.decisions()) == list(other.decisions())

    __hash__ = None  # type: ignore[assignment]

    def decisions(self) -> Iterator[Decision]:
        for node in range(len(self)):
            yield int(self.parents[node]), int(self.responses[node]), self.word(node)

    @property
    def root(self) -> "Node":
        return Node(self, 0)

    @property
    def total(self) -> int:
        return int(self.totals[0])

    @property
    def mean(self) -> float:
        return self.total / len(self.game.answers)

    @property
    def worst(self) -> int:
        """The guesses that the hardest answer takes."""
        return int(self.turns.max())

    def histogram(self) -> dict[int, int]:
        """How many answers take so many guesses."""
        return dict(sorted(Counter(self.turns[self.finds].tolist()).items()))

    def games(self) -> dict[str, tuple[str, ...]]:
        """The guesses played for every answer, the answer last; in the order of the table."""
        played: dict[str, tuple[str, ...]] = {}
        line: list[str] = []
        for node in range(len(self)):
            line[self.turns[node] - 1 :] = [self.word(node)]
            if self.finds[node]:
                played[line[-1]] = tuple(line)
        return played

    def hardest(self, count: int) -> list[tuple[str, ...]]:
        """The longest games, in list order where as long."""
        place = {word: a for a, word in enumerate(self.game.answers)}
        return sorted(self.games().values(), key=lambda game: (-len(game), place[game[-1]]))[:count]


@dataclass(frozen=True, slots=True)
class Node:
    """One decision of a tree: what to guess, what it costs from here on, and what comes after each response."""

    tree: Tree
    index: int

    @property
    def guess(self) -> str:
        return self.tree.word(self.index)

    @property
    def turn(self) -> int:
        return int(self.tree.turns[self.index])

    @property
    def total(self) -> int:
        return int(self.tree.totals[self.index])

    @property
    def is_leaf(self) -> bool:
        """Whether nothing comes after this guess: it is the only answer left."""
        return not self.tree.below[self.index]

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that are left before this guess, in list order."""
        nodes = range(self.index, int(self.tree.ends[self.index]))
        left = {self.tree.word(node) for node in nodes if self.tree.finds[node]}
        return tuple(word for word in self.tree.game.answers if word in left)

    @property
    def next(self) -> dict[int, "Node"]:
        """The nodes after each response, by its code, ascending."""
        return {response: Node(self.tree, node) for response, node in self.tree.below[self.index].items()}

    def after(self, response: str) -> "Node":
        """The node after a response such as `bbygb`; raises TreeError where no answer is left, or it is solved."""
        code = self.tree.game.rule.parse(response, self.tree.game.length)
        if code not in self.tree.below[self.index]:
            raise TreeError(f"{self.tree.path(self.index)} {response}: no answer is left, or it is solved")
        return Node(self.tree, self.tree.below[self.index][code])


def partition(game: Game, guess: str, answers: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """The buckets of a guess: response -> answers, ascending, in their order."""
    if len(answers) == 1 and answers[0] == guess:
        return {game.solved: answers}
    codes = response_rows(game.rule, [guess], answers)[0].tolist()
    buckets: dict[int, list[str]] = {}
    for code, answer in zip(codes, answers, strict=True):
        buckets.setdefault(code, []).append(answer)
    return {code: tuple(buckets[code]) for code in sorted(buckets)}


def checked_children(game: Game, decisions: Sequence[Decision]) -> list[dict[int, int]]:
    """Per row: response -> the row below. Raises TreeError unless rows form one tree of guesses of this game."""
    known = set(game.guesses)
    children: list[dict[int, int]] = [{} for _ in decisions]
    if not decisions:
        raise TreeError("a tree without a guess")
    for row, (parent, response, guess) in enumerate(decisions):
        if guess not in known:
            raise TreeError(f"{shown(guess)} is not in the guess list")
        if (row == 0) != (parent == -1) or not -1 <= parent < row:
            raise TreeError(f"node {row} ({guess}): parent {parent}; the root comes first, parents before children")
        if row == 0 and response != -1:
            raise TreeError(f"node 0 ({guess}): response {response}; nothing leads to the root, so it has -1")
        if row and not 0 <= response < game.solved:
            raise TreeError(f"node {row} ({guess}): nothing can follow response {response}")
        if row and children[parent].setdefault(response, row) != row:
            text = game.rule.text(response, game.length)
            raise TreeError(f"node {row} ({guess}): {decisions[parent][2]} {text} has a guess already")
    return children


def preorder(children: Sequence[Mapping[int, int]]) -> list[int]:
    """The rows from the root down, each subtree in one piece, by ascending response."""
    order, waiting = list[int](), [0]
    while waiting:
        row = waiting.pop()
        order.append(row)
        waiting += [below for _, below in sorted(children[row].items(), reverse=True)]
    return order
