"""The output folder: atomic files, Parquet parts that prove themselves, manifests, one driver at a time.

A part's name ends in the digest of its bytes, and its metadata names its stage and task, so a torn,
changed or misplaced file is never taken for a result. Knows neither words nor search.
"""

import hashlib
import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

log = logging.getLogger(__name__)


class StoreError(RuntimeError):
    """The output folder cannot be used or written."""


def write_atomic(path: Path, content: bytes | memoryview) -> None:
    """The file appears whole or not at all: temporary name, flush to disk, rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}; finished work is kept, a rerun goes on") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    fsync_folder(path.parent)


def fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    write_atomic(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def parquet_bytes(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return memoryview(sink.getvalue())


def write_parquet(path: Path, table: pa.Table) -> None:
    write_atomic(path, parquet_bytes(table))


@dataclass(frozen=True, slots=True)
class StageFolder:
    """`<stage>-<fingerprint>/`: the parts of one stage for one meaning of its inputs and options."""

    path: Path
    fingerprint: str

    def write_part(self, key: str, table: pa.Table) -> Path:
        """The part of task `key`, on disk when this returns."""
        self.path.mkdir(parents=True, exist_ok=True)
        identity = {b"stage": self.fingerprint.encode(), b"task": key.encode()}
        content = parquet_bytes(table.replace_schema_metadata(identity))
        path = self.path / f"part-{key}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"
        write_atomic(path, content)
        return path

    def parts(self) -> dict[str, Path]:
        """Every sound part by its task; what is torn, changed or of another stage is removed with a warning."""
        sound: dict[str, Path] = {}
        for leftover in self.path.glob(".*.tmp"):
            leftover.unlink(missing_ok=True)
        for path in sorted(self.path.glob("part-*.parquet")):
            key = self.task_of(path)
            if key is None or key in sound:
                log.warning("%s is not a sound part of this stage; it is computed again", path)
                path.unlink()
            else:
                sound[key] = path
        return sound

    def task_of(self, path: Path) -> str | None:
        """The task whose part this file is, or None if it is not one."""
        content = path.read_bytes()
        if path.stem.rpartition("-")[2] != hashlib.sha256(content).hexdigest()[:16]:
            return None
        try:
            metadata = pq.read_schema(pa.BufferReader(content)).metadata or {}
        except pa.ArrowException:
            return None
        if metadata.get(b"stage") != self.fingerprint.encode() or b"task" not in metadata:
            return None
        key: str = metadata[b"task"].decode()
        return key


def read_parts(paths: list[Path], columns: list[str] | None = None) -> pa.Table:
    """The rows of the parts, in this order."""
    tables = [pq.read_table(path, columns=columns).replace_schema_metadata() for path in paths]
    return pa.concat_tables(tables)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder for this process; the lock dies with it. A second driver gets a StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the output folder {folder}: {error.strerror}; set outputs_root") from error
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(f"{folder} is in use by another run; wait for it, or choose another name=...") from None
    try:
        yield
    finally:
        lock.release()
