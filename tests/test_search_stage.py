"""The search stage against the naive twin: totals, ties, caps and budgets, however the work is cut."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from pipeline.game.game import Game, make_game
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule, response_rows
from pipeline.game.words import WordList
from pipeline.runtime.place import place_of
from pipeline.runtime.progress import Progress
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import Task, run_stage
from pipeline.search.bounds import INFEASIBLE
from pipeline.stages import rounds
from pipeline.stages.ingest import ingest_stage
from pipeline.stages.openers import ContradictionError, Opener, Openers, Status
from pipeline.stages.rank import rank_stage, ranked
from pipeline.stages.responses import responses_stage
from pipeline.stages.search import ROWS, SearchOptions
from pipeline.stages.searching import Search
from pipeline.stages.watch import OutOfTimeError, SearchWatcher
from tests import naive

quiet = Progress(Console(quiet=True))
slow = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
PLAIN = SearchOptions(None, None, 1, None, "buckets", None, 1)


@st.composite
def games(draw: st.DrawFn) -> Game:
    words = draw(st.lists(st.text("abc", min_size=3, max_size=3), min_size=2, max_size=16, unique=True))
    answers = draw(st.lists(st.sampled_from(words), min_size=1, max_size=9, unique=True))
    rule = draw(st.sampled_from([Rule.WORDLE, Rule.MASTERMIND]))
    cap = draw(st.sampled_from([None, 2, 3, 4]))
    return make_game(WordList(tuple(words), "g"), WordList(tuple(answers), "a"), rule, cap)


def opener_totals(game: Game) -> dict[str, int | None]:
    """The least total of every opener, by the naive twin; None is INFEASIBLE."""
    table = response_rows(game.rule, game.guesses, game.answers).tolist()
    left = None if game.max_guesses is None else game.max_guesses - 1
    totals: dict[str, int | None] = {}
    for word, row in zip(game.guesses, table, strict=True):
        buckets = naive.partition(row, range(len(game.answers)))
        parts = [naive.best_total(table, game.solved, b, left) for r, b in buckets.items() if r != game.solved]
        known = [part for part in parts if part is not None]
        totals[word] = len(game.answers) + sum(known) if len(known) == len(parts) else None
    return totals


def searched(game: Game, options: SearchOptions, folder: Path) -> Search:
    executor, outputs = SerialExecutor(), place_of(folder)
    responses = run_stage(
        responses_stage(game, run_stage(ingest_stage(game), outputs, executor, quiet)), outputs, executor, quiet
    )
    rank = run_stage(rank_stage(game, responses), outputs, executor, quiet)
    search = Search(game, options, ranked(rank, options.order), None, outputs)
    search.run(responses, rank, executor, quiet)
    return search


def agrees(search: Search, totals: dict[str, int | None], best: int, budget: int | None) -> None:
    """Exact is exact, beaten is strictly worse than the best n, and nothing is left open."""
    feasible = sorted(total for word, total in totals.items() if total is not None and word in search.openers.by_word)
    within = [total for total in feasible if budget is None or total < budget]
    enough = within[best - 1] if len(within) >= best else INFEASIBLE
    for opener in search.openers:
        total = totals[opener.word]
        if opener.status is Status.EXACT:
            assert opener.lower == opener.upper == total
        elif opener.status is Status.INFEASIBLE:
            assert total is None
        else:
            assert opener.status is Status.BEATEN
            assert total is None or total >= opener.lower
            assert total is None or total > enough or (budget is not None and total >= budget)
    result = search.write_result()
    assert result["proven"]
    assert set(result["optimal_openers"]) == {w for w in search.openers.by_word if within and totals[w] == within[0]}


@slow
@given(game=games(), best=st.integers(1, 4))
def test_all_openers(game: Game, best: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    options = SearchOptions(None, None, best, None, "buckets", None, 1)
    agrees(searched(game, options, tmp_path_factory.mktemp("run")), opener_totals(game), best, None)


@slow
@given(game=games(), order=st.sampled_from(["buckets", "entropy", "two_guess_wins"]))
def test_ties_go_by_the_tie_rule_whatever_was_searched_first(
    game: Game, order: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    options = SearchOptions(None, None, 1, None, order, None, 1)
    result = searched(game, options, tmp_path_factory.mktemp("run")).write_result()
    totals = opener_totals(game)
    least = min((total for total in totals.values() if total is not None), default=None)
    optimal = [word for word in game.guesses if least is not None and totals[word] == least]
    assert result["optimal_openers"] == sorted(optimal, key=lambda word: word not in game.answers)


@slow
@given(game=games(), change=st.integers(-3, 3), order=st.sampled_from(["buckets", "lower", "letter_frequency_global"]))
def test_a_budget(game: Game, change: int, order: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    totals = opener_totals(game)
    known = [total for total in totals.values() if total is not None]
    budget = max(1, min(known, default=9) + change)
    options = SearchOptions(None, None, 1, budget, order if game.rule is Rule.WORDLE else "buckets", None, 1)
    search = searched(game, options, tmp_path_factory.mktemp("run"))
    agrees(search, totals, 1, budget)
    if known and change <= 0:
        result = search.write_result()
        assert (result["best_opener"], result["lower"]) == (None, max(budget, result["lower"]))


@slow
@given(game=games(), data=st.data())
def test_listed_openers_are_all_exact(
    game: Game, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words = tuple(data.draw(st.lists(st.sampled_from(game.guesses), min_size=1, max_size=4, unique=True)))
    search = searched(
        game, SearchOptions(words, None, len(words), None, "entropy", None, 1), tmp_path_factory.mktemp("r")
    )
    totals = opener_totals(game)
    assert {o.word: (None if o.status is Status.INFEASIBLE else o.lower) for o in search.openers} == {
        word: totals[word] for word in words
    }
    assert search.write_result()["scope"] == "listed"


@slow
@given(game=games())
def test_buckets_cut_into_shares(game: Game, tmp_path_factory: pytest.TempPathFactory) -> None:
    """With a task cost this small every bucket is too large for one task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "SMALL", 1)
        patch.setattr(rounds, "PIECES", 10**6)
        patch.setattr(rounds, "bucket_cost", lambda game, size: 5 + size)
        agrees(searched(game, PLAIN, tmp_path_factory.mktemp("run")), opener_totals(game), 1, None)


