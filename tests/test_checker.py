"""The checker: accepts what is true, and says what is wrong with everything else."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import checker
from tests import naive
from tests.corpus import accepted
from tests.prover import proof
from tests.runs import ROOT

CORPUS = Path(__file__).parent / "certificates"


def cases(kind: str) -> list[Path]:
    return sorted(path for path in (CORPUS / kind).iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", cases("accept"), ids=lambda path: path.name)
def test_accepted(folder: Path) -> None:
    status, verdict = checker.check(folder)
    assert (status, verdict.split(":")[0]) == (checker.ACCEPTED, "ACCEPTED"), verdict
    assert "nothing was left out" in verdict


@pytest.mark.parametrize("folder", cases("reject"), ids=lambda path: path.name)
def test_rejected_by_the_rule_that_it_breaks(folder: Path) -> None:
    status, verdict = checker.check(folder)
    assert status == checker.REJECTED, verdict
    assert verdict.startswith(f"REJECTED by {(folder / 'caught_by').read_text().strip()}:"), verdict


@pytest.mark.parametrize("folder", cases("malformed"), ids=lambda path: path.name)
def test_malformed(folder: Path) -> None:
    status, verdict = checker.check(folder)
    assert (status, verdict.split()[0].strip(":")) == (checker.MALFORMED, "MALFORMED"), verdict


@pytest.mark.parametrize("claim", [b"[" * 10**6, b"", b"17", b'{"format":1}', b"\xff"])
def test_what_is_no_claim_is_malformed(claim: bytes, tmp_path: Path) -> None:
    folder = shutil.copytree(CORPUS / "accept" / "wordle", tmp_path / "hostile")
    (folder / "claim.json").write_bytes(claim)
    assert checker.check(folder)[0] == checker.MALFORMED


def test_the_corpus_has_enough_of_each() -> None:
    assert {path.name for path in cases("accept")} == {name for name, _ in accepted()}
    assert len(cases("reject")) >= 15
    assert len(cases("malformed")) >= 15


@pytest.mark.parametrize("name", ["wordle", "mastermind", "infeasible"])
def test_any_changed_byte_is_noticed(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(CORPUS / "accept" / name, tmp_path / name)
    rng = np.random.default_rng(len(name))
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        for at in rng.integers(0, len(content), 40):
            changed = bytearray(content)
            changed[at] ^= int(rng.integers(1, 256))
            path.write_bytes(changed)
            status, verdict = checker.check(folder)
            assert status in (checker.REJECTED, checker.MALFORMED), (path.name, at, verdict)
        path.write_bytes(content)
    assert checker.check(folder)[0] == checker.ACCEPTED


def test_a_sample_says_that_it_is_one() -> None:
    status, verdict = checker.check(CORPUS / "accept" / "wordle", sample=3)
    assert status == checker.PARTLY
    assert "3 of " in verdict
    assert "not checked" in verdict


@pytest.mark.parametrize("sample", [0, -5])
def test_a_claim_that_its_own_tree_refutes_is_rejected_whatever_the_sample(sample: int) -> None:
    status, verdict = checker.check(CORPUS / "reject" / "wordle-lemma_too_high", sample)
    assert status == checker.REJECTED
    assert "does better" in verdict
    assert " 0 of " in checker.check(CORPUS / "accept" / "wordle", sample)[1]


def test_words_do_not_command_the_terminal(tmp_path: Path) -> None:
    hostile = proof(["\x1b[8m", "ab\u202ec"], ["\x1b[8m"], "wordle", 6).write(tmp_path / "hostile")
    command = [sys.executable, str(ROOT / "pipeline" / "checker.py"), str(hostile)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0
    assert run.stdout.strip().isprintable()


def test_runs_as_a_program_of_its_own(tmp_path: Path) -> None:
    """Outside the checkout, without the package: only the one file."""
    program = shutil.copy(ROOT / "pipeline" / "checker.py", tmp_path)
    for name, code in (("accept/mastermind", 0), ("reject/mastermind-lemma_too_high", 1), ("malformed/format_2", 3)):
        command = [sys.executable, "-P", program, str(CORPUS / name)]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert run.returncode == code, run.stderr
    sampled = [sys.executable, "-P", program, str(CORPUS / "accept" / "wordle"), "--sample", "2"]
    assert subprocess.run(sampled, cwd=tmp_path, capture_output=True, timeout=600).returncode == 2


words = st.text("abcd", min_size=4, max_size=4)


@settings(deadline=None, max_examples=200)
@given(guess=words, answer=words, rule=st.sampled_from(checker.RULES))
def test_responses(guess: str, answer: str, rule: str) -> None:
    given = (np.array([ord(char) for char in word]) for word in (guess, answer))
    assert checker.response(checker.RULES.index(rule), *given) == naive.RULES[rule](guess, answer)


@st.composite
def small_games(draw: st.DrawFn) -> tuple[list[str], list[str], str, int | None]:
    guesses = draw(st.lists(st.text("abc", min_size=3, max_size=3), min_size=2, max_size=14, unique=True))
    answers = draw(st.lists(st.sampled_from(guesses), min_size=1, max_size=8, unique=True))
    return guesses, answers, draw(st.sampled_from(["wordle", "mastermind"])), draw(st.sampled_from([None, 2, 3, 5]))


@settings(deadline=None, max_examples=80)
@given(game=small_games(), data=st.data())
def test_true_proofs_are_accepted_and_no_lemma_may_be_higher(
    game: tuple[list[str], list[str], str, int | None], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    true = proof(*game)
    folder = tmp_path_factory.mktemp("proof")
    status, verdict = checker.check(true.write(folder))
    assert status == checker.ACCEPTED, verdict
    finite = [row for row in true.lemmas if row["lower"] is not None]
    if finite:  # each is the least total itself, so one more is false
        row = data.draw(st.sampled_from(finite))
        row["lower"] = data.draw(st.sampled_from([row["lower"] + 1, None]))
        assert checker.check(true.write(folder))[1].startswith("REJECTED by lemma")


@settings(deadline=None, max_examples=80)
@given(n=st.integers(1, 400), most=st.integers(2, 30), left=st.integers(0, 9))
def test_static_bound(n: int, most: int, left: int) -> None:
    """Against a count of how many answers can be found by the first, second, ... guess."""
    total, unfound, turn, found_before = 0, n, 1, 0
    while unfound and turn <= left:
        now = min(unfound, most ** (turn - 1) - found_before)
        total, unfound, found_before = total + turn * now, unfound - now, most ** (turn - 1)
        turn += 1
    assert checker.static_lower(n, most, left) == (checker.INFEASIBLE if unfound else total)


def test_it_is_short() -> None:
    """Someone should read it in a sitting: fewer than 250 lines of code, docstrings, comments and blank lines aside."""
    text = (ROOT / "pipeline" / "checker.py").read_text()
    told = set[int]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            told.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = [line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in told]
    assert len([line for line in lines if line and not line.startswith("#")]) < 250
