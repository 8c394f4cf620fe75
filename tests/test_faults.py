"""Whatever is stopped or killed, nothing is lost and nothing wrong is written."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import psutil
import pytest

from tests.runs import Run, await_that, finished, parts, started

pytestmark = pytest.mark.fault
RUN = ("name=run", "executor.workers=2", "rank.show=0")
RANKING = ("+experiment=rank_openers", *RUN, "game=seed000")  # 84 parts a stage
PROOF = ("+experiment=exact_opening", *RUN, "export.formats=[json]")
WHOLE = (*PROOF, "game=wordle_answers", "top=300")
SEARCH = (*WHOLE, "export.trees=0", "export.report=false", "search.certificate=false")
LONGER = (*SEARCH, "top=2000")  # with time enough to be stopped
KILLED = [("responses", RANKING), ("rank", RANKING), ("search", SEARCH)]  # at a stage, and the run that has it
GIB = 2**30


class Undisturbed:
    """The output folders of runs that nothing happened to, each made when it is asked for."""

    def __init__(self, parent: Path) -> None:
        self.parent, self.known = parent, dict[tuple[str, ...], Path]()

    def of(self, *arguments: str) -> Path:
        if arguments not in self.known:
            folder = self.parent / str(len(self.known))
            folder.mkdir()
            finished(folder, *arguments)
            self.known[arguments] = folder / "outputs" / "run"
        return self.known[arguments]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("undisturbed"))


class TooLateError(Exception):
    """The run ended, and well, before it was disturbed."""


def until_disturbed(test: Callable[..., None]) -> Callable[..., None]:
    """A fast machine may finish before a busy test gets to disturb it: then the test begins anew, elsewhere."""

    @wraps(test)
    def repeated(tmp_path: Path, **others: object) -> None:
        for attempt in range(4):
            try:
                return test(tmp_path / made(tmp_path, str(attempt)), **others)
            except TooLateError:
                continue
        pytest.fail("every run ended before it was disturbed")

    return repeated


def same_results(folder: Path, undisturbed: Path) -> None:
    for stage in ("responses", "rank"):
        assert parts(folder, stage) == parts(undisturbed, stage)
    for name in ("rank.parquet", "openers.parquet", "result.json"):
        assert (folder / name).is_file() == (undisturbed / name).is_file()
        if (undisturbed / name).is_file():
            assert (folder / name).read_bytes() == (undisturbed / name).read_bytes(), name


def await_parts(run: Run, folder: Path, stage: str, number: int) -> None:
    def otherwise() -> str:
        return f"no {number} parts of {stage}: {run.text}"

    await_that(lambda: len(parts(folder, stage)) >= number or run.process.poll() is not None, 400, otherwise)
    require_at_work(run)


def require_at_work(run: Run) -> None:
    if run.process.poll() == 0:
        raise TooLateError
    assert run.process.poll() is None, run.text


def unfinished(folder: Path, stage: str, whole: Path) -> dict[str, bytes]:
    """The parts that a disturbed run saved of a stage: some, but not all."""
    saved = parts(folder, stage)
    assert saved
    if len(saved) == len(parts(whole, stage)):
        raise TooLateError
    return saved


def busy_worker(run: Run) -> psutil.Process:
    end = time.monotonic() + 90
    while not (busy := run.processes("ray::run_task")):
        require_at_work(run)
        assert time.monotonic() < end, f"no worker was at work: {run.text}"
    return busy[0]


@pytest.mark.parametrize(("stage", "arguments"), KILLED)
@until_disturbed
def test_a_killed_worker_does_not_matter(
    tmp_path: Path, undisturbed: Undisturbed, stage: str, arguments: tuple[str, ...]
) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *arguments) as run:
        await_parts(run, folder, stage, 2)
        busy_worker(run).kill()
        assert run.finish() == 0, run.text
        run.await_end_of_processes()
    same_results(folder, undisturbed.of(*arguments))


@pytest.mark.parametrize("name", ["raylet", "gcs_server", "ray_host"])
@until_disturbed
def test_ray_itself_may_die(tmp_path: Path, undisturbed: Undisturbed, name: str) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *SEARCH) as run:
        await_parts(run, folder, "search", 9)
        victims = [process for process in run.processes() if is_called(process, name)]
        require_at_work(run)
        (victim,) = victims
        victim.kill()
        assert run.finish() == 0, run.text
        run.await_end_of_processes()
    same_results(folder, undisturbed.of(*SEARCH))


def is_called(process: psutil.Process, name: str) -> bool:
    """Whether this is the program of that name, or the module of that name run by Python."""
    command = process.cmdline()
    return Path(command[0]).name == name or f"pipeline.runtime.{name}" in command[:4]


@until_disturbed
def test_a_worker_that_hangs_is_noticed_and_its_task_run_anew(tmp_path: Path, undisturbed: Undisturbed) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *SEARCH, "executor.task_deadline=5") as run:
        await_parts(run, folder, "search", 9)
        busy_worker(run).suspend()
        assert run.finish() == 0, run.text
        run.await_end_of_processes()
    same_results(folder, undisturbed.of(*SEARCH))


@until_disturbed
def test_everything_killed_at_once(tmp_path: Path, undisturbed: Undisturbed) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *SEARCH) as run:
        await_parts(run, folder, "search", 9)
        for process in run.processes():
            process.kill()
    saved = unfinished(folder, "search", undisturbed.of(*SEARCH))
    assert f"{len(saved)} from an earlier run" in finished(tmp_path, *SEARCH)
    same_results(folder, undisturbed.of(*SEARCH))


@pytest.mark.parametrize(("stage", "arguments"), KILLED)
@until_disturbed
def test_a_killed_driver_loses_nothing(
    tmp_path: Path, undisturbed: Undisturbed, stage: str, arguments: tuple[str, ...]
) -> None:
    folder, whole = tmp_path / "outputs" / "run", undisturbed.of(*arguments)
    with started(tmp_path, *arguments) as run:
        await_parts(run, folder, stage, 2)
        run.process.kill()
        run.process.wait()
        run.await_end_of_processes(60)
    saved = unfinished(folder, stage, whole)
    kept = {path: (folder / path).stat().st_mtime_ns for path in saved}
    text = finished(tmp_path, *arguments)
    assert f"{len(saved)} from an earlier run" in text
    assert {path: (folder / path).stat().st_mtime_ns for path in saved} == kept
    same_results(folder, whole)


@pytest.mark.parametrize("seconds", [0.8, 1.2, 2.0, 3.0, 4.0])
def test_ctrl_c_goes_to_every_process_of_the_terminal_at_any_moment(tmp_path: Path, seconds: float) -> None:
    with started(tmp_path, *LONGER) as run:
        time.sleep(seconds)
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.finish(90) == 130, run.text
        run.await_end_of_processes()
        assert "Traceback" not in run.text


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@until_disturbed
def test_stopping_is_quick_clean_and_resumable(
    tmp_path: Path, undisturbed: Undisturbed, signum: int, code: int
) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *SEARCH) as run:
        await_parts(run, folder, "search", 9)
        before = time.monotonic()
        run.process.send_signal(signum)
        if run.finish() == 0:
            raise TooLateError
        assert run.process.returncode == code, run.text
        assert time.monotonic() - before < 30, "a stop takes seconds"
        run.await_end_of_processes()
        assert "the same command goes on from here" in run.text
        assert "Traceback" not in run.text
    saved = unfinished(folder, "search", undisturbed.of(*SEARCH))
    assert f"{len(saved)} from an earlier run" in finished(tmp_path, *SEARCH)
    same_results(folder, undisturbed.of(*SEARCH))


@until_disturbed
def test_an_interrupted_run_tells_what_is_proven_so_far(tmp_path: Path, undisturbed: Undisturbed) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *LONGER) as run:
        await_parts(run, folder, "search", 32)
        run.process.send_signal(signal.SIGTERM)
        if run.finish() == 0:
            raise TooLateError
    result, best = (json.loads((f / "result.json").read_text()) for f in (folder, undisturbed.of(*SEARCH)))
    assert result["proven"] is False
    assert (result["best_opener"], result["incumbent"]) == (None, best["best_opener"])
    assert result["lower"] < best["total"] <= result["upper"]
    progress = json.loads((folder / "progress.json").read_text())
    assert progress["status"]["open"] == result["status"]["open"] > 0
    assert 0 < progress["fraction"] < 1


def test_ten_random_kills_of_the_driver(tmp_path: Path) -> None:
    """With everything that a run makes: trees, the report, the certificate."""
    finished(tmp_path / made(tmp_path, "whole"), *WHOLE)
    rng = random.Random(7)
    for _ in range(10):
        with started(tmp_path / made(tmp_path, "killed"), *WHOLE) as run:
            time.sleep(rng.uniform(1, 9))
            run.process.kill()
            run.process.wait()
            run.await_end_of_processes(60)
    finished(tmp_path / "killed", *WHOLE)
    whole, killed = (tmp_path / name / "outputs" / "run" for name in ("whole", "killed"))
    same_results(killed, whole)
    files = [path.relative_to(whole) for path in [*whole.glob("tree.*"), *whole.glob("certificate/*")]]
    assert len(files) >= 7
    for path in files:
        assert (killed / path).read_bytes() == (whole / path).read_bytes(), path


def made(parent: Path, name: str) -> str:
    (parent / name).mkdir(exist_ok=True)
    return name


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_a_full_disk_loses_nothing(tmp_path: Path, undisturbed: Undisturbed, share: float) -> None:
    """The output folder is a tmpfs that is too small, and then is not."""
    mount = tmp_path / "outputs"
    mount.mkdir()
    blocks = sum(-(-path.stat().st_size // 4096) for path in undisturbed.of(*SEARCH).rglob("*") if path.is_file())
    size = f"size={int(blocks * share) * 4}k"
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(mount)], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"cannot mount a tmpfs here: {made.stderr.strip()}")
    try:
        text = finished(tmp_path, *SEARCH, code=1)
        assert "No space left on device" in text
        assert "Traceback" not in text
        assert not list(mount.rglob("*.tmp"))
        subprocess.run(["mount", "-o", "remount,size=200m", str(mount)], check=True)
        assert "from an earlier run" in finished(tmp_path, *SEARCH)
        same_results(mount / "run", undisturbed.of(*SEARCH))
    finally:
        subprocess.run(["umount", "--lazy", str(mount)], check=True)


def test_a_part_of_another_search_is_not_taken(tmp_path: Path, undisturbed: Undisturbed) -> None:
    finished(tmp_path, *SEARCH, "top=100")
    other = tmp_path / "outputs" / "run"
    (folder,) = other.glob("search-*")
    (same,) = undisturbed.of(*SEARCH).glob("search-*")
    target = other / same.name
    target.mkdir()
    for part in folder.glob("part-*"):
        (target / part.name).write_bytes(part.read_bytes())
    text = finished(tmp_path, *SEARCH)
    assert "is not a sound part of this stage" in text
    same_results(other, undisturbed.of(*SEARCH))


def test_a_second_driver_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "outputs" / "run"
    with started(tmp_path, *LONGER) as run:
        await_parts(run, folder, "responses", 1)
        text = finished(tmp_path, *SEARCH, "executor=serial", "executor.workers=null", code=1)
        assert "in use by another run" in text


def test_driver_and_workers_stay_below_a_gibibyte(tmp_path: Path) -> None:
    peaks: dict[str, int] = {}
    with started(tmp_path, *PROOF, "top=20", "export.report=false") as run:
        while run.process.poll() is None:
            for process in run.processes():
                note_memory(process, peaks)
            time.sleep(0.1)
        assert run.process.returncode == 0, run.text
    assert any("ray::run_task" in name for name in peaks), "no worker was seen"
    assert any("-m pipeline" in name for name in peaks), "the driver was not seen"
    ours = {name: peak for name, peak in peaks.items() if "ray::" in name or "-m pipeline" in name}
    assert max(ours.values()) < GIB, ours


def note_memory(process: psutil.Process, peaks: dict[str, int]) -> None:
    try:
        name = " ".join(process.cmdline())
        peaks[name] = max(peaks.get(name, 0), process.memory_info().rss)
    except psutil.Error:
        pass


def test_an_edited_part_is_computed_again(tmp_path: Path, undisturbed: Undisturbed) -> None:
    finished(tmp_path, *SEARCH)
    folder = tmp_path / "outputs" / "run"
    changes: list[Callable[[bytes], bytes]] = [
        lambda c: c[: len(c) // 2],
        lambda c: c[:9] + b"!" + c[10:],
        lambda c: b"",
    ]
    for change, path in zip(changes, sorted(folder.glob("search-*/part-*")), strict=False):
        path.write_bytes(change(path.read_bytes()))
    text = finished(tmp_path, *SEARCH)
    assert text.count("is not a sound part of this stage; it is computed again") == 3
    same_results(folder, undisturbed.of(*SEARCH))
