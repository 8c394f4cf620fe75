"""Results in an object store, and everything that can end a run there: nothing is lost, and it goes on anywhere."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.runtime.place import place_of
from tests.runs import Run, await_that, finished, started
from tests.s3 import S3, served

pytestmark = pytest.mark.fault
SEARCH = (
    "+experiment=exact_opening",
    "game=wordle_answers",
    "top=150",
    "executor.workers=2",
    "rank.show=0",
    "name=run",
)
SHELF = ("export.formats=[json]", "export.report=false")
RESULTS = ("rank.parquet", "openers.parquet", "result.json", "tree.parquet", "tree.json", "certificate/")


@pytest.fixture
def s3() -> Iterator[S3]:
    with served() as server:
        yield server


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a run on a disk that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed")
    finished(folder, *SEARCH, *SHELF)
    return folder / "outputs" / "run"


def same_results(s3: S3, undisturbed: Path) -> None:
    paths = {path.relative_to(undisturbed).as_posix(): path for path in undisturbed.rglob("*") if path.is_file()}
    known = {name: path.read_bytes() for name, path in paths.items() if name.startswith(RESULTS)}
    assert len(known) == 10
    assert {name: content for name, content in s3.contents("run").items() if name.startswith(RESULTS)} == known


def search_parts(s3: S3) -> list[str]:
    return [file.name for file in place_of(s3.uri("run")).files(recursive=True) if file.name.startswith("search-")]


def await_parts(run: Run, s3: S3, number: int) -> None:
    await_that(lambda: len(search_parts(s3)) >= number or run.process.poll() is not None, 400, lambda: run.text)
    assert run.process.poll() is None, run.text


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_killed_driver_goes_on_in_another_folder_and_two_at_once_cannot(
    tmp_path: Path, s3: S3, undisturbed: Path
) -> None:
    where = s3.outputs_root("")
    with started(made(tmp_path / "one"), *SEARCH, *SHELF, where) as run:
        await_parts(run, s3, 6)
        run.process.send_signal(signal.SIGSTOP)  # so that it is not done before the other one has tried
        text = finished(made(tmp_path / "second"), *SEARCH, *SHELF, where, code=1)
        assert f"s3://results/run is in use by another run: process {run.process.pid} of " in text
        assert "Traceback" not in text
        run.process.kill()
        run.process.wait()
        run.await_end_of_processes(60)
    saved = search_parts(s3)
    text = finished(made(tmp_path / "two"), *SEARCH, *SHELF, where)
    assert f"{len(saved)} from an earlier run" in text
    assert "taken over from a run that is dead" in text
    assert set(saved) <= set(search_parts(s3))
    same_results(s3, undisturbed)
    assert not [name for name in s3.contents("run") if name.startswith(".lock")], "the lock is released"


def test_a_server_that_goes_away_is_an_error_and_a_rerun_goes_on(tmp_path: Path, s3: S3, undisturbed: Path) -> None:
    where = s3.outputs_root("")
    with started(tmp_path, *SEARCH, *SHELF, where) as run:
        await_parts(run, s3, 6)
        s3.down()
        assert run.finish() == 1, run.text
        run.await_end_of_processes()
        assert "error: cannot write s3://results/run/" in run.text
        assert "finished work is kept, a rerun goes on" in run.text
        assert "trying again" in run.text
        assert "Traceback" not in run.text
    s3.up()
    saved = search_parts(s3)
    assert f"{len(saved)} from an earlier run" in finished(tmp_path, *SEARCH, *SHELF, where)
    same_results(s3, undisturbed)
