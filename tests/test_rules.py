"""Every rule against the naive twin, and responses as text."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.game.rules import ResponseError, Rule, code_dtype, response_rows
from tests import naive

RULES = tuple(Rule)
every_rule = pytest.mark.parametrize("rule", RULES)
# Few letters, so that most words have duplicates; one beyond the basic plane.
words = st.integers(1, 10).flatmap(
    lambda n: st.lists(st.text("abcé\U0001d538", min_size=n, max_size=n), min_size=1, max_size=12, unique=True)
)


@every_rule
@given(words=words)
def test_rows_equal_the_naive_twin(rule: Rule, words: list[str]) -> None:
    rows = response_rows(rule, words, words)
    assert rows.tolist() == [[naive.RULES[rule](guess, answer) for answer in words] for guess in words]
    assert rows.dtype == code_dtype(rule, len(words[0]))
    assert not rows.flags.writeable


@every_rule
def test_every_pair_of_short_words_over_three_letters(rule: Rule) -> None:
    words = ["".join(letters) for letters in product("abc", repeat=4)]
    expected = [[naive.RULES[rule](guess, answer) for answer in words] for guess in words]
    assert response_rows(rule, words, words).tolist() == expected


@every_rule
@given(words=words)
def test_only_the_answer_itself_is_solved(rule: Rule, words: list[str]) -> None:
    rows = response_rows(rule, words, words)
    assert ((rows == rule.solved(len(words[0]))) == np.eye(len(words), dtype=bool)).all()


@pytest.mark.parametrize(
    ("answer", "guess", "text"),
    [
        ("those", "geese", "bbbgg"),
        ("dread", "added", "yybyg"),
        ("stage", "spasm", "gbgbb"),
        ("elder", "error", "gbbbg"),
        ("annex", "ninny", "ybgbb"),
        ("lilac", "hello", "bbgyb"),
        ("horse", "roses", "ygyyb"),
        ("spree", "spare", "ggbyg"),
        ("cynic", "cecum", "gbybb"),
        ("super", "sneer", "gbbgg"),
    ],
)
def test_published_scorer_cases(answer: str, guess: str, text: str) -> None:
    code = int(response_rows(Rule.WORDLE, [guess], [answer])[0, 0])
    assert Rule.WORDLE.text(code, 5) == text
    assert naive.wordle(guess, answer) == code


@pytest.mark.parametrize("rule", [Rule.WORDLE, Rule.NAIVE])
@pytest.mark.parametrize("length", [1, 3, 5])
def test_letter_text_round_trip(rule: Rule, length: int) -> None:
    texts = [rule.text(code, length) for code in range(3**length)]
    assert [rule.parse(text, length) for text in texts] == list(range(3**length))
    assert texts[-1] == "g" * length == rule.text(rule.solved(length), length)


@pytest.mark.parametrize("rule", [Rule.MASTERMIND, Rule.BULLS_AND_COWS])
def test_peg_text_round_trip(rule: Rule) -> None:
    for black, white in product(range(5), repeat=2):
        if black + white <= 4:
            code = rule.parse(f"{black}+{white}", 4)
            assert rule.text(code, 4) == f"{black}+{white}"
    assert rule.text(rule.solved(4), 4) == "4+0"


@pytest.mark.parametrize("text", ["bbygb", "00120", "--?+-", "⬛⬛🟨🟩⬛", "BBYGB", "⬜⬜🟨🟩⬜"])
def test_many_ways_to_write_a_response(text: str) -> None:
    assert Rule.WORDLE.parse(text, 5) == 0 * 81 + 0 * 27 + 1 * 9 + 2 * 3 + 0


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule.WORDLE, "bbyg"),
        (Rule.WORDLE, "bbxgb"),
        (Rule.MASTERMIND, "3+2"),
        (Rule.MASTERMIND, "g"),
        (Rule.MASTERMIND, "0" * 5000 + "+0"),
    ],
)
def test_no_response(rule: Rule, text: str) -> None:
    with pytest.raises(ResponseError, match="is not a response; write"):
        rule.parse(text, 4 if rule is Rule.MASTERMIND else 5)


def test_codes_take_two_bytes_from_six_letters_on() -> None:
    assert code_dtype(Rule.WORDLE, 5) is np.uint8
    assert code_dtype(Rule.WORDLE, 6) is np.uint16
    assert code_dtype(Rule.WORDLE, 10) is np.uint16
    assert code_dtype(Rule.MASTERMIND, 10) is np.uint8
