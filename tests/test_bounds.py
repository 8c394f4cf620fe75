"""Every bound against the naive twin: never above the truth, and equal to it where it says so."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.search.bounds import INFEASIBLE, guess_lower, set_lower, size_lower, split_lower, useful_guesses
from tests import naive
from tests.tables import RandomTable, small_tables

CAPS = (1, 2, 3, 4, 6, 99)


def subset(table: RandomTable, data: st.DataObject) -> list[int]:
    n = len(table.members)
    return data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=9, unique=True), label="answers")


def bucket_numbers(table: RandomTable, answers: list[int]) -> list[int]:
    return [len(naive.partition(row, answers)) for row in table.responses]


@settings(max_examples=300, deadline=None)
@given(small_tables(), st.data())
def test_size_lower(table: RandomTable, data: st.DataObject) -> None:
    answers = subset(table, data)
    most = max(bucket_numbers(table, list(range(len(table.members)))))
    for guesses_left in CAPS:
        total, lower = table.naive_total(answers, guesses_left), size_lower(len(answers), most, guesses_left)
        assert lower <= total
        assert lower == total or len(answers) > 2
    assert set_lower(np.array([len(answers)]), most)[0] <= size_lower(len(answers), most, 99)


def test_size_lower_counts_what_each_guess_can_find() -> None:
    # Two buckets a guess: 1 answer is found by 1 guess, 2 within 2, 4 within 3, 8 within 4: 1 + 2 + 2 * 3 + 4 * 4.
    assert size_lower(8, 2, 99) == 25
    assert size_lower(8, 2, 4) == 25
    assert size_lower(8, 2, 3) == INFEASIBLE


@settings(max_examples=300, deadline=None)
@given(small_tables(), st.data())
def test_split_lower(table: RandomTable, data: st.DataObject) -> None:
    answers = subset(table, data)
    numbers = bucket_numbers(table, answers)
    for g in range(0, len(numbers), 3):
        if numbers[g] == 1:
            continue
        buckets = naive.partition(table.responses[g], answers)
        is_member = table.solved in buckets
        sizes = np.array([len(bucket) for bucket in buckets.values()])
        for guesses_left in (2, 3, 99):
            parts = [table.naive_total(b, guesses_left - 1) for r, b in buckets.items() if r != table.solved]
            total = min(len(answers) + sum(parts), INFEASIBLE)
            lower = split_lower(len(answers), numbers[g], is_member, max(numbers))
            assert lower <= total
            assert guess_lower(sizes, is_member, max(numbers)) <= total
            if sizes.max() == 1 or (sizes.max() == 2 and guesses_left > 2):
                assert lower == total


@settings(max_examples=150, deadline=None)
@given(small_tables(), st.data())
def test_useful_guesses(table: RandomTable, data: st.DataObject) -> None:
    answers = subset(table, data)
    n = len(answers)
    assert useful_guesses(99, n) == n
    assert table.naive_total(answers, None) == table.naive_total(answers, n)
