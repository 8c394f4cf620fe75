"""What the search notes is a proof: its certificates are accepted, however the work was cut, and bugs are found."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline import checker
from pipeline.game.game import Game, make_game
from pipeline.game.rules import Rule
from pipeline.game.words import WordList
from pipeline.search.solver import Solver
from pipeline.stages import certify as certify_module
from pipeline.stages import rounds
from pipeline.stages import search as search_module
from pipeline.stages.certify import CertificateError
from pipeline.stages.openers import Status
from pipeline.stages.search import SearchOptions
from tests.certified import certified
from tests.runs import ROOT

slow = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = WordList(tuple(f"{a}{b}t" for a in "bcfhmprsv" for b in "aio"), "w")  # so alike that static bounds do not do
MORE = ("bcf", "hmp", "rsv", "aio", "ttt")


def options(openers: tuple[str, ...] | None = None, best: int = 1, table: int = 1) -> SearchOptions:
    return SearchOptions(openers, None, best, None, "buckets", None, table, True)


@st.composite
def games(draw: st.DrawFn) -> Game:
    guesses = draw(st.lists(st.sampled_from(WORDS.words + MORE), min_size=3, max_size=24, unique=True))
    answers = draw(st.lists(st.sampled_from(guesses), min_size=1, max_size=16, unique=True))
    rule = draw(st.sampled_from([Rule.WORDLE, Rule.MASTERMIND]))
    cap = draw(st.sampled_from([None, 2, 4, 5, 6]))
    return make_game(WordList(tuple(guesses), "g"), WordList(tuple(answers), "a"), rule, cap)


def accepted(folder: Path) -> None:
    status, verdict = checker.check(folder / "certificate")
    assert status == checker.ACCEPTED, verdict


@slow
@given(game=games(), best=st.integers(1, 3), table=st.sampled_from([0, 1]))
def test_all_openers(game: Game, best: int, table: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("run")
    search = certified(game, options(None, best, table), folder)
    accepted(folder)
    claim = json.loads((folder / "certificate" / "claim.json").read_bytes())
    result = search.write_result()
    assert (claim["lower"], claim["upper"], claim["scope"]) == (result["lower"], result["upper"], "all")
    assert claim["lower"] == claim["upper"]


@slow
@given(game=games(), data=st.data())
def test_listed_openers(game: Game, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    words = tuple(data.draw(st.lists(st.sampled_from(game.guesses), min_size=1, max_size=4, unique=True)))
    folder = tmp_path_factory.mktemp("run")
    search = certified(game, options(words, len(words)), folder)
    accepted(folder)
    claim = json.loads((folder / "certificate" / "claim.json").read_bytes())
    totals = {o.word: None if o.status is Status.INFEASIBLE else o.lower for o in search.openers}
    assert {entry["opener"]: entry["lower"] for entry in claim["openers"]} == totals
    assert {entry["opener"]: entry["upper"] for entry in claim["openers"]} == totals


@pytest.mark.parametrize("cap", [None, 30, 12])
def test_a_listed_opener_that_tells_nothing(cap: int | None, tmp_path: Path) -> None:
    """What it costs is no bound for all openers, though it leaves the same answers as before the first guess."""
    game = make_game(WordList((*WORDS.words, "ttt"), "g"), WORDS, Rule.WORDLE, cap)
    search = certified(game, options(("ttt",), 1), tmp_path)
    accepted(tmp_path)
    assert search.openers.lower() == len(WORDS.words) + Solver(game).solve(guesses_left=cap and cap - 1).lower


@settings(slow, max_examples=10)
@given(game=games())
def test_buckets_cut_into_shares(game: Game, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "SMALL", 1)
        patch.setattr(rounds, "PIECES", 10**6)
        patch.setattr(rounds, "bucket_cost", lambda game, size: 5 + size)
        certified(game, options(), folder)
    accepted(folder)


@pytest.mark.parametrize("cut", ["whole", "shares", "room"])
@pytest.mark.parametrize("cap", [None, 11, 5])
def test_a_game_that_needs_lemmas(cut: str, cap: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if cut == "shares":
        monkeypatch.setattr(rounds, "SMALL", 1)
        monkeypatch.setattr(rounds, "PIECES", 10**6)
        monkeypatch.setattr(rounds, "bucket_cost", lambda game, size: 5 + size)
    if cut == "room":  # far too little: the task runs again with more
        monkeypatch.setattr(search_module, "ROOM", 5)
        monkeypatch.setattr(search_module.Kept, "solver", None)
    game = make_game(WORDS, WORDS, Rule.WORDLE, cap)
    certified(game, options(("bat", "cit", "vot"), 3), tmp_path)
    accepted(tmp_path)
    claim = json.loads((tmp_path / "certificate" / "claim.json").read_bytes())
    assert [entry["lower"] is None for entry in claim["openers"]] == 3 * [cap == 5]
    lemmas = pq.read_table(tmp_path / "certificate" / "lemmas.parquet")
    assert lemmas.num_rows > 50
    assert max(lower for lower in lemmas["lower"].to_pylist() if lower is not None) <= 27 * 28 / 2


def test_the_same_bytes_whatever_was_there_before(tmp_path: Path) -> None:
    game = make_game(WORDS, WORDS, Rule.WORDLE, 9)
    contents = []
    for name in ("one", "other"):
        certified(game, options(), tmp_path / name)
        if name == "other":  # some parts are gone, the rest is reused
            for path in sorted((tmp_path / name).glob("search-*/part-*"))[::2]:
                path.unlink()
            certified(game, options(), tmp_path / name)
        folder = tmp_path / name / "certificate"
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert contents[0] == contents[1]


@pytest.mark.parametrize("verify", ["none", "sample", "full"])
def test_the_verdict_is_in_the_result(verify: str, tmp_path: Path) -> None:
    certified(make_game(WORDS, WORDS, Rule.WORDLE, None), options(), tmp_path, verify)
    result = json.loads((tmp_path / "result.json").read_text())["certificate"]
    assert result["status"] == ("not checked" if verify == "none" else "accepted")
    assert result["digest"] == json.loads((tmp_path / "certificate" / "claim.json").read_bytes())["digest"]


def test_a_rejected_certificate_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = certify_module.tree_table
    monkeypatch.setattr(certify_module, "tree_table", lambda trees: right(trees).slice(0, 3))
    with pytest.raises(CertificateError, match="tree"):
        certified(make_game(WORDS, WORDS, Rule.WORDLE, None), options(), tmp_path, "sample")
    result = json.loads((tmp_path / "result.json").read_text())
    assert (result["certificate"]["status"], result["proven"], result["best_opener"]) == ("rejected", False, None)


def test_without_a_certificate_no_lemma_is_noted_and_an_old_one_goes(tmp_path: Path) -> None:
    game = make_game(WORDS, WORDS, Rule.WORDLE, None)
    certified(game, options(), tmp_path)
    search = certified(game, SearchOptions(None, None, 1, None, "buckets", None, 1, False), tmp_path)
    assert not (tmp_path / "certificate").exists()
    assert search.write_result()["certificate"] is None


@pytest.mark.parametrize("by", [0, 1])
def test_a_wrong_bound_in_the_search_is_found(by: int, tmp_path: Path) -> None:
    """The kernel believes that sets of five answers and more cost one more than its bound says; nobody else does."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.wrong_bound", str(tmp_path), str(by)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stderr
    status, verdict = checker.check(tmp_path / "certificate")
    if by:
        assert verdict.startswith("REJECTED"), verdict
    else:
        assert status == checker.ACCEPTED, verdict