def test_shares_are_tasks_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "SMALL", 1)
    monkeypatch.setattr(rounds, "PIECES", 10**6)
    monkeypatch.setattr(rounds, "bucket_cost", lambda game, size: 5 + size)
    words = WordList(tuple(f"{a}{b}{c}" for a in "abc" for b in "abc" for c in "ab"), "w")
    game = make_game(words, words, Rule.WORDLE, None)
    search = searched(game, SearchOptions(("aab",), None, 1, None, "buckets", None, 1), tmp_path)
    from pipeline.runtime.store import read_parts

    rows = read_parts([place_of(path) for path in sorted(tmp_path.glob("search-*/part-*"))])
    assert rows["shares"].null_count < rows.num_rows
    assert max(share for share in rows["share"].to_pylist() if share is not None) >= 5
    assert search.openers.by_word["aab"].lower == opener_totals(game)["aab"]


def test_beam_gives_upper_bounds_and_proves_nothing_it_has_not(tmp_path: Path) -> None:
    words = WordList(tuple(f"{a}{b}{c}" for a in "abc" for b in "abc" for c in "abc"), "w")
    game = make_game(words, words, Rule.WORDLE, None)
    totals = opener_totals(game)
    search = searched(game, SearchOptions(None, 5, 1, None, "entropy", 1, 1), tmp_path)
    for opener in search.openers:
        total = totals[opener.word]
        assert opener.upper is not None
        assert total is not None
        assert opener.lower <= total <= opener.upper
    assert search.write_result()["proven"] == all(o.lower == o.upper for o in search.openers)


