"""A stage as plain data, and the one way to run it: only what is missing, each part saved as it comes."""

import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from pipeline.runtime.fingerprint import fingerprint
from pipeline.runtime.progress import Progress
from pipeline.runtime.store import StageFolder, write_json

Shared = Mapping[str, Any]


class StageError(RuntimeError):
    """Tasks of a stage failed; what succeeded is saved."""


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work: a key that is unique in its stage, and the plain data it needs."""

    key: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """What to compute: rows depend on version, options, inputs and nothing else.

    `run(task, shared)` is a pure module-level function that returns the rows of one task. `shared` is called at
    most once, and only if a task is missing.
    """

    name: str
    version: int
    options: Mapping[str, Any]
    inputs: tuple[str, ...]
    tasks: tuple[Task, ...]
    run: Callable[[Task, Shared], pa.Table]
    shared: Callable[[], Shared]

    @property
    def fingerprint(self) -> str:
        meaning = {"version": self.version, "options": dict(self.options), "inputs": list(self.inputs)}
        return fingerprint(self.name, meaning)


class Executor(Protocol):
    """Runs tasks somewhere; gives each one's table or the exception it ended with, in completion order."""

    def results(
        self, run: Callable[[Task, Shared], pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table | Exception]]: ...


@dataclass(frozen=True, slots=True)
class Finished:
    """A complete stage: its fingerprint, its parts in task order, and how many tasks had to run."""

    fingerprint: str
    parts: list[Path]
    computed: int


def run_stage(stage: Stage, outputs: Path, executor: Executor, progress: Progress) -> Finished:
    """The complete stage; raises StageError after saving what succeeded if a task failed."""
    folder = StageFolder(outputs / f"{stage.name}-{stage.fingerprint}", stage.fingerprint)
    parts = folder.parts()
    missing = [task for task in stage.tasks if task.key not in parts]
    failures: list[tuple[Task, Exception]] = []
    with progress.stage(stage.name, done=len(stage.tasks) - len(missing), total=len(stage.tasks)) as advance:
        if missing:
            for task, result in executor.results(stage.run, missing, stage.shared()):
                if isinstance(result, Exception):
                    failures.append((task, result))
                else:
                    parts[task.key] = folder.write_part(task.key, result)
                    advance()
    if failures:
        task, error = failures[0]
        raise StageError(
            f"{len(failures)} of {len(stage.tasks)} tasks of stage {stage.name} failed, the others are saved;"
            f" first {task.key}: {type(error).__name__}: {error}"
        ) from error
    ordered = [parts[task.key] for task in stage.tasks]
    if missing or not (folder.path / "manifest.json").exists():
        write_json(folder.path / "manifest.json", manifest(stage, ordered))
    return Finished(stage.fingerprint, ordered, len(missing))


def manifest(stage: Stage, parts: list[Path]) -> dict[str, Any]:
    """What the folder holds and what it was made with."""
    return {
        "stage": stage.name,
        "version": stage.version,
        "fingerprint": stage.fingerprint,
        "options": dict(stage.options),
        "inputs": list(stage.inputs),
        "parts": [path.name for path in parts],
        "made_with": {
            "python": platform.python_version(),
            **{package: version(package) for package in ("wordle-pipeline", "numpy", "pyarrow")},
        },
    }
