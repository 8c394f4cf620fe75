"""Runs of the command line as a user starts them, and everything they leave behind."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
MARK = "WORDLE_PIPELINE_TEST"


class Run:
    """One run in a folder of its own; all its processes carry a mark in their environment."""

    def __init__(self, cwd: Path, *arguments: str) -> None:
        self.mark = uuid.uuid4().hex
        path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self.output = cwd / f"{self.mark}.log"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pipeline", *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path, MARK: self.mark},
            stdout=self.output.open("w"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def finish(self, seconds: float = 900) -> int:
        return self.process.wait(seconds)

    @property
    def text(self) -> str:
        return self.output.read_text()

    def processes(self, name: str = "") -> list[psutil.Process]:
        """Its living processes whose command line begins with `name`."""
        return [process for process in psutil.process_iter() if self.owns(process, name)]

    def owns(self, process: psutil.Process, name: str) -> bool:
        try:
            alive = process.status() != psutil.STATUS_ZOMBIE
            return alive and process.environ().get(MARK) == self.mark and " ".join(process.cmdline()).startswith(name)
        except psutil.Error:
            return False

    def await_end_of_processes(self, seconds: float = 60) -> None:
        """Fails if a process of the run still lives after that time."""
        await_that(lambda: not self.processes(), seconds, lambda: f"still alive: {self.processes()}")


@contextmanager
def started(cwd: Path, *arguments: str) -> Iterator[Run]:
    """A run that is ended, with all its processes, when the block is left."""
    run = Run(cwd, *arguments)
    try:
        yield run
    finally:
        for process in run.processes():
            process.send_signal(signal.SIGKILL)
        run.process.wait()


def finished(cwd: Path, *arguments: str, code: int = 0) -> str:
    """The output of a whole run that must end with this exit code and leave no process."""
    with started(cwd, *arguments) as run:
        assert run.finish() == code, run.text
        run.await_end_of_processes()
        return run.text


def await_that(holds: Callable[[], bool], seconds: float, otherwise: Callable[[], str]) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, otherwise()
        time.sleep(0.05)


def parts(folder: Path, stage: str) -> dict[str, bytes]:
    """The parts of a stage by their path below the output folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob(f"{stage}-*/part-*.parquet")}
