"""What the five programs that this one grew from published, each figure that is right; those that are not are named.

Two of them published all their figures with a wrong duplicate-letter rule, which is `naive` here.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pipeline.config import shipped
from pipeline.game.game import Game, make_game
from pipeline.game.legality import Mode
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule, response_rows
from pipeline.game.words import WordList
from pipeline.play.infer import inferred, read_grids
from pipeline.search.solver import Solver
from pipeline.strategies.catalogue import STRATEGIES
from pipeline.strategies.selfplay import Games, next_guess, play_all
from pipeline.strategies.turn import Board, Turn
from tests import naive
from tests.test_strategies import after, game_of, shown


@cache
def board(source: str, rule: Rule = Rule.WORDLE) -> Board:
    """Every guess may be the answer, and every guess must be: the game that three of the programs play."""
    listed = word_list(source, (shipped("data"),))
    return Board(make_game(listed, listed, rule), Mode.STRICT)


@cache
def games(source: str, how: str, rule: Rule = Rule.WORDLE) -> Games:
    return play_all(board(source, rule), STRATEGIES[how])


def path(source: str, how: str, rule: Rule, answer: str) -> list[str]:
    game = board(source, rule).game
    return [game.guesses[g] for g in games(source, how, rule).paths[game.answers.index(answer)]]


def longest(source: str, how: str, rule: Rule = Rule.WORDLE) -> list[str]:
    return [board(source, rule).game.answers[a] for a in games(source, how, rule).longest]


WORDLE, PRIMEL, LARGE = "original_answers.txt", "primes:5", "seed000_words.txt"


@pytest.mark.parametrize(
    ("source", "how", "rule", "opener", "histogram", "mean", "sd"),
    [
        (
            *(WORDLE, "expected_size", Rule.NAIVE, "raise", [1, 131, 944, 949, 233, 43, 11, 3]),
            *(3.634989200863931, 0.8622912420643568),  # printed so; rounded rightly the last digit is 7
        ),
        (
            *(WORDLE, "expected_size", Rule.WORDLE, "raise", [1, 131, 957, 946, 224, 42, 11, 3]),
            *(3.624622030237581, 0.8578269827640186),
        ),
        (
            *(WORDLE, "entropy", Rule.NAIVE, "raise", [1, 131, 978, 928, 217, 49, 9, 2]),
            *(3.614254859611231, 0.8552369532287724),
        ),
        (
            *(WORDLE, "entropy", Rule.WORDLE, "raise", [1, 131, 999, 919, 207, 47, 9, 2]),
            *(3.5991360691144707, 0.8490164812102081),  # printed so; rounded rightly it ends in 2
        ),
        (
            *(PRIMEL, "expected_size", Rule.NAIVE, "17923", [1, 209, 2642, 4612, 854, 44, 1]),
            *(3.7467415999043405, 0.6907319195032124),
        ),
        (PRIMEL, "expected_size", Rule.WORDLE, "17923", [1, 209, 2743, 4797, 589, 24], 3.6978357048905894, None),
        (PRIMEL, "entropy", Rule.NAIVE, "12953", [1, 215, 3070, 4363, 684, 30], 3.6700944637091952, None),
        # Published as ..., 4477, 482, 15 with mean 3.6300370680377854: float noise broke an exact tie.
        (PRIMEL, "entropy", Rule.WORDLE, "12953", [1, 215, 3173, 4476, 482, 16], 3.6302762166686597, None),
    ],
)
def test_all_games_of_seed_004(
    source: str, how: str, rule: Rule, opener: str, histogram: list[int], mean: float, sd: float | None
) -> None:
    played = games(source, how, rule)
    assert played.histogram == histogram
    assert played.mean == mean
    assert sd is None or played.sd == pytest.approx(sd, abs=2e-16)  # within one unit in the last place
    assert board(source, rule).game.guesses[played.paths[0][0]] == opener


def test_openers_of_seed_004() -> None:
    for rule in (Rule.WORDLE, Rule.NAIVE):
        turn = board(WORDLE, rule).start()
        assert board(WORDLE).game.guesses[1534] == "raise"  # number 1535 counted from one
        assert shown("expected_size", turn)["raise"] == 61.00086393088553
        assert shown("entropy", turn)["raise"] == pytest.approx(5.877909690821478, abs=4e-15)
    counts = np.bincount(board(WORDLE, Rule.NAIVE).responses[1534], minlength=243)
    first = [168, 121, 61, 80, 41, 17, 17, 9, 20, 107, 35, 25, 21, 4, 5, 6, 0, 0, 51, 15, 23, 29, 3]
    assert counts[: len(first)].tolist() == first
    assert (counts > 0).sum() == 132
    primel = board(PRIMEL).start()
    assert shown("expected_size", primel)["17923"] == pytest.approx(121.54167, abs=5e-6)
    assert shown("entropy", primel)["17923"] == pytest.approx(6.62459, abs=5e-6)
    assert shown("expected_size", primel)["12953"] == pytest.approx(124.38443, abs=5e-6)
    assert shown("entropy", primel)["12953"] == pytest.approx(6.632274, abs=5e-7)


@pytest.mark.parametrize(
    ("how", "rule", "game"),
    [
        ("expected_size", Rule.NAIVE, "raise shrew sneer sever sober super"),
        ("expected_size", Rule.NAIVE, "raise binge mince"),  # number 1234
        ("expected_size", Rule.NAIVE, "raise could boozy hobby"),
        ("expected_size", Rule.NAIVE, "raise outer mower cover joker boxer foyer goner"),
        ("expected_size", Rule.NAIVE, "raise tangy caput batch hatch latch match watch"),
        ("expected_size", Rule.NAIVE, "raise could bound found hound mound pound wound"),
        ("entropy", Rule.NAIVE, "raise outer mower cover joker boxer foyer goner"),
        ("entropy", Rule.NAIVE, "raise mulch bound found pound wound"),
        ("expected_size", Rule.WORDLE, "raise sheer sober super"),
        ("entropy", Rule.WORDLE, "raise deter cower hover joker boxer foyer goner"),
    ],
)
def test_games_of_seed_004(how: str, rule: Rule, game: str) -> None:
    assert path(WORDLE, how, rule, game.split()[-1]) == game.split()


def test_hardest_words_of_seed_004() -> None:
    assert longest(WORDLE, "expected_size", Rule.NAIVE) == ["goner", "watch", "wound"]
    assert longest(WORDLE, "entropy", Rule.NAIVE) == ["goner", "watch"]
    assert longest(PRIMEL, "expected_size", Rule.NAIVE) == ["48281"]
    assert board(WORDLE).game.answers[1233] == "mince"


def test_the_primel_game_of_seed_004() -> None:
    assert path(PRIMEL, "expected_size", Rule.NAIVE, "43867") == ["17923", "56437", "34607", "43867"]
    assert path(PRIMEL, "expected_size", Rule.NAIVE, "48281") == [
        *("17923", "20681", "41281", "42281", "44281", "45281", "48281")
    ]
    turn, index = board(PRIMEL, Rule.NAIVE).start(), board(PRIMEL).game.guesses.index
    for guess, text, size, expected, bits in [
        ("17923", "01001", 8363, 121.542, 6.62459),
        ("56437", "01112", 206, 9.49515, 4.76909),
        ("34607", "11102", 10, 1.4, 2.92193),
        ("43867", "22222", 2, 1.0, 1.0),
    ]:
        assert len(turn.answers) == size
        assert shown("expected_size", turn)[guess] == pytest.approx(expected, rel=5e-6)
        assert shown("entropy", turn)[guess] == pytest.approx(bits, rel=5e-6)
        response = turn.board.game.rule.parse(text, 5)
        assert response == turn.board.responses[index(guess), turn.board.game.answers.index("43867")]
        turn = turn.after(index(guess), response)


def test_the_primel_game_by_numbers_of_seed_004() -> None:
    """Published by its own tests, which play by entropy with the standard rule; numbers count from one."""
    primel, played = board(PRIMEL).game, path(PRIMEL, "entropy", Rule.WORDLE, "43867")
    assert [primel.guesses.index(guess) + 1 for guess in played] == [313, 2387, 3273, 3337]
    turn = board(PRIMEL).start().after(312, primel.rule.parse("10011", 5))
    assert len(turn.answers) == 120


def test_the_four_words_of_seed_000() -> None:
    turn = Board(game_of(["aaabb", "ababa", "bbaaa", "aaabc"])).start()
    wanted = {"aaabb": 1.933834, "ababa": 1.933834, "bbaaa": 2.311278, "aaabc": 2.122556}
    assert shown("letter_entropy", turn) == pytest.approx(wanted, abs=5e-7)
    assert turn.board.game.guesses[next_guess(turn, STRATEGIES["letter_entropy"])] == "bbaaa"


def test_elimination_of_seed_000() -> None:
    """Its example of skill keeps 9/25, 17/25, 17/25, 1 and 17/25; the words are others with these shares."""
    turn = Board(game_of(["skill", "style", "tesla", "muslo", "world"])).start()
    score = shown("elimination", turn)["skill"]
    assert score == pytest.approx(1 - 9 * 17**3 / 25**4, abs=1e-12)
    assert f"{score:.0%}" == "89%"


def test_all_games_of_seed_000() -> None:
    """Published: first sores, worst zills with 16, mean just over 4.79, with a looser filter.

    The mean here is 44584 / 9330 = 4.77856, which is 4.7785 where digits are cut off.
    """
    large = games(LARGE, "letter_entropy")
    assert (round(large.mean, 4), len(large.histogram), longest(LARGE, "letter_entropy")) == (4.7786, 16, ["zills"])
    assert large.total == 44_584
    assert path(LARGE, "letter_entropy", Rule.WORDLE, "zills")[0] == "sores"
    small = games(WORDLE, "letter_entropy")
    assert small.histogram == [1, 146, 895, 881, 296, 74, 17, 5]
    assert small.mean == pytest.approx(3.708423, abs=5e-7)
    assert longest(WORDLE, "letter_entropy") == ["mower", "pound", "watch", "wight", "wooer"]
    assert path(WORDLE, "letter_entropy", Rule.WORDLE, "mower")[0] == "slate"


def test_score_and_filter_of_seed_000() -> None:
    code = int(response_rows(Rule.WORDLE, ["dilly"], ["bigly"])[0, 0])
    assert Rule.WORDLE.text(code, 5) == "bgbgg"


def test_the_transcript_of_seed_000() -> None:
    """(pares bbbbb)(cunit bbbyb)(dilly bgbgg)(bigly ggggg): each response is right, and its filter leaves bigly."""
    listed = word_list(LARGE, (shipped("data"),)).words
    left = list(listed)
    for guess, text in (("pares", "bbbbb"), ("cunit", "bbbyb"), ("dilly", "bgbgg"), ("bigly", "ggggg")):
        assert guess in left
        assert Rule.WORDLE.text(naive.wordle(guess, "bigly"), 5) == text
        code = Rule.WORDLE.parse(text, 5)
        fits = response_rows(Rule.WORDLE, [guess], left)[0] == code
        assert fits.tolist() == [naive.wordle(guess, word) == code for word in left]
        left = [word for word, fit in zip(left, fits, strict=True) if fit]
    assert left == ["bigly"]


@pytest.mark.parametrize(
    ("guess", "answer", "standard", "wrong"),
    [("abate", "abbot", "ggbyb", "ggyyb"), ("nanny", "wrung", "bbbgb", "ybygb")],
)
def test_the_two_duplicate_letter_rules_of_seed_002(guess: str, answer: str, standard: str, wrong: str) -> None:
    for rule, text in ((Rule.WORDLE, standard), (Rule.NAIVE, wrong)):
        assert rule.text(int(response_rows(rule, [guess], [answer])[0, 0]), 5) == text


def test_posted_grids_of_seed_002(tmp_path: Path) -> None:
    """Which answers some guess could have given every row; the grids are of games for a known answer."""
    game = make_game(*(word_list(name, (shipped("data"),)) for name in (WORDLE, WORDLE)), Rule.WORDLE)
    guesses = ["slate", "crane", "pound", "mamma", "error", "fluff", "vivid", "geese"]
    texts = [Rule.WORDLE.text(naive.wordle(guess, "vivid"), 5) for guess in guesses]
    (tmp_path / "grids.txt").write_text("# of several people\n" + "\n".join(texts))
    rows = read_grids(tmp_path / "grids.txt", game)
    assert rows == [naive.wordle(guess, "vivid") for guess in guesses]
    found, _, never = inferred(game, board(WORDLE).responses, rows)
    wanted = set(rows)
    assert [game.answers[a] for a in found] == [
        answer for answer in game.answers if wanted <= {naive.wordle(guess, answer) for guess in game.guesses}
    ]
    assert "vivid" in [game.answers[a] for a in found]
    assert 0 < len(found) < len(game.answers)
    assert not never


def test_widths_one_and_remaining_entropies_of_seed_002() -> None:
    """The width search is the beam of the search package; its published table is checked with it."""
    guesses = word_list("original_guesses.txt", (shipped("data"),))
    answers = word_list("original_answers.txt", (shipped("data"),))
    wordle = Board(make_game(guesses, answers, Rule.WORDLE))
    remaining = shown("remaining_entropy", wordle.start())
    # printed so; exactly it is 5.29401715385562830...
    assert remaining["roate"] == pytest.approx(5.2940171538556315, abs=4e-15)
    order = sorted(remaining, key=lambda word: remaining[word])
    assert order[:4] == ["soare", "roate", "raise", "raile"]
    for word, bits in [
        *(("soare", 5.290836), ("roate", 5.294017), ("raise", 5.298887), ("raile", 5.311087)),
        *(("reast", 5.311339), ("slate", 5.321021), ("crate", 5.341922), ("salet", 5.342215)),
    ]:
        assert remaining[word] == pytest.approx(bits, abs=5e-7)


def test_partitions_of_seed_002() -> None:
    turn = board(WORDLE).start()
    rule, words = turn.board.game.rule, turn.board.game.answers
    parts = {
        rule.text(code, 5): " ".join(words[a] for a in bucket) for code, bucket in turn.buckets(words.index("slate"))
        .items()
    }  # fmt: skip
    assert len(parts) == 147
    assert len(turn.buckets(words.index("trace"))) == 150
    excerpt = {
        "gggyb": "slant",
        "ggggg": "slate",
        "gggbg": "slave",
        "ggbby": "sleek sleep",
        "ggbyy": "sleet slept",
        "ggbbg": "slice slide slime slope",
        "ggbbb": "slick slimy sling slink sloop slosh slump slung slunk slurp slush slyly",
    }
    assert {text: parts[text] for text in excerpt} == excerpt


def test_the_four_words_of_seed_002() -> None:
    """Its own text still shows ggybb, from the wrong duplicate-letter rule."""
    game = game_of(["aback", "abase", "abate", "abbey", "abbot"], ["aback", "abase", "abate", "abbey"])
    turn = Board(game).start()
    parts = {game.rule.text(r, 5): [game.answers[a] for a in part] for r, part in turn.buckets(4).items()}
    assert parts == {"ggbbb": ["aback", "abase"], "ggbby": ["abate"], "gggbb": ["abbey"]}
    assert shown("remaining_entropy", turn)["abbot"] == 0.5
    four = game_of(list(game.answers))
    outcome = Solver(four, width=4).solve()
    assert (outcome.guess, outcome.upper) == ("abase", 7)  # 1.75 on average


FOUR = ["audit", "stone", "tones", "knots"]


def bare(*guesses: str) -> Board:
    return Board(game_of(list(guesses)))


def played(guesses: list[str], *history: str) -> Turn:
    """After a history; for scores that look at the history alone, so that its words may be any."""
    known = list(dict.fromkeys(guesses + [step.split(".")[0] for step in history]))
    return after(Board(game_of(known)), *history)


def test_distinct_letters_of_seed_003() -> None:
    found = shown("distinct_letters", played(["tones", "stops", "stomp"], "stone.bbbbb"))
    assert (found["tones"], found["stops"], found["stomp"]) == (0, 1, 2)
    assert shown("distinct_letters", played(["bread", "books"])) == {"bread": 5, "books": 4}
    found = shown("distinct_letters", played(["bread", "books"], "baker.bbbbb"))
    assert (found["bread"], found["books"]) == (1, 2)


def test_letter_frequency_of_seed_003() -> None:
    assert shown("letter_frequency", bare("aa", "ab", "bb").start()) == {"aa": 0.75, "ab": 1.0, "bb": 0.75}
    turn = bare("bread", "brood", "blood", "crook").start()
    assert turn.board.game.guesses[next_guess(turn, STRATEGIES["letter_frequency"])] == "brood"
    # Its prose ranks knots below stone and tones, which holds when places are ignored, but not for its formula.
    positional, anywhere = (
        shown(name, bare(*FOUR).start()) for name in ("letter_frequency", "letter_frequency_global")
    )
    assert positional == pytest.approx({"audit": 17 / 60, "stone": 0.35, "tones": 0.35, "knots": 5 / 12})
    assert anywhere == {"audit": 8, "stone": 15, "tones": 15, "knots": 14}


def test_per_letter_elimination_of_seed_003() -> None:
    found = shown("per_letter_elimination", played(FOUR, "notes.yyyyy"))
    assert (found["stone"], found["audit"], found["tones"]) == (5, 5, 2)
    assert shown("per_letter_elimination", played(["guest", "crown"], "guess.bbbbb"))["guest"] == 1
    assert set(shown("per_letter_elimination", bare(*FOUR).start()).values()) == {5}


def test_a_grey_letter_with_a_yellow_copy_is_not_ruled_out_elsewhere() -> None:
    """An older program drops a letter everywhere as soon as one copy of it is grey."""
    found = shown("per_letter_elimination", played(["spill", "lllll"], "llama.ybbbb"))
    assert found["lllll"] == 3  # all but the two places where l was tried
    found = shown("per_letter_elimination", played(["spill", "lllll"], "llama.gbbbb"))
    assert found["lllll"] == 1  # the only l is the first letter


def test_retry_misplaced_of_seed_003() -> None:
    found = shown("retry_misplaced", played(FOUR, "notes.yyyyy"))
    assert (found["stone"], found["knots"], found["audit"]) == (5, 3, 1)
    found = shown("retry_misplaced", played(["notes", "steno", "atone"], "stone.yyyyy"))
    assert (found["notes"], found["steno"], found["atone"]) == (5, 2, 0)


def test_the_sample_game_of_seed_003() -> None:
    """It prints GYYBB for the first response; its prose has the right one."""
    codes = response_rows(Rule.WORDLE, ["stone", "sonar", "sonic"], ["sonic"])[:, 0]
    assert [Rule.WORDLE.text(int(code), 5) for code in codes] == ["gbyyb", "gggbb", "ggggg"]
    left = ["soncy", "sonds", "songo", "songs", "songy", "sonic", "sonly", "sonsy"]
    wrong = ["sonni", "sonny"]  # it lists these two as well, though the n of stone would be green
    listed = WordList((*left, *wrong, "stone", "sonar", "songe", "snore", "bacon"), "words")
    game: Game = make_game(listed, listed, Rule.WORDLE)
    turn = Board(game).start()
    for guess, text in (("stone", "gbyyb"), ("sonar", "gggbb")):
        turn = turn.after(game.guesses.index(guess), game.rule.parse(text, 5))
    assert [game.answers[a] for a in turn.answers] == left


def test_every_strategy_says_something_at_every_turn_of_the_sample_game() -> None:
    """The view of all four strategies side by side, and the schedule over them."""
    turn = played([*FOUR, "sonic", "sonar"], "stone.gbyyb")
    for name in ("distinct_letters", "letter_frequency", "per_letter_elimination", "retry_misplaced", "schedule"):
        assert len(shown(name, turn)) == len(turn.guesses)
    assert shown("schedule", turn) == shown("retry_misplaced", turn)
