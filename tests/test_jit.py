"""The kernel's cache: one per version of the code and machine, found by every process, compiled once."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pipeline.search import jit

SEARCH = Path(jit.__file__).parent
SEVERAL = {"scan.bit": 3, "scan.mark_labels": 2}  # compiled for masks of 32 and of 64 bits; all else once


def test_digest_changes_with_any_file_of_the_kernel(tmp_path: Path) -> None:
    copy = shutil.copytree(SEARCH, tmp_path / "search")
    seen = {jit.sources_digest(copy)}
    for path in sorted(copy.glob("*.py")):
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        seen.add(jit.sources_digest(copy))
        path.write_bytes(before)
        assert jit.sources_digest(copy) in seen
    assert len(seen) == 1 + len(list(copy.glob("*.py")))


def test_digest_is_of_one_copy_of_the_package(tmp_path: Path) -> None:
    """Numba caches by path: a copy elsewhere is not compiled because this one is."""
    assert jit.sources_digest(shutil.copytree(SEARCH, tmp_path / "search")) != jit.sources_digest()


def test_cache_is_where_the_user_keeps_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = jit.cache_folder()
    assert folder.is_relative_to(tmp_path)
    assert folder == jit.cache_folder()


def test_cache_without_a_writable_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.touch()  # a folder below a file cannot be made, not even by root
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = jit.cache_folder()
    assert folder.is_dir()
    assert folder.is_relative_to(tmp_path)


def test_cache_is_not_where_others_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"cache-{os.getuid()}").mkdir()
    (tmp_path / f"cache-{os.getuid()}").chmod(0o777)
    assert jit.cache_folder() is None


def test_of_many_processes_one_compiles(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, time\n"
        "from pipeline.search import jit\n"
        "folder = jit.FOLDER = pathlib.Path(sys.argv[1])\n"
        "def first_call():\n"
        "    with open(folder / 'calls', 'a') as calls: calls.write('x')\n"
        "    time.sleep(0.5)\n"
        "jit.compiled('kernel', first_call)\n"
        "assert (folder / 'calls').read_text() == 'x'\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) for _ in range(4)]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, errors
    assert sum("Compiling" in error for error in errors) == 1


def test_a_failed_compilation_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "FOLDER", tmp_path)
    calls = []

    def fails() -> None:
        calls.append(1)
        raise MemoryError

    for _ in range(2):
        with pytest.raises(MemoryError):
            jit.compiled("kernel", fails)
    assert len(calls) == 2


def test_making_a_solver_compiles_all_that_it_needs(tmp_path: Path) -> None:
    """From an empty cache: what a second process does with its solver finds everything compiled."""
    made = (
        "from pipeline.game.game import make_game\n"
        "from pipeline.game.lists import word_list\n"
        "from pipeline.game.rules import Rule\n"
        "from pipeline.search.solver import Solver\n"
        "words = word_list('mastermind:2x6')\n"
        "game = make_game(words, words, Rule.MASTERMIND)\n"
        "solver = Solver(game)\n"
    )
    made += "Solver(game, width=3)\n"
    used = made + (
        "solver.solve(); solver.evaluate('12', budget=90); solver.best_guesses(); solver.expand()\n"
        "solver = Solver(game, width=3)\n"
        "solver.solve(); solver.evaluate('12')\n"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_DEBUG_CACHE": "1"}
    first, second = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        for code in (made, used)
    )
    assert "Compiling" in first.stderr
    saved = Counter(re.findall(r"data saved to '.*/([a-z]+\.[a-z_]+)-", first.stdout))
    assert {name: count for name, count in saved.items() if count > 1} == SEVERAL
    assert second.stderr == ""
    assert "data loaded" in second.stdout
    assert "data saved" not in second.stdout
