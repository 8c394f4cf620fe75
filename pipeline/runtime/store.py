"""What the outputs hold: Parquet parts that prove themselves, tables, JSON.

A part's name ends in the digest of its bytes, and its metadata names its stage and task, so a torn,
changed or misplaced file is never taken for a result. Knows neither words nor search.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.runtime.place import Place, contents

log = logging.getLogger(__name__)


def write_json(place: Place, value: Mapping[str, Any]) -> None:
    place.write((json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def parquet_bytes(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return memoryview(sink.getvalue())


def write_parquet(place: Place, table: pa.Table) -> None:
    place.write(parquet_bytes(table))


@dataclass(frozen=True, slots=True)
class StageFolder:
    """`<stage>-<fingerprint>/`: the parts of one stage for one meaning of its inputs and options."""

    place: Place
    fingerprint: str

    def write_part(self, key: str, table: pa.Table) -> Place:
        """The part of task `key`, safe when this returns."""
        identity = {b"stage": self.fingerprint.encode(), b"task": key.encode()}
        content = parquet_bytes(table.replace_schema_metadata(identity))
        part = self.place / f"part-{key}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"
        part.write(content)
        return part

    def parts(self) -> dict[str, Place]:
        """Every sound part by its task; what is torn, changed or of another stage is removed with a warning."""
        sound: dict[str, Place] = {}
        names = [file.name for file in self.place.files()]
        for name in names:
            if name.startswith(".") and name.endswith(".tmp"):  # left by a crash
                (self.place / name).remove()
        parts = [self.place / name for name in names if name.startswith("part-") and name.endswith(".parquet")]
        for part, content in zip(parts, contents(parts), strict=True):
            key = self.task_of(part.name, content)
            if key is None or key in sound:
                log.warning("%s is not a sound part of this stage; it is computed again", part)
                part.remove()
            else:
                sound[key] = part
        return sound

    def task_of(self, name: str, content: bytes) -> str | None:
        """The task whose part this file is, or None if it is not one."""
        digest = name.removesuffix(".parquet").rpartition("-")[2]
        if digest != hashlib.sha256(content).hexdigest()[:16]:
            return None
        try:
            metadata = pq.read_schema(pa.BufferReader(content)).metadata or {}
        except pa.ArrowException:
            return None
        if metadata.get(b"stage") != self.fingerprint.encode() or b"task" not in metadata:
            return None
        key: str = metadata[b"task"].decode()
        return key


def tables(parts: Sequence[Place], columns: list[str] | None = None) -> Iterator[pa.Table]:
    """The rows of each part, in this order."""
    for content in contents(parts):
        yield pq.read_table(pa.BufferReader(content), columns=columns).replace_schema_metadata()


def read_parts(parts: Sequence[Place], columns: list[str] | None = None) -> pa.Table:
    """The rows of the parts, in this order."""
    return pa.concat_tables(tables(parts, columns))
