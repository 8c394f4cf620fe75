"""The kernel against the naive twin on random tables: every guesses_left, every budget around the truth."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.search.bounds import INFEASIBLE
from pipeline.search.engine import Engine
from tests import naive
from tests.tables import RandomTable, plain_total, random_table, small_tables

EXAMPLES = int(os.environ.get("KERNEL_EXAMPLES", "2000"))
small = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NO_CAP = 99


def check_contract(engine: Engine, answers: list[int], guesses_left: int, truth: int, budget: int) -> None:
    engine.forget()
    total = engine.best(np.array(answers, np.int32), guesses_left, budget)
    if truth < budget:
        assert total == truth
    else:
        assert budget <= total <= truth


@small
@given(small_tables(), st.data())
def test_best_total_is_the_naive_one(table: RandomTable, data: st.DataObject) -> None:
    """Whatever the memory, and whichever way a set is looked at."""
    n = len(table.members)
    engine = table.engine(data.draw(st.sampled_from([0, 1])), label_mib=data.draw(st.sampled_from([0, 1])))
    engine.search = engine.search._replace(
        members_first=data.draw(st.sampled_from([0, 5, 99])), narrow_from=data.draw(st.sampled_from([0, 5, 99]))
    )
    answers = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True) | st.just(list(range(n))))
    for guesses_left in (1, 2, 3, 4, 5, 6, NO_CAP):
        truth = table.naive_total(answers, guesses_left)
        for budget in {truth - 2, truth - 1, truth, truth + 1, truth + 2, 2 * n, 3 * n, INFEASIBLE}:
            check_contract(engine, answers, guesses_left, truth, min(budget, INFEASIBLE))


@small
@given(small_tables(), st.data())
def test_bounds_left_in_the_table_do_no_harm(table: RandomTable, data: st.DataObject) -> None:
    """Searches that share a table, in any order of sets, caps and budgets."""
    engine, n = table.engine(), len(table.members)
    engine.search = engine.search._replace(narrow_from=data.draw(st.integers(0, 40)))
    for _ in range(6):
        answers = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
        guesses_left = data.draw(st.integers(1, 6))
        truth = table.naive_total(answers, guesses_left)
        budget = min(truth + data.draw(st.integers(-3, 3)), INFEASIBLE)
        total = engine.best(np.array(answers, np.int32), guesses_left, budget)
        assert total == truth if truth < budget else budget <= total <= truth


@pytest.mark.parametrize(
    ("answers", "guesses", "codes", "buckets"),
    [
        (70, 80, 4, 5),
        (90, 700, 30, 30),  # more columns than a block
        (100, 130, 200, 65),  # more responses than a mask has bits
        (80, 100, 1000, 70),  # and guesses that tell nearly all answers apart
        (300, 340, 250, 180),  # than three masks have
        (400, 420, 1000, 300),  # than a byte holds
    ],
)
def test_large_tables_against_a_plain_search(answers: int, guesses: int, codes: int, buckets: int) -> None:
    for seed in range(3):
        table = random_table(seed, answers, guesses, codes)
        assert max(len(np.unique(row)) for row in table.responses) >= buckets
        engine, everything = table.engine(label_mib=seed), list(range(answers))
        engine.search = engine.search._replace(narrow_from=(10, 200)[seed % 2])
        for guesses_left in (2, 3, NO_CAP):
            truth = plain_total(table, everything, guesses_left)
            for budget in (truth, truth + 1, INFEASIBLE):
                check_contract(engine, everything, guesses_left, truth, min(budget, INFEASIBLE))


@settings(small, max_examples=EXAMPLES // 2)
@given(small_tables(), st.data())
def test_optimal_guesses_are_the_naive_ones(table: RandomTable, data: st.DataObject) -> None:
    """All of them, in the order of the tie rule."""
    n = len(table.members)
    answers = sorted(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=8, unique=True)))
    guesses_left = data.draw(st.sampled_from([2, 3, 4, NO_CAP]))
    engine, rows = table.engine(), np.array(answers, np.int32)
    truth = table.naive_total(answers, guesses_left)
    if truth == INFEASIBLE:
        return
    best = []
    for g, row in enumerate(table.responses):
        buckets = naive.partition(row, answers)
        if len(buckets) > 1 or table.solved in buckets:
            parts = [table.naive_total(b, guesses_left - 1) for r, b in buckets.items() if r != table.solved]
            if len(answers) + sum(parts) == truth:
                best.append(g)
    here, members = set(table.members[answers].tolist()), set(table.members.tolist())
    best.sort(key=lambda g: (g not in here, g not in members, g))
    assert list(engine.optimal(rows, guesses_left, truth)) == best


def test_tie_rule() -> None:
    """Three answers that leave a pair each, and two other guesses that tell them apart, all cost 6."""
    solved = 3
    responses = np.array(
        [
            [0, 1, 2, solved],  # the fourth answer
            [0, 1, 2, 0],  # no answer
            [solved, 0, 0, 1],
            [0, solved, 0, 1],
            [0, 0, solved, 1],
        ],
        np.uint8,
    )
    responses.setflags(write=False)
    engine = RandomTable(responses, np.array([2, 3, 4, 0]), solved).engine()
    assert list(engine.optimal(np.array([0, 1, 2], np.int32), NO_CAP, 6)) == [2, 3, 4, 0, 1]


def test_beam_of_every_guess_is_exact() -> None:
    for seed in range(20):
        table = random_table(seed, 10, 25, 4)
        answers = list(range(10))
        for guesses_left in (3, 4, NO_CAP):
            total = table.engine(width=25).best(np.array(answers, np.int32), guesses_left)
            assert total == table.naive_total(answers, guesses_left)


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="this is the run without the JIT")
def test_small_tables_without_the_jit() -> None:
    """The same properties of the same functions as plain Python: what the compiler does is not what makes them hold."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "KERNEL_EXAMPLES": "100"}
    tests = [
        "test_best_total_is_the_naive_one",
        "test_bounds_left_in_the_table_do_no_harm",
        "test_optimal_guesses_are_the_naive_ones",
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"{__file__}::{t}" for t in tests)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    assert "3 passed" in run.stdout
