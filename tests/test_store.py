"""The output folder: nothing torn, changed or misplaced is ever taken for a result."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.runtime import disk
from pipeline.runtime.lock import locked
from pipeline.runtime.place import place_of
from pipeline.runtime.storage import StoreError
from pipeline.runtime.store import StageFolder, read_parts, write_json

TABLE = pa.table({"n": pa.array([1, 2, 3], pa.int32())})


@pytest.fixture
def folder(tmp_path: Path) -> StageFolder:
    return StageFolder(place_of(tmp_path / "stage-f00"), "f00")


def test_a_part_comes_back(folder: StageFolder) -> None:
    path = folder.write_part("a", TABLE)
    assert folder.parts() == {"a": path}
    assert read_parts([path]).equals(TABLE)


def test_parts_are_the_same_bytes_every_time(folder: StageFolder, tmp_path: Path) -> None:
    again = StageFolder(place_of(tmp_path / "again"), "f00")
    assert folder.write_part("a", TABLE).read() == again.write_part("a", TABLE).read()


def test_read_parts_keeps_the_order(folder: StageFolder) -> None:
    paths = [folder.write_part(key, pa.table({"n": [n]})) for key, n in (("b", 1), ("a", 2))]
    assert read_parts(paths)["n"].to_pylist() == [1, 2]


def test_every_truncation_is_detected(folder: StageFolder) -> None:
    path = folder.write_part("a", TABLE)
    content = path.read()
    assert folder.task_of(path.name, content) == "a"
    for length in range(0, len(content), 7):
        assert folder.task_of(path.name, content[:length]) is None


def test_every_changed_byte_is_detected(folder: StageFolder) -> None:
    path = folder.write_part("a", TABLE)
    content = bytearray(path.read())
    for place in range(0, len(content), 5):
        content[place] ^= 0x40
        assert folder.task_of(path.name, bytes(content)) is None
        content[place] ^= 0x40


def test_unsound_parts_are_removed_and_the_others_kept(folder: StageFolder) -> None:
    torn, sound = folder.write_part("a", TABLE), folder.write_part("b", TABLE)
    torn.write(torn.read()[:-9])
    (folder.place / ".part-x.tmp").write(b"left by a crash")
    assert folder.parts() == {"b": sound}
    assert [file.name for file in folder.place.files()] == [sound.name]


def test_a_part_of_another_stage_is_not_taken(folder: StageFolder, tmp_path: Path) -> None:
    other = StageFolder(place_of(tmp_path / "stage-bad"), "bad").write_part("a", TABLE)
    (folder.place / other.name).write(other.read())
    assert folder.parts() == {}


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "result.json"
    write_json(place_of(path), {"old": 1})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk.os, "fsync", full)
    with pytest.raises(
        StoreError, match=r"cannot write .*result\.json: No space left on device; finished work is kept"
    ):
        place_of(path).write(b"new")
    assert json.loads(path.read_text()) == {"old": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_a_second_driver_gets_an_error_and_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    code = (
        "import sys; from pipeline.runtime.lock import locked; from pipeline.runtime.place import place_of\n"
        "with locked(place_of(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StoreError, match="in use by another run"), locked(place_of(tmp_path)):
        pass
    holder.kill()
    holder.communicate()
    with locked(place_of(tmp_path)):
        pass


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / ".lock").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot lock"), locked(place_of(tmp_path / "taken")):
        pass
    with pytest.raises(StoreError, match="cannot make the output folder"), locked(place_of(tmp_path / "file" / "name")):
        pass
