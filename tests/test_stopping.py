"""How a process ends: when it is told to, and when it is done."""

import subprocess
import sys
from pathlib import Path

from tests.runs import ROOT

LOST = """
import ctypes, os, signal
from pipeline.runtime.stopping import Stopped, install_handlers
from tests.test_stage import place_of, quiet, run_stage, stage, Backwards, Path

class Never(Backwards):
    def results(self, *_): raise SystemExit("a stopped run went on")

class Midway(Backwards):
    def results(self, *given):
        for number, done in enumerate(super().results(*given)):
            if number == 1:
                lose_the_exception()
            yield done

def lose_the_exception():
    install_handlers()
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGINT))()

def stopped(executor, folder):
    try:
        run_stage(stage(), place_of(Path(folder)), executor, quiet)
    except Stopped as error:
        return str(error), error.exit_code, len(list(Path(folder).glob("*/part-*")))

print(stopped(Midway(), "midway"))
print(stopped(Never(), "never"))
"""


def python(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(cwd)}
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True)


def test_a_stop_that_got_lost_in_a_callback_is_heard_by_the_next_stage_and_by_the_one_at_work(tmp_path: Path) -> None:
    run = python(LOST, tmp_path)
    assert run.stdout.splitlines() == ["('SIGINT', 130, 2)", "('SIGINT', 130, 0)"], run.stderr
    assert "Exception ignored" in run.stderr


def test_leaving_says_everything_and_skips_what_python_does_at_its_end(tmp_path: Path) -> None:
    """There, a thread of Arrow that gives back memory aborts the process now and then."""
    run = python(
        "import atexit, os; from pipeline.runtime.stopping import leave\n"
        "atexit.register(os.abort); print('said'); leave(7)",
        tmp_path,
    )
    assert (run.returncode, run.stdout) == (7, "said\n")


def test_leaving_when_nobody_listens_any_more(tmp_path: Path) -> None:
    code = "import os; from pipeline.runtime.stopping import leave; os.close(1); print('lost'); leave(7)"
    assert python(code, tmp_path).returncode == 7
