"""The ranking columns: exact ties, definitions in plain arithmetic, and published figures."""

from fractions import Fraction
from math import log2, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config import shipped
from pipeline.game.entropy import log2_table, xlog2x
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule, response_rows
from pipeline.search.bounds import guess_lower
from pipeline.stages.rank import SCHEMA
from pipeline.strategies.ranking import MORE_IS_BETTER, BucketColumns, LetterColumns, bucket_sizes

sizes = st.lists(st.integers(1, 60), min_size=1, max_size=12)


def columns(guesses: list[str], answers: tuple[str, ...]) -> dict[str, dict[str, int | float]]:
    of_buckets = BucketColumns(len(answers))
    rows = response_rows(Rule.WORDLE, guesses, answers)
    return {guess: of_buckets.row(bucket_sizes(row)) for guess, row in zip(guesses, rows, strict=True)}


@given(a=sizes, b=sizes)
def test_equal_by_mathematics_is_equal_as_a_float(a: list[int], b: list[int]) -> None:
    table = log2_table(60)
    first, second = (xlog2x(table, np.array(counts)) for counts in (a, b))
    exact = prod(n**n for n in a), prod(n**n for n in b)
    assert (first == second) == (exact[0] == exact[1])
    assert (first < second) == (exact[0] < exact[1])


@pytest.mark.parametrize(("p", "q"), [(2, 3), (3, 5), (3, 7), (5, 7), (5, 11), (3, 11)])
def test_ties_of_different_sizes_that_floats_break(p: int, q: int) -> None:
    """(pq)^(pq) = (p^p)^q * (q^q)^p."""
    table = log2_table(60)
    assert xlog2x(table, np.array([p * q])) == xlog2x(table, np.array([p] * q + [q] * p))


@given(st.lists(st.integers(0, 400), min_size=1, max_size=300))
def test_log2_table_is_accurate(counts: list[int]) -> None:
    exact = sum(n * log2(n) for n in counts if n)
    assert xlog2x(log2_table(400), np.array(counts)) == pytest.approx(exact, rel=1e-14, abs=1e-14)


def test_ranking_columns_are_those_of_the_table() -> None:
    assert set(MORE_IS_BETTER) == set(SCHEMA.names) - {"guess", "is_answer"}


def test_original_game() -> None:
    answers = word_list("original_answers.txt", (shipped("data"),)).words
    found = columns(["raise", "slate", "salet", "trace", "soare", "roate"], answers)
    raise_ = found["raise"]
    assert (raise_["buckets"], raise_["largest_bucket"]) == (132, 168)
    assert raise_["expected_size"] == 61.00086393088553
    assert raise_["entropy"] == pytest.approx(5.877909690821478, abs=4e-15)
    assert [found[guess]["buckets"] for guess in ("slate", "salet", "trace")] == [147, 148, 150]
    assert found["soare"]["remaining_entropy"] == pytest.approx(5.290836, abs=5e-7)
    assert found["roate"]["remaining_entropy"] == pytest.approx(5.2940171538556315, abs=4e-15)


def test_primel() -> None:
    primes = word_list("primes:5").words
    found = columns(["17923"], primes)["17923"]
    assert found["expected_size"] == pytest.approx(121.54167, abs=5e-6)
    assert found["entropy"] == pytest.approx(6.62459, abs=5e-6)


def test_two_guess_wins_and_lower_by_hand() -> None:
    sizes = np.array([1, 1, 1, 2, 4])
    assert BucketColumns(9).row(sizes)["two_guess_wins"] == 3
    # 9 for this guess; 1 + 1 + 1 + 3 + 7 for the buckets, or 3*4-2-1 = 9 for the last if no guess makes more than 2.
    assert guess_lower(sizes, False, 100) == 9 + 13
    assert guess_lower(sizes, True, 100) == 9 + 12
    assert guess_lower(sizes, False, 2) == 9 + 1 + 1 + 1 + 3 + 9


def test_letter_entropy_of_a_hand_made_list() -> None:
    """Shares by place: 3/4 a, 1/4 b; 1/4 a, 3/4 b; 1/4 a, 3/4 b. Multisets: aab 2/4, abb 1/4, bbb 1/4."""
    of_letters = LetterColumns(["aab", "aba", "abb", "bbb"])

    def h(*shares: tuple[int, int]) -> float:
        return -sum(p / q * log2(p / q) for p, q in shares)

    assert of_letters.row("aab")["letter_entropy"] == pytest.approx(h((3, 4), (1, 4), (3, 4), (2, 4)))
    assert of_letters.row("bbb")["letter_entropy"] == pytest.approx(h((1, 4), (3, 4), (3, 4), (1, 4)))


def test_published_letter_entropies() -> None:
    of_letters = LetterColumns(["aaabb", "ababa", "bbaaa", "aaabc"])
    found = {word: of_letters.row(word)["letter_entropy"] for word in ("aaabb", "ababa", "bbaaa", "aaabc")}
    assert found == pytest.approx(
        {"aaabb": 1.933834, "ababa": 1.933834, "bbaaa": 2.311278, "aaabc": 2.122556}, abs=5e-7
    )
    assert found["aaabb"] == found["ababa"]


def test_published_letter_frequencies() -> None:
    of_letters = LetterColumns(["aa", "ab", "bb"])
    assert [of_letters.row(word)["letter_frequency"] for word in ("aa", "ab", "bb")] == [0.75, 1, 0.75]
    words = ["audit", "stone", "tones", "knots"]
    rows = [LetterColumns(words).row(word) for word in words]
    assert [row["letter_frequency"] for row in rows] == pytest.approx([0.2833, 0.35, 0.35, 0.4167], abs=5e-5)
    assert [row["letter_frequency_global"] for row in rows] == [8, 15, 15, 14]


def test_letter_frequencies_of_a_hand_made_list() -> None:
    row = LetterColumns(["aab", "aba", "abb", "bbb"]).row("bab")
    assert row["letter_frequency_global"] == 7 + 5 + 7
    assert row["letter_frequency"] == float(Fraction(1, 2) + Fraction(1, 2) + Fraction(3, 2)) / 3
