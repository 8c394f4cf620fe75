"""The solver on real games: published totals, trees, positions, and that nothing but the game decides."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pipeline.game.game import Game, make_game
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule, response_rows
from pipeline.game.words import WordList
from pipeline.search.bounds import INFEASIBLE
from pipeline.search.outcome import Effort, Position, PositionError, SearchStoppedError
from pipeline.search.solver import Solver
from tests import naive
from tests.tables import RandomTable, plain_total

DATA = [Path(__file__).resolve().parent.parent / "data"]
ORIGINAL = {
    "salet": 7920, "reast": 7923, "crate": 7926, "trace": 7926, "slate": 7928, "crone": 7984,
    "yirks": 8450, "seize": 8577, "woody": 8722,
}  # fmt: skip


def game_of(guesses: str, answers: str, rule: Rule = Rule.WORDLE, cap: int | None = 6) -> Game:
    return make_game(word_list(guesses, DATA), word_list(answers, DATA), rule, cap)


@cache
def original() -> Solver:
    return Solver(game_of("original_guesses.txt", "original_answers.txt"))


def part_of_original(seed: int, guesses: int, answers: int) -> Game:
    """A random part of the original game, lists in random order."""
    whole, rng = original().game, np.random.default_rng(seed)
    chosen = rng.choice(whole.answers, answers, replace=False).tolist()
    others = [word for word in rng.permutation(whole.guesses).tolist() if word not in set(chosen)]
    words = rng.permutation(chosen + others[: guesses - answers]).tolist()
    return make_game(WordList(tuple(words), "guesses"), WordList(tuple(chosen), "answers"), Rule.WORDLE, 6)


@pytest.mark.parametrize(("opener", "total"), ORIGINAL.items())
def test_openers_of_the_original_game(opener: str, total: int) -> None:
    evaluation = original().evaluate(opener)
    assert (evaluation.outcome.lower, evaluation.outcome.upper) == (total, total)
    assert sum(bucket.outcome.lower for bucket in evaluation.buckets) + 2315 == total
    assert sum(bucket.size for bucket in evaluation.buckets) == 2315 - (opener in original().game.answers)


def test_no_opener_of_the_original_game_is_below_7920() -> None:
    """Every tenth one; test_cli.py proves it of all."""
    solver, beaten = original(), 0
    for opener in solver.game.guesses[::10]:
        solver.forget()
        beaten += solver.evaluate(opener, budget=7920).outcome.lower >= 7920
    assert beaten == 1298


def test_caps_of_the_original_game() -> None:
    assert original().evaluate("salet", guesses_left=4).outcome.lower == INFEASIBLE
    assert original().evaluate("salet", guesses_left=5).outcome.upper == 7920
    assert original().evaluate("salet", guesses_left=None).outcome.upper == 7920


def test_tarse_on_the_list_of_2023() -> None:
    solver = Solver(game_of("nyt_guesses.txt", "nyt2023_answers.txt"))
    assert solver.evaluate("tarse").outcome.upper == 11219
    assert solver.evaluate("tarse", budget=11219).outcome.lower == 11219


@pytest.mark.parametrize(("cap", "best"), [(None, 5625), (5, 5626)])
def test_mastermind(cap: int | None, best: int) -> None:
    """Colours and places are interchangeable, so five openers stand for all 1,296."""
    solver = Solver(game_of("mastermind:4x6", "mastermind:4x6", Rule.MASTERMIND, cap))
    assert solver.evaluate("1123").outcome.upper == best
    for opener in ("1111", "1112", "1122", "1234"):
        assert solver.evaluate(opener, budget=best + 1).outcome.lower > best


@pytest.mark.parametrize("size", ["2x3", "2x6", "3x3", "3x4", "4x3"])
@pytest.mark.parametrize("cap", [4, 99])
def test_small_mastermind_against_a_plain_search(size: str, cap: int) -> None:
    game = game_of(f"mastermind:{size}", f"mastermind:{size}", Rule.MASTERMIND, cap)
    solver = Solver(game)
    table = RandomTable(solver.responses, game.members, game.solved)
    assert solver.solve().lower == plain_total(table, range(len(game.answers)), cap)


def test_totals_do_not_depend_on_the_order_of_lists_or_on_the_table() -> None:
    totals = set()
    for seed, table_mib in ((1, 64), (1, 0), (1, 0.01)):
        totals.add(Solver(part_of_original(seed, 1500, 300), table_mib=table_mib).solve().lower)
    game = part_of_original(1, 1500, 300)
    for rng in map(np.random.default_rng, range(3)):
        lists = [WordList(tuple(rng.permutation(words).tolist()), "shuffled") for words in (game.guesses, game.answers)]
        totals.add(Solver(make_game(*lists, Rule.WORDLE, 6)).solve().lower)
    assert len(totals) == 1


def test_tree_is_a_strategy_of_its_total() -> None:
    tree = original().expand(guess="salet")
    games = list(tree.games())
    assert (tree.total, tree.size, len({game[-1] for game in games})) == (7920, 2315, 2315)
    assert sum(map(len, games)) == 7920
    assert tree.depth == max(map(len, games)) <= 6
    for game in games[::7]:  # played by the rules, every guess but the last gets the response that leads on
        node = tree
        for guess in game:
            assert node.guess == guess
            response = naive.wordle(guess, game[-1])
            node = node.subtrees.get(response, tree)
            assert (response == 242) == (guess == game[-1])


def test_tree_does_not_depend_on_what_the_table_held() -> None:
    game = part_of_original(2, 1000, 150)
    fresh = Solver(game).expand()
    used = Solver(game, table_mib=0)
    used.solve(game.answers[:70], guesses_left=3)
    used.evaluate(game.guesses[0], budget=500)
    assert used.expand() == fresh
    assert fresh.total == used.solve().lower
    assert fresh.guess == used.best_guesses()[0]


def test_positions() -> None:
    solver = original()
    position = solver.position("salet.bbbyb.drone.ybbbg")
    assert set(position.answers) == {
        word
        for word in solver.game.answers
        if naive.wordle("salet", word) == 3 and naive.wordle("drone", word) == 3**4 + 2
    }
    assert position.guesses_left == 4
    assert solver.solve(position).lower == solver.solve(position.answers, guesses_left=4).lower
    assert solver.position("").answers == solver.game.answers
    for history in ("salet", "salet.bbbyb.drone", "xxxxx.bbbbb", "salet.ggggg.salet.bbbbb"):
        with pytest.raises(PositionError):
            solver.position(history)


def test_best_guess_and_bounds_of_an_outcome() -> None:
    solver = original()
    answers = solver.position("salet.bbbbb").answers
    outcome = solver.solve(answers, guesses_left=5)
    assert outcome.is_exact
    assert outcome.guess in solver.best_guesses(answers, guesses_left=5)
    beaten = solver.solve(answers, guesses_left=5, budget=outcome.lower - 3)
    assert (beaten.upper, beaten.guess) in ((None, None), (outcome.upper, outcome.guess))
    assert outcome.lower - 3 <= beaten.lower <= outcome.lower
    assert solver.best_guesses(answers, guesses_left=2) == ()
    with pytest.raises(PositionError):
        solver.expand(answers, guesses_left=2)


def test_a_guess_that_tells_nothing_costs_one_guess_each() -> None:
    game = make_game(word_list("mastermind:2x2"), word_list("mastermind:2x2"), Rule.MASTERMIND, None)
    solver = Solver(game)
    answers = ("11", "22")
    assert solver.evaluate("12", answers=answers).outcome.upper == 2 + 3


def test_progress_and_stop() -> None:
    solver, seen = Solver(original().game, original().responses), []

    def watch(effort: Effort) -> None:
        seen.append(effort)
        if effort.nodes:
            solver.stop()

    with pytest.raises(SearchStoppedError):
        solver.solve(progress=watch)
    assert seen[-1].nodes > 0
    assert solver.evaluate("salet").outcome.upper == 7920  # and it is as good as new


def test_an_interrupted_search_leaves_nothing_to_the_next() -> None:
    solver = Solver(original().game, original().responses)

    def interrupt(effort: Effort) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(progress=interrupt)
    assert solver.evaluate("salet").outcome.upper == 7920


@pytest.mark.parametrize("left", [0, -1])
@pytest.mark.parametrize("answers", [("light",), ("light", "might"), ("eight", "fight", "light", "might", "night")])
def test_without_a_guess_left_nothing_is_found(answers: tuple[str, ...], left: int) -> None:
    """Not even the one answer that the next guess would be."""
    solver, position = original(), Position(answers, left)
    for outcome in (solver.solve(position), solver.evaluate("light", answers=position).outcome):
        assert (outcome.lower, outcome.upper) == (INFEASIBLE, INFEASIBLE)
    assert solver.solve_share(position, 0, 1, None).lower == INFEASIBLE
    assert solver.probe(position, 0).upper is None
    assert solver.best_guesses(position) == solver.best_totals(3, position) == ()
    for guess in ("light", None):
        with pytest.raises(PositionError, match="cannot all be found"):
            solver.expand(position, guess=guess)


def test_response_table_from_elsewhere() -> None:
    game = part_of_original(3, 300, 50)
    responses = response_rows(game.rule, game.guesses, game.answers)
    solver = Solver(game, responses)
    assert np.shares_memory(solver.responses, responses)
    assert solver.solve().lower == Solver(game).solve().lower
    with pytest.raises(PositionError):
        Solver(game, responses[:-1])
    with pytest.raises(PositionError):
        Solver(game, np.roll(responses, 1, axis=0))


WIDTHS = {
    Rule.NAIVE: ["soare 3.532613", "soare 3.524406", "soare 3.520086", "raile 3.514903", "reast 3.480346"],
    Rule.WORDLE: ["soare 3.527862", "roate 3.519654", "soare 3.515335", "raile 3.507559", "reast 3.473434"],
}


@pytest.mark.parametrize("rule", WIDTHS)
def test_beam_widths_1_to_5(rule: Rule) -> None:
    game = game_of("original_guesses.txt", "original_answers.txt", rule, None)
    responses = response_rows(rule, game.guesses, game.answers)
    for width, expected in enumerate(WIDTHS[rule], start=1):
        outcome = Solver(game, responses, width=width).solve()
        assert outcome.upper is not None
        assert f"{outcome.guess} {outcome.upper / 2315:.6f}" == expected
        assert outcome.lower < outcome.upper


def test_six_words_that_differ_in_one_letter_fit_into_six_guesses() -> None:
    """Each guess may be the answer and tells nothing else: 1 + 2 + ... + 6."""
    words = ("watch", "match", "catch", "latch", "batch", "patch")
    game = make_game(WordList(words, "here"), WordList(words, "here"), Rule.WORDLE, 6)
    outcome = Solver(game).solve()
    assert (outcome.lower, outcome.upper) == (21, 21)
    assert Solver(replace(game, max_guesses=5)).solve().lower == INFEASIBLE
