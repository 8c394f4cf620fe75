"""Trees: sound or refused, one table for one strategy, and the solver's trees have the solver's totals."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.game.game import Game, make_game
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule
from pipeline.game.tree import Decision, Tree, TreeError
from pipeline.game.words import WordList
from pipeline.search.solver import Solver
from tests import naive
from tests.test_search_stage import games

DATA = (Path(__file__).resolve().parent.parent / "data",)


@cache
def original() -> Game:
    lists = (word_list(name, DATA) for name in ("original_guesses.txt", "original_answers.txt"))
    return make_game(*lists, Rule.WORDLE, 6)


@cache
def salet() -> Tree:
    return Tree.of(original(), Solver(original()).expand(guess="salet"))


def word_game(*words: str, cap: int | None = None, answers: int | None = None) -> Game:
    return make_game(WordList(words, "g"), WordList(words[:answers], "a"), Rule.WORDLE, cap)


def replayed(tree: Tree) -> int:
    """The guesses that all answers take by the table, with the responses of the naive twin."""
    below = {(parent, response): i for i, (parent, response, _) in enumerate(tree.decisions())}
    guesses = [guess for _, _, guess in tree.decisions()]
    respond, total = naive.RULES[tree.game.rule], 0
    for answer in tree.game.answers:
        node = 0
        while guesses[node] != answer:
            total += 1
            node = below[node, respond(guesses[node], answer)]
        total += 1
    return total


def test_salet() -> None:
    tree = salet()
    assert (tree.total, tree.worst, len(tree.games())) == (7920, 5, 2315)
    assert replayed(tree) == 7920
    assert sum(turn * count for turn, count in tree.histogram().items()) == 7920
    assert tree.totals[0] == 2315 + sum(node.total for node in tree.root.next.values())
    assert all(len(game) == 5 for game in tree.hardest(76))
    assert [len(game) for game in tree.hardest(77)][-1] == 4


def test_walking() -> None:
    node = salet().root.after("bbbbb")
    assert (node.guess, node.turn, node.total, len(node.answers)) == ("courd", 2, 609, 221)
    assert all(naive.wordle("salet", answer) == 0 for answer in node.answers)
    leaf = node.after("BBGYG")
    assert (leaf.guess, leaf.is_leaf, leaf.answers, leaf.next) == ("druid", True, ("druid",), {})
    with pytest.raises(TreeError, match="salet ggggg: no answer is left, or it is solved"):
        salet().root.after("ggggg")


@settings(deadline=None, max_examples=60)
@given(games(), st.randoms())
def test_the_solver_gives_sound_trees_and_their_rows_may_come_in_any_order(game: Game, random: object) -> None:
    solver = Solver(game, table_mib=1)
    outcome = solver.solve()
    if not solver.best_guesses():
        return
    tree = Tree.of(game, solver.expand())
    assert tree.total == outcome.upper == replayed(tree)
    rows = list(tree.decisions())
    assert list(Tree(game, shuffled(rows, random)).decisions()) == rows
    assert tree.sizes[0] == len(game.answers)
    assert np.all(tree.ends[tree.parents[1:]] >= tree.ends[1:])
    best = solver.best_totals(4)
    assert best[0][1] == tree.total
    assert best[0][0] == tree.root.guess
    exact = {word: solver.evaluate(word).outcome.upper for word in game.guesses}
    assert all(exact[word] == total for word, total in best)
    told = [total for _, total in best]
    assert told == sorted(told)
    if len(best) == 4:  # and none that is better was left out
        assert sum(total is not None and total < told[-1] for total in exact.values()) <= 3


def shuffled(rows: list[Decision], random: object) -> list[Decision]:
    """The same nodes, children before or after their cousins, parents first."""
    waiting, made, place = [0], list[Decision](), {-1: -1}
    while waiting:
        old = waiting.pop(random.randrange(len(waiting)))  # type: ignore[attr-defined]
        parent, response, guess = rows[old]
        place[old] = len(made)
        made.append((place[parent], response, guess))
        waiting += [i for i, row in enumerate(rows) if row[0] == old]
    return made


GAME = word_game("ab", "ba", "aa", "xy", answers=3)
SOUND: list[Decision] = [(-1, -1, "ab"), (0, naive.wordle("ab", "ba"), "ba"), (0, naive.wordle("ab", "aa"), "aa")]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "without a guess"),
        (SOUND[:2], "no guess here, though aa is left"),
        ([(-1, -1, "zz")], "'zz' is not in the guess list"),
        ([(-1, 3, "ab"), *SOUND[1:]], "node 0 \\(ab\\): response 3; nothing leads to the root"),
        ([*SOUND, (1, 0, "ba")], "though no answer is left"),
        ([*SOUND, (0, 8, "ba")], "nothing can follow response 8"),
        ([*SOUND, (0, -1, "ba")], "nothing can follow response -1"),
        ([*SOUND, SOUND[1]], "has a guess already"),
        ([SOUND[0], (2, SOUND[1][1], "ba"), SOUND[2]], "parents before children"),
        ([SOUND[0], (1, SOUND[1][1], "ba"), SOUND[2]], "parents before children"),
        ([SOUND[0], (-1, -1, "ba"), SOUND[2]], "parents before children"),
        ([(0, -1, "ab"), *SOUND[1:]], "parents before children"),
        ([SOUND[0], (0, SOUND[1][1], "aa"), SOUND[2]], "ab yy aa .*: no guess here, though ba is left"),
    ],
)
def test_what_is_no_tree_is_refused(rows: list[Decision], says: str) -> None:
    assert Tree(GAME, SOUND).total == 5
    with pytest.raises(TreeError, match=says):
        Tree(GAME, rows)


def test_the_cap_counts() -> None:
    Tree(word_game("ab", "ba", "aa", "xy", cap=2, answers=3), SOUND)
    with pytest.raises(TreeError, match="more than 1 guesses"):
        Tree(word_game("ab", "ba", "aa", "xy", cap=1, answers=3), SOUND)
