"""Strategies: whole games against the naive twin, exact ties, and the definitions of letter scores."""

from collections import Counter
from fractions import Fraction
from functools import cache
from math import log2, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.game.game import Game, make_game
from pipeline.game.legality import Mode
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule
from pipeline.game.words import WordList
from pipeline.strategies.catalogue import LETTERS, SCHEDULE, STRATEGIES
from pipeline.strategies.letters import exact_product
from pipeline.strategies.selfplay import Games, next_guess, play_all
from pipeline.strategies.turn import Board, Manner, StrategyError, Turn, best_first, best_place
from tests import naive

words = st.lists(st.text("abcd", min_size=3, max_size=3), min_size=2, max_size=14, unique=True)
MODES = [(Rule.WORDLE, mode) for mode in Mode] + [(Rule.NAIVE, Mode.STRICT), (Rule.MASTERMIND, Mode.NORMAL)]


def game_of(guesses: list[str], answers: list[str] | None = None, rule: Rule = Rule.WORDLE) -> Game:
    return make_game(WordList(tuple(guesses), "guesses"), WordList(tuple(answers or guesses), "answers"), rule)


def after(board: Board, *history: str) -> Turn:
    """The turn after a history such as "stone.gbyyb"; its answers need not agree with it."""
    turn, length = board.start(), board.game.length
    for step in history:
        guess, text = step.split(".")
        played = (board.game.guesses.index(guess), board.game.rule.parse(text, length))
        turn = Turn(board, turn.answers, turn.allowed, (*turn.history, played))
    return turn


def shown(name: str, turn: Turn) -> dict[str, float]:
    scores = STRATEGIES[name](turn)
    return {turn.board.game.guesses[g]: float(x) for g, x in zip(turn.guesses, scores.shown, strict=True)}


def test_letter_frequency_is_exact_whatever_the_alphabet() -> None:
    """The letters at the places have no small common multiple, so the sums are larger than any machine integer."""
    primes = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149)
    guesses = ["".join(chr(0x4E00 + 200 * i + a % p) for i, p in enumerate(primes)) for a in range(160)]
    turn = Board(game_of(guesses)).start()
    counts = [Counter(word[i] for word in guesses) for i in range(len(primes))]
    wanted = [sum(Fraction(c[x], len(c)) for c, x in zip(counts, word, strict=True)) / 10 for word in guesses]
    scores = STRATEGIES["letter_frequency"](turn)
    assert scores.shown == pytest.approx([float(x) for x in wanted], rel=1e-12)
    places = best_first(turn, scores).tolist()
    assert [wanted[place] for place in places] == sorted(wanted, reverse=True)


@pytest.mark.parametrize("how", ["entropy", "expected_size", "largest_bucket", "most_buckets", "two_ply"])
@settings(max_examples=15, deadline=None)
@given(guesses=words, data=st.data())
def test_whole_games_equal_the_naive_twin(how: str, guesses: list[str], data: st.DataObject) -> None:
    answers = data.draw(st.lists(st.sampled_from(guesses), min_size=1, max_size=8, unique=True))
    for rule, mode in MODES:
        game = game_of(guesses, answers, rule)
        games = play_all(Board(game, mode), STRATEGIES[how])
        for a, answer in enumerate(answers):
            wanted = naive.play(guesses, answers, answer, how, str(rule), str(mode))
            assert [guesses[g] for g in games.paths[a]] == wanted, (rule, mode, answer)


@settings(max_examples=20, deadline=None)
@given(guesses=words, data=st.data())
def test_every_strategy_plays_by_the_rules(guesses: list[str], data: st.DataObject) -> None:
    """Every game ends with its answer; every guess is allowed and tells something; a sample plays the same games."""
    answers = data.draw(st.lists(st.sampled_from(guesses), min_size=1, max_size=8, unique=True))
    ties = data.draw(st.sampled_from(["list", "member"]))
    game = game_of(guesses, answers)
    for mode in Mode:
        board = Board(game, mode, None, Manner(ties, seed=7))
        for name, strategy in STRATEGIES.items():
            games = play_all(board, strategy)
            assert sum(games.histogram) == len(answers)
            for a, path in games.paths.items():
                turn = board.start()
                for g in path[:-1]:
                    assert g in turn.allowed
                    assert next_guess(turn, strategy) == g, name
                    following = turn.after(g, int(board.responses[g, a]))
                    assert len(following.answers) < len(turn.answers)
                    turn = following
                assert path[-1] == game.members[a]
            some = data.draw(st.sampled_from(range(len(answers))))
            assert play_all(board, strategy, [some]).paths == {some: games.paths[some]}


