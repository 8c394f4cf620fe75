"""Stage `verify`: the checker's verdict on a certificate, with the lemmas checked by the executor's workers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import pipeline.checker as checker
from pipeline.runtime.place import Place
from pipeline.runtime.progress import Progress
from pipeline.runtime.stage import Executor, Shared, Stage, Task, run_stage
from pipeline.runtime.store import read_parts

SAMPLE = 2000  # lemmas, chosen at random
STATUSES = {
    checker.ACCEPTED: "accepted",
    checker.REJECTED: "rejected",
    checker.PARTLY: "partly checked",
    checker.MALFORMED: "malformed",
    checker.UNFINISHED: "not checked",
}


def verdict_on(
    folder: Path, digest: str, how: str, outputs: Place, executor: Executor, progress: Progress
) -> tuple[str, str]:
    """(status, verdict): `full` checks every lemma, as a stage; `sample` some of them, here."""
    if how == "sample":
        status, verdict = checker.check(folder, SAMPLE)
        return STATUSES[status], verdict

    def refute(problem: checker.Problem, parts: list[Any]) -> Iterable[tuple[int, int]]:
        tasks = [Task(f"{i:04d}", {"lemmas": part.tolist()}) for i, part in enumerate(parts)]
        stage = Stage("verify", 1, {"digest": digest}, (), lambda: [tasks], run, lambda: {"problem": problem})
        rows = read_parts(run_stage(stage, outputs, executor, progress).parts)
        return zip(rows["lemma"].to_pylist(), rows["guess"].to_pylist(), strict=True)

    status, verdict = checker.check(folder, None, refute)
    return STATUSES[status], verdict


def run(task: Task, shared: Shared) -> pa.Table:
    """The first lemma of the task that does not follow, with the guess that shows it; -1 and -1 if all do."""
    lemma, guess = checker.refuted(shared["problem"], np.array(task.data["lemmas"], np.int64))
    return pa.table({"lemma": pa.array([lemma], pa.int64()), "guess": pa.array([guess], pa.int64())})
