"""A disk and an object store are alike to a run; a store that fails, or is in use, is an error that says so."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.runtime import lock, objects
from pipeline.runtime.lock import locked
from pipeline.runtime.place import Place, contents, local_copy, local_folder, place_of
from pipeline.runtime.storage import StoreError
from pipeline.runtime.store import StageFolder, read_parts
from tests.runs import await_that, finished
from tests.s3 import S3, served

TABLE = pa.table({"n": pa.array([1, 2, 3], pa.int32())})
SMOKE = ("+experiment=smoke", "executor=serial")


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    with served() as server:
        yield server


@pytest.fixture(params=["path", "file uri", "s3"])
def root(request: pytest.FixtureRequest, tmp_path: Path, s3: S3) -> Place:
    texts = {"path": str(tmp_path), "file uri": f"file://{tmp_path}", "s3": s3.uri(f"places/{tmp_path.name}")}
    return place_of(texts[request.param])


def test_a_place_is_the_same_wherever_it_is(root: Place) -> None:
    assert (root.files(), root.folders(), (root / "a").size()) == ([], [], None)
    (root / "a").write(b"1")
    (root / "a").write(b"22")
    (root / "below" / "deep" / "b é%20.txt").write(memoryview(b""))
    (root / "below" / "c").write(b"333")
    assert [file.name for file in root.files()] == ["a"]
    assert [(file.name, file.size) for file in root.files(recursive=True)] == [
        ("a", 2),
        ("below/c", 3),
        ("below/deep/b é%20.txt", 0),
    ]
    assert root.folders() == [root / "below"]
    assert (root / "below").folders()[0].parent == root / "below"
    assert ((root / "a").read(), (root / "a").exists(), (root / "below").exists()) == (b"22", True, False)
    assert list(contents([root / "below" / "c", root / "a"] * 40)) == [b"333", b"22"] * 40
    with local_copy(root / "below") as copy:
        assert (copy / "c").read_bytes() == b"333"
    for _ in range(2):  # what is gone may be removed again
        (root / "a").remove()
        (root / "below").remove_tree()
    assert root.files(recursive=True) == []
    with pytest.raises(FileNotFoundError):
        (root / "a").read()


def test_parts_prove_themselves_wherever_they_are(root: Place) -> None:
    folder = StageFolder(root / "stage-f00", "f00")
    torn, sound = folder.write_part("a", TABLE), folder.write_part("b", TABLE)
    torn.write(torn.read()[:-9])
    assert folder.parts() == {"b": sound}
    assert read_parts([sound]).equals(TABLE)
    assert not torn.exists()


def test_a_part_is_one_put(s3: S3) -> None:
    folder = StageFolder(place_of(s3.uri("one")) / "stage-f00", "f00")
    s3.requests.clear()
    part = folder.write_part("a", TABLE)
    assert s3.requests == [f"PUT /{part.path}"]


def test_a_place_is_shown_without_keys_and_options(s3: S3) -> None:
    place = place_of("s3://key:secret@bucket/a/b/?region=eu-west-1&endpoint_override=127.0.0.1:1") / "c"
    assert str(place) == "s3://bucket/a/b/c"
    assert str(place_of("outputs/") / "run") == "outputs/run"
    assert local_folder("s3://bucket/a") == Path("outputs")
    assert local_folder("file:///data/a") == Path("/data/a") == local_folder("/data/a")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ftp://host/a", "ftp://host/a cannot be opened: Unrecognized filesystem type"),
        ("s3:///a", "Missing bucket name"),
        ("s3://", "names no bucket"),
        ("s3://key:secret@bucket/a?wrong=1", "s3://bucket/a cannot be opened: Unexpected query parameter"),
        ("file://relative/a", "cannot be opened"),
    ],
)
def test_what_is_no_place_is_told_without_keys(text: str, says: str) -> None:
    with pytest.raises(StoreError, match=says) as error:
        place_of(text)
    assert "secret" not in str(error.value)


def test_what_trying_again_does_not_mend_is_told_at_once(s3: S3, tmp_path: Path) -> None:
    text = finished(tmp_path, *SMOKE, s3.outputs_root("a").replace("//results", "//nowhere"), code=1)
    assert "error: outputs_root cannot be used: cannot write s3://nowhere/a/smoke/.lock-" in text
    assert "NO_SUCH_BUCKET" in text
    assert "Traceback" not in text
    assert "trying again" not in text


def test_a_store_that_comes_back_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "WAITS", (0.2, 0.2))
    with served() as s3:
        place = place_of(s3.uri("a"))
        place.write(b"1")
        s3.down()
        with pytest.raises(StoreError, match=r"cannot write s3://results/a: AWS Error NETWORK_CONNECTION .* is kept"):
            place.write(b"2")
        monkeypatch.setattr(objects, "WAITS", (0.2,) * 9)
        timer = threading.Timer(2, s3.up)
        timer.start()
        place_of(s3.uri("a")).write(b"3")
        timer.join()
        assert place.read() == b"3"


HOLDER = """
import sys
from pipeline.runtime.lock import locked
from pipeline.runtime.place import place_of
with locked(place_of(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_driver_is_told_of_the_first_and_one_that_died_here_is_no_hindrance(s3: S3) -> None:
    folder = place_of(s3.uri("held"))
    command = [sys.executable, "-c", HOLDER, s3.uri("held")]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    says = (
        rf"s3://results/held is in use by another run: process {holder.pid} of .* s ago; .* remove s3://results/held/"
    )
    with pytest.raises(StoreError, match=says), locked(folder):
        pass
    assert len(folder.files()) == 1, "who gives way leaves nothing"
    holder.kill()
    holder.communicate()
    with locked(folder):
        assert len(folder.files()) == 1, "what a dead driver left is gone"
    assert folder.files() == []


def signed(folder: Place, **changes: object) -> Place:
    """The sign of life of a driver elsewhere."""
    sign = folder / f"{lock.MARK}elsewhere"
    sign.write(json.dumps(lock.this_process() | {"host": "elsewhere", "machine": "another", **changes}).encode())
    return sign


def test_a_driver_elsewhere_is_dead_when_it_is_silent(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = place_of(s3.uri("silent"))
    sign = signed(folder)
    with pytest.raises(StoreError, match=rf"process {os.getpid()} of elsewhere, started .* UTC"), locked(folder):
        pass
    monkeypatch.setattr(lock, "STALE_SECONDS", -1)
    with locked(folder):
        assert not sign.exists()


def test_a_sign_of_life_is_renewed_and_who_lost_it_writes_no_more(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "REFRESH_SECONDS", 0.02)
    folder = place_of(s3.uri("renewed"))
    with locked(folder):
        (sign,) = folder.files()
        s3.requests.clear()
        await_that(lambda: s3.requests.count(f"PUT /{folder.path}/{sign.name}") > 2, 20, lambda: str(s3.requests))
        (folder / sign.name).remove()
        assert isinstance(folder.storage, objects.ObjectStore)
        store = folder.storage
        await_that(lambda: bool(store.refusal) or (folder / sign.name).exists(), 20, lambda: "nothing was noticed")
        while not store.refusal:  # the removal fell between a look and a renewal
            (folder / sign.name).remove()
        with pytest.raises(StoreError, match="another run took over"):
            (folder / "result.json").write(b"")


def test_a_run_in_a_store_is_listed_compared_and_removed(s3: S3, tmp_path: Path) -> None:
    for name, where in (("there", s3.outputs_root("shelf")), ("here", "outputs_root=here")):
        finished(tmp_path, *SMOKE, where, f"name={name}")
    stored, local = s3.contents("shelf/there"), tmp_path / "here" / "here"
    names = {path.relative_to(local).as_posix() for path in local.rglob("*") if path.is_file()}
    timed = re.compile(r"search-|progress.json|statistics.json|report.html|tree.pdf|logs/|.lock")
    same = {name for name in stored if not timed.match(name)}
    assert same == {name for name in names if not timed.match(name)}
    assert len(stored) == len([name for name in names if not name.startswith(("logs/", ".lock"))])
    for name in same:
        assert stored[name] == (local / name).read_bytes(), name
    assert (tmp_path / "outputs" / "there" / "logs").is_dir(), "logs stay here"
    trees = f"trees=['{s3.uri('shelf/there/tree.json')}',here/here/tree.parquet]"
    assert "s3://" in finished(tmp_path, "+experiment=compare_trees", "game=toy", trees)
    assert "12 21 over all 9" in finished(tmp_path, "+experiment=runs", s3.outputs_root("shelf"))
    helped = [sys.executable, "-m", "pipeline.play", "suggest", "--game", "toy", "--outputs", s3.uri("shelf")]
    shown = subprocess.run(helped, cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=True).stdout
    assert "s3://results/shelf/there" in shown
    again = ("+experiment=runs", s3.outputs_root("shelf"), "yes=true")
    assert "there are: there" in finished(tmp_path, *again, "clean=nowhere", code=1)
    assert "removed s3://results/shelf/there" in finished(tmp_path, *again, "clean=there")
    assert s3.contents("shelf") == {}


@pytest.mark.parametrize("root", ["outputs", "./a/b"])
def test_a_ray_job_needs_a_place_that_stays(tmp_path: Path, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_JOB_CONFIG_JSON_ENV_VAR", "{}")
    text = finished(tmp_path, *SMOKE, f"outputs_root={root}", code=2)
    assert f"outputs_root={root}: a Ray job runs in a copy of the working directory" in text
    finished(tmp_path, *SMOKE, f"outputs_root={tmp_path}/kept", "until=rank")
    monkeypatch.delenv("RAY_JOB_CONFIG_JSON_ENV_VAR")
    thrown_away = tmp_path / "runtime_resources" / "working_dir_files"
    thrown_away.mkdir(parents=True)
    finished(thrown_away, *SMOKE, f"outputs_root={root}", code=2)