@settings(max_examples=30, deadline=None)
@given(guesses=words, data=st.data())
def test_the_best_place_is_the_first_of_the_ranking(guesses: list[str], data: st.DataObject) -> None:
    ties = data.draw(st.sampled_from(["list", "member"]))
    board = Board(game_of(guesses, guesses[: max(1, len(guesses) // 2)]), Mode.NORMAL, None, Manner(ties))
    turn = board.start()
    for strategy in STRATEGIES.values():
        scores = strategy(turn)
        assert best_first(turn, scores)[0] == best_place(turn, scores)


def test_ties_take_the_first_in_the_list_or_a_possible_answer() -> None:
    """Every guess tells the two answers apart; only the last two may be right."""
    guesses = ["aac", "abc", "abd"]
    game = game_of(guesses, ["abc", "abd"])
    for ties, wanted in (("list", "aac"), ("member", "abc")):
        board = Board(game, Mode.NORMAL, None, Manner(ties))
        assert guesses[next_guess(board.start(), STRATEGIES["entropy"])] == wanted
    with pytest.raises(StrategyError, match="ties=any: must be one of list, member"):
        Board(game, Mode.NORMAL, None, Manner("any"))


def test_a_guess_that_tells_nothing_is_never_played() -> None:
    """zyx is the only word with three letters never played, but it says nothing of ab?."""
    game = game_of(["zyx", "abc", "abd", "abe"], ["abc", "abd", "abe"])
    turn = Board(game).start()
    assert "zyx" not in shown("distinct_letters", turn)
    assert len(shown("distinct_letters", turn)) == 3


def test_letter_strategies_refuse_peg_games() -> None:
    board = Board(game_of(["112", "121", "333"], None, Rule.MASTERMIND))
    for name, strategy in STRATEGIES.items():
        if name in {*LETTERS, SCHEDULE}:  # the schedule begins with one of them
            with pytest.raises(StrategyError, match="count pegs; try entropy"):
                strategy(board.start())
        else:
            assert play_all(board, strategy).total >= 5


@given(st.lists(st.lists(st.integers(0, 2**31 - 1), min_size=6, max_size=6), min_size=1, max_size=5))
def test_products_are_exact(factors: list[list[int]]) -> None:
    limbs = exact_product(np.array(factors))
    for row, wanted in zip(limbs.tolist(), factors, strict=True):
        assert sum(limb << 31 * i for i, limb in enumerate(reversed(row))) == prod(wanted)


@given(guesses=words)
def test_elimination_equals_its_definition(guesses: list[str]) -> None:
    """Ask one letter at one place: green, yellow or neither; the answers kept on average are the sum of squares."""

    def kept(i: int, c: str) -> Fraction:
        green = sum(word[i] == c for word in guesses)
        yellow = sum(word[i] != c and c in word for word in guesses)
        return Fraction(green**2 + yellow**2 + (len(guesses) - green - yellow) ** 2, len(guesses) ** 2)

    found = shown("elimination", Board(game_of(guesses)).start())
    for word, score in found.items():
        assert score == pytest.approx(float(1 - prod(kept(i, c) for i, c in enumerate(word))), abs=1e-12)


@given(guesses=words)
def test_letter_entropy_equals_its_definition(guesses: list[str]) -> None:
    def h(count: int) -> float:
        return -count / len(guesses) * log2(count / len(guesses)) if count else 0.0

    for word, score in shown("letter_entropy", Board(game_of(guesses)).start()).items():
        places = sum(h(sum(other[i] == c for other in guesses)) for i, c in enumerate(word))
        bag = h(sum(sorted(other) == sorted(word) for other in guesses))
        assert score == pytest.approx(places + bag, abs=1e-9)


def test_random_depends_on_the_seed_alone() -> None:
    game = game_of([a + b for a in "abcdef" for b in "uvwxyz"])
    first, again, other = (
        play_all(Board(game, Mode.STRICT, None, Manner(seed=seed)), STRATEGIES["random"]).paths for seed in (1, 1, 2)
    )
    assert first == again != other
    assert [game.guesses[path[0]] for path in first.values()][:1] == ["cx"]  # the same on every machine


def test_a_schedule_takes_turns() -> None:
    board = Board(game_of(["stone", "tones", "audit", "knots"]), manner=Manner(schedule=("random", "entropy")))
    assert STRATEGIES["schedule"](board.start()).shown == pytest.approx(STRATEGIES["random"](board.start()).shown)
    for history in (["stone.bbbbb"], ["stone.bbbbb", "tones.bbbbb"]):
        turn = after(board, *history)
        assert STRATEGIES["schedule"](turn).shown == pytest.approx(STRATEGIES["entropy"](turn).shown)
    wrong = Board(board.game, manner=Manner(schedule=("schedule",)))
    with pytest.raises(StrategyError, match="schedule: no strategy 'schedule'"):
        STRATEGIES["schedule"](wrong.start())


@cache
def mastermind(how: str) -> Games:
    listed = word_list("mastermind:4x6")
    return play_all(
        Board(make_game(listed, listed, Rule.MASTERMIND), Mode.NORMAL, None, Manner("member")), STRATEGIES[how]
    )


@pytest.mark.parametrize(
    ("how", "histogram", "total"),
    [
        ("largest_bucket", [1, 6, 62, 533, 694], 5801),  # Knuth's strategy of 1977
        ("largest_then_size", [1, 6, 55, 570, 664], 5778),  # 5778 is of those who break his ties by another score
        ("expected_size", [1, 10, 54, 645, 583, 3], 5696),
        ("entropy", [1, 4, 71, 612, 596, 12], 5722),
        ("entropy_or_win", [1, 6, 86, 600, 570, 33], 5719),  # 5719 rewards a guess that may win, beyond ties
        ("most_buckets", [1, 12, 72, 635, 569, 7], 5668),
    ],
)
def test_mastermind(how: str, histogram: list[int], total: int) -> None:
    games = mastermind(how)
    assert (games.histogram, games.total) == (histogram, total)
