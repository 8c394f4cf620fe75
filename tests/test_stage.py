"""Fingerprints, and run_stage: only what is missing runs, what succeeded is kept, order is by task."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console

from pipeline.game.rules import Rule
from pipeline.runtime.fingerprint import fingerprint
from pipeline.runtime.place import place_of
from pipeline.runtime.progress import Progress
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import Shared, Stage, StageError, Task, run_stage
from pipeline.runtime.store import read_parts

KEYS = ("c", "a", "b")
quiet = Progress(Console(quiet=True))


def square(task: Task, shared: Shared) -> pa.Table:
    if task.key in shared.get("failing", ()):
        raise ValueError(f"{task.key} fails")
    return pa.table({"key": [task.key], "square": [task.data["n"] ** 2]})


def stage(version: int = 1, failing: tuple[str, ...] = (), **options: Any) -> Stage:
    tasks = tuple(Task(key, {"n": n}) for n, key in enumerate(KEYS))
    return Stage("square", version, options, ("input",), lambda: [tasks], square, lambda: {"failing": failing})


class Backwards:
    """An executor that finishes the last task first."""

    def results(
        self, run: Callable[..., pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table]]:
        for task in reversed(tasks):
            yield task, run(task, shared)

    workers = 1

    def close(self) -> None: ...


def test_rows_are_in_task_order_whatever_finished_first(tmp_path: Path) -> None:
    serial = run_stage(stage(), place_of(tmp_path / "1"), SerialExecutor(), quiet)
    backwards = run_stage(stage(), place_of(tmp_path / "2"), Backwards(), quiet)
    assert read_parts(serial.parts)["key"].to_pylist() == list(KEYS)
    assert [path.name for path in serial.parts] == [path.name for path in backwards.parts]
    manifests = [(finished.parts[0].parent / "manifest.json").read() for finished in (serial, backwards)]
    assert manifests[0] == manifests[1]


def test_only_what_is_missing_runs(tmp_path: Path) -> None:
    first = run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet)
    assert first.computed == 3
    assert run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet).computed == 0
    first.parts[1].remove()
    again = run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet)
    assert again.computed == 1
    assert again.parts == first.parts


def test_a_torn_part_is_computed_again(tmp_path: Path) -> None:
    first = run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet)
    whole = first.parts[2].read()
    first.parts[2].write(whole[:-20])
    assert run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet).computed == 1
    assert first.parts[2].read() == whole


def test_the_manifest_lists_the_parts_there_are(tmp_path: Path) -> None:
    """Also if an earlier run died before it could write that."""
    done = run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet)
    manifest = Path(done.parts[0].path).parent / "manifest.json"
    whole = manifest.read_bytes()
    for content in (whole.replace(b"part-", b"gone-"), whole[:20], b"[]"):
        manifest.write_bytes(content)
        run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet)
        assert manifest.read_bytes() == whole


def test_failures_are_reported_after_saving_the_rest(tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"1 of 3 tasks of stage square failed, .* first a: ValueError: a fails"):
        run_stage(stage(failing=("a",)), place_of(tmp_path), SerialExecutor(), quiet)
    assert not list(tmp_path.rglob("manifest.json"))
    assert run_stage(stage(), place_of(tmp_path), SerialExecutor(), quiet).computed == 1
    manifest = json.loads(next(tmp_path.rglob("manifest.json")).read_text())
    assert manifest["stage"] == "square"
    assert len(manifest["parts"]) == 3


class Sum:
    """A watcher that sums squares, and whose plan adds one more task of twice the sum."""

    def __init__(self) -> None:
        self.sum, self.new = 0, 0

    def observe(self, task: Task, rows: pa.Table, is_new: bool) -> None:
        self.sum += rows["square"][0].as_py()
        self.new += is_new

    def tick(self, workers: int | None) -> None:
        assert workers == 1

    def status(self) -> str:
        return f"sum {self.sum}"

    def plan(self) -> Iterator[list[Task]]:
        yield [Task(key, {"n": n}) for n, key in enumerate(KEYS)]
        yield [Task("last", {"n": 2 * self.sum})]


def test_a_later_round_depends_on_what_was_observed(tmp_path: Path) -> None:
    for new in (4, 0):
        watcher = Sum()
        rounds = Stage("square", 1, {}, (), watcher.plan, square, dict, watcher)
        finished = run_stage(rounds, place_of(tmp_path), SerialExecutor(), quiet)
        assert read_parts(finished.parts)["square"].to_pylist() == [0, 1, 4, 100]
        assert (watcher.sum, watcher.new, finished.computed) == (105, new, new)


def test_another_meaning_is_another_folder(tmp_path: Path) -> None:
    for other in (stage(), stage(version=2), stage(rule="naive")):
        assert run_stage(other, place_of(tmp_path), SerialExecutor(), quiet).computed == 3
    assert len(list(tmp_path.iterdir())) == 3


def test_fingerprints_stay_the_same_for_ever() -> None:
    """A change here makes every stored part stale: bump a stage's version instead."""
    value = {"b": [1, True, None, "x"], "a": {"é": -5}}
    items = '["a",["dict",[["\\u00e9",["int","-5"]]]]],["b",["list",[["int","1"],true,null,["str","x"]]]]'
    text = f'["kind",["dict",[{items}]]]'
    assert fingerprint("kind", value) == hashlib.sha256(text.encode()).hexdigest()[:16] == "fc240531908b5c76"


def test_fingerprints_tell_kinds_apart() -> None:
    values = [1, "1", True, None, [1], [[1]], {"1": 1}, {"1": "1"}, "", [], {}, 0, False]
    assert len({fingerprint("kind", value) for value in values}) == len(values)
    assert fingerprint("kind", 1) != fingerprint("other", 1)


def test_fingerprints_go_by_meaning() -> None:
    assert fingerprint("kind", {"a": 1, "b": 2}) == fingerprint("kind", {"b": 2, "a": 1})
    assert fingerprint("kind", (1, 2)) == fingerprint("kind", [1, 2])
    assert fingerprint("kind", Rule.NAIVE) == fingerprint("kind", "naive")


@pytest.mark.parametrize("value", [1.5, {1: 2}, {1, 2}, b"x", object()])
def test_an_unknown_type_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="cannot fingerprint"):
        fingerprint("kind", value)