def test_a_beam_that_keeps_no_cap_leaves_its_openers_open(tmp_path: Path) -> None:
    codes = word_list("mastermind:2x3")
    search = searched(
        make_game(codes, codes, Rule.MASTERMIND, 3), SearchOptions(None, None, 1, None, "entropy", 1, 1), tmp_path
    )
    result = search.write_result()
    assert (result["proven"], result["best_opener"]) == (False, None)
    assert result["lower"] <= 21  # what is known without the beam still holds


def test_the_same_rows_twice_change_nothing_and_a_contradiction_is_told() -> None:
    import pyarrow as pa

    openers = Openers([Opener("aa", 0, True, 2, 5)], 3, 1, None)
    row = {"opener": "aa", "size": 1, "share": None, "shares": None, "guess": None, "nodes": 0, "seconds": 0.0}
    rows = [
        {**row, "response": 8, "budget": None, "lower": 0, "upper": 0},
        {**row, "response": 1, "size": 2, "budget": 9, "lower": 3, "upper": None},
    ]
    with pytest.raises(ContradictionError):  # 3 + 3 is below the budget, and not exact
        openers.observe(pa.Table.from_pylist([rows[0] | {"budget": 9}, rows[1]], schema=ROWS))
    rows[1] |= {"upper": 3}
    for _ in range(2):
        openers.observe(pa.Table.from_pylist(rows, schema=ROWS))
    assert (openers.by_word["aa"].status, openers.lower(), openers.budget()) == (Status.EXACT, 6, 7)
    assert [openers.count(status) for status in (Status.EXACT, Status.OPEN)] == [1, 0]


def test_costs_only_pack_and_every_unit_is_in_one_task() -> None:
    rng = np.random.default_rng(5)
    units = [{"id": i, "cost": int(cost)} for i, cost in enumerate(rng.integers(1, 10**6, 500))]
    tasks = rounds.packed("01", units)
    assert [unit["id"] for task in tasks for unit in task.data["units"]] == list(range(500))
    assert len({task.key for task in tasks}) == len(tasks)
    assert all(sum(u["cost"] for u in task.data["units"]) <= rounds.LARGE for task in tasks)


def test_a_time_limit_begins_with_the_first_worker_and_ends_nothing_that_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("pipeline.stages.watch.time.monotonic", lambda: now)
    openers = Openers([Opener("ab", 0, False, 2, 1)], 9, 1, None)
    watcher = SearchWatcher(openers, 40, 2.0, place_of(tmp_path), lambda: None)
    now = 100.0  # a cluster took its time
    watcher.tick(2)
    now = 103.0
    with pytest.raises(OutOfTimeError):
        watcher.tick(2)
    row = {"opener": "ab", "response": 0, "size": 9, "budget": None, "lower": 20, "upper": 20, "nodes": 1}
    watcher.observe(Task("a", {}, 10), pa.Table.from_pylist([row | {"seconds": 1.0}], schema=ROWS), is_new=True)
    watcher.tick(2)


def test_the_eta_goes_by_the_pace_of_the_work_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by what came before it, as compiling the kernel does."""
    now = 0.0
    monkeypatch.setattr("pipeline.stages.watch.time.monotonic", lambda: now)
    openers = Openers([Opener("ab", 0, False, 2, 1), Opener("ba", 1, False, 2, 1)], 9, 1, None)
    watcher = SearchWatcher(openers, 40, None, place_of(tmp_path), lambda: None)
    now = 100.0
    watcher.tick(2)
    row = {"opener": "ab", "response": 0, "size": 9, "budget": 5, "lower": 20, "nodes": 1, "seconds": 1.0}
    now = 103.0
    watcher.observe(Task("a", {}, 10), pa.Table.from_pylist([row], schema=ROWS), is_new=True)
    watcher.tick(2)
    assert watcher.eta() == 9.0  # three quarters of the work
