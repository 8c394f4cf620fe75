"""A place for results: a file or folder on a disk or in an object store, used alike. Knows nothing of what it holds."""

import posixpath
import re
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.runtime.disk import Disk
from pipeline.runtime.objects import opened
from pipeline.runtime.storage import File, Storage

URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
AT_ONCE = 16  # files that are fetched at the same time from a storage that is far


@dataclass(frozen=True, slots=True)
class Place:
    """`place / name` is a place below it; as text it is what a user may type, but for keys and options of a URI."""

    storage: Storage
    path: str

    def __truediv__(self, name: str) -> "Place":
        return Place(self.storage, posixpath.join(self.path, name))

    def __str__(self) -> str:
        return self.storage.shown(self.path)

    @property
    def name(self) -> str:
        return posixpath.basename(self.path)

    @property
    def parent(self) -> "Place":
        return Place(self.storage, posixpath.dirname(self.path))

    @property
    def on_disk(self) -> Path | None:
        """The path of this machine that it is, if it is one."""
        return Path(self.path) if isinstance(self.storage, Disk) else None

    def read(self) -> bytes:
        return self.storage.read(self.path)

    def write(self, content: bytes | memoryview) -> None:
        """The one way to write a file: it appears whole or not at all."""
        self.storage.write(self.path, content)

    def size(self) -> int | None:
        return self.storage.size(self.path)

    def exists(self) -> bool:
        """Whether it is a file."""
        return self.size() is not None

    def files(self, recursive: bool = False) -> list[File]:
        return self.storage.files(self.path, recursive)

    def folders(self) -> "list[Place]":
        return [self / name for name in self.storage.folders(self.path)]

    def remove(self) -> None:
        self.storage.remove(self.path)

    def remove_tree(self) -> None:
        self.storage.remove_tree(self.path)


def is_uri(text: str) -> bool:
    return URI.match(text) is not None


def place_of(text: str | Path) -> Place:
    """The place of a path, relative to the working directory or absolute, or of a URI; StoreError if it is none."""
    if not is_uri(str(text)):
        return Place(Disk(), Path(text).as_posix())
    found = opened(str(text))
    return Place(Disk(), found) if isinstance(found, str) else Place(*found)


def local_folder(text: str) -> Path:
    """The path itself where it is one of this machine; for an object store `outputs`, in the working directory."""
    if text.startswith("file://"):
        return place_of(text).on_disk or Path("outputs")
    return Path("outputs" if is_uri(text) else text)


def contents(places: Sequence[Place]) -> Iterator[bytes]:
    """What each file holds, in this order; from afar several are fetched at once."""
    if not places or places[0].storage.is_near:
        yield from map(Place.read, places)
        return
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for start in range(0, len(places), 4 * AT_ONCE):  # so that few are held
            yield from pool.map(Place.read, places[start : start + 4 * AT_ONCE])


@contextmanager
def local_copy(folder: Place) -> Iterator[Path]:
    """The folder itself if it is on a disk, else a copy of its files that is gone afterwards."""
    if folder.on_disk:
        yield folder.on_disk
        return
    with tempfile.TemporaryDirectory() as temporary:
        for file in folder.files():
            (Path(temporary) / file.name).write_bytes((folder / file.name).read())
        yield Path(temporary)
