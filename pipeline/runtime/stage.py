"""A stage as plain data, and the one way to run it: only what is missing, each part saved as it comes."""

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import pyarrow as pa

from pipeline.runtime.fingerprint import fingerprint
from pipeline.runtime.place import Place
from pipeline.runtime.progress import Progress, StageProgress
from pipeline.runtime.stopping import raise_if_asked
from pipeline.runtime.store import StageFolder, tables, write_json
from pipeline.runtime.versions import versions

Shared = Mapping[str, Any]


class StageError(RuntimeError):
    """Tasks of a stage failed; what succeeded is saved."""


class ExecutorError(RuntimeError):
    """The executor could not be started or joined."""


class TaskError(RuntimeError):
    """A task failed elsewhere; the message is its exception."""


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work: a key that is unique in its stage, the plain data it needs, and what it may cost.

    The cost, in any unit, decides which tasks are begun first, and nothing else.
    """

    key: str
    data: Mapping[str, Any]
    cost: int = 0


class Watcher(Protocol):
    """Follows a stage while it runs."""

    def observe(self, task: Task, rows: pa.Table, is_new: bool) -> None:
        """The rows of one more task are known: saved just now, or by an earlier run."""

    def tick(self, workers: int | None) -> None:
        """Called every fraction of a second; an exception from here ends the stage, finished parts stay."""

    def status(self) -> str:
        """How things stand, in one line; empty to say nothing."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What to compute: rows depend on version, options, inputs and nothing else.

    `run(task, shared)` is a pure module-level function that returns the rows of one task. `shared` is called at
    most once, and only if a task is missing. `plan` gives the tasks in rounds: the next round may depend on what the
    watcher has observed of the rounds before, all of which are then complete.
    """

    name: str
    version: int
    options: Mapping[str, Any]
    inputs: tuple[str, ...]
    plan: Callable[[], Iterable[Sequence[Task]]]
    run: Callable[[Task, Shared], pa.Table]
    shared: Callable[[], Shared]
    watcher: Watcher | None = None

    @property
    def fingerprint(self) -> str:
        meaning = {"version": self.version, "options": dict(self.options), "inputs": list(self.inputs)}
        return fingerprint(self.name, meaning)


class Executor(Protocol):
    """Runs tasks somewhere; `workers` at once, None while that is not known."""

    @property
    def workers(self) -> int | None: ...

    def results(
        self, run: Callable[[Task, Shared], pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table | Exception] | None]:
        """Each task with its table or the exception it ended with, in completion order; None while there is no news."""

    def close(self) -> None:
        """Ends whatever still runs."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A complete stage: its fingerprint, its parts in task order, and how many tasks had to run."""

    fingerprint: str
    parts: list[Place]
    computed: int


def run_stage(stage: Stage, outputs: Place, executor: Executor, progress: Progress) -> Finished:
    """The complete stage; raises StageError after saving what succeeded of a round if a task of it failed."""
    folder = StageFolder(outputs / f"{stage.name}-{stage.fingerprint}", stage.fingerprint)
    parts, ordered, computed = folder.parts(), list[Place](), 0
    shared = cache(stage.shared)
    raise_if_asked()
    with progress.stage(stage.name) as shown:
        for tasks in stage.plan():
            missing = [task for task in tasks if task.key not in parts]
            shown.expect(len(tasks), len(tasks) - len(missing))
            if stage.watcher:
                known = [task for task in tasks if task.key in parts]
                for task, rows in zip(known, tables([parts[task.key] for task in known]), strict=True):
                    stage.watcher.observe(task, rows, is_new=False)
            if missing:
                run_missing(stage, missing, shared(), folder, parts, executor, shown)
            computed += len(missing)
            ordered += [parts[task.key] for task in tasks]
    if not is_listed(folder.place / "manifest.json", ordered):
        write_json(folder.place / "manifest.json", manifest(stage, ordered))
    return Finished(stage.fingerprint, ordered, computed)


def run_missing(
    stage: Stage,
    missing: list[Task],
    shared: Shared,
    folder: StageFolder,
    parts: dict[str, Place],
    executor: Executor,
    shown: StageProgress,
) -> None:
    """Runs these tasks, the dearest first so that none is left for the end, and adds their parts to `parts`."""
    failures: list[tuple[Task, Exception]] = []
    dearest_first = sorted(missing, key=lambda task: -task.cost)
    for news in executor.results(stage.run, dearest_first, shared):
        if news is not None:
            task, result = news
            if isinstance(result, Exception):
                failures.append((task, result))
            else:
                parts[task.key] = folder.write_part(task.key, result)
                shown.advance()
                if stage.watcher:
                    stage.watcher.observe(task, result, is_new=True)
        if stage.watcher:
            stage.watcher.tick(executor.workers)
            shown.say_status(stage.watcher.status)
        raise_if_asked()
    if failures:
        task, error = failures[0]
        raise StageError(
            f"{len(failures)} of {len(missing)} tasks of stage {stage.name} failed, the others are saved;"
            f" first {task.key}: {error if isinstance(error, TaskError) else f'{type(error).__name__}: {error}'}"
        ) from error


def is_listed(place: Place, parts: list[Place]) -> bool:
    """Whether there is a manifest of these parts."""
    try:
        return bool(json.loads(place.read())["parts"] == [part.name for part in parts])
    except (FileNotFoundError, KeyError, RecursionError, TypeError, ValueError):
        return False


def manifest(stage: Stage, parts: list[Place]) -> dict[str, Any]:
    """What the folder holds and what it was made with."""
    return {
        "stage": stage.name,
        "version": stage.version,
        "fingerprint": stage.fingerprint,
        "options": dict(stage.options),
        "inputs": list(stage.inputs),
        "parts": [part.name for part in parts],
        "made_with": {**versions(), "python": platform.python_version()},
    }
