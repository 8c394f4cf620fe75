"""What a storage is: the few things that the outputs ask of a disk or an object store. Knows neither."""

from dataclasses import dataclass
from typing import Protocol


class StoreError(RuntimeError):
    """The outputs cannot be used, read or written."""


@dataclass(frozen=True, slots=True)
class File:
    """What a listing tells of a file; `name` is its path below the folder that was listed."""

    name: str
    size: int
    mtime: float  # seconds since 1970, by the clock of the storage


class Storage(Protocol):
    """Paths are text with slashes. A file appears whole or not at all; a missing folder is an empty one.

    Reading a file that is not there raises FileNotFoundError. Removing one is no error.
    """

    @property
    def is_near(self) -> bool:
        """Whether reading one file after the other is as quick as several at once."""

    def shown(self, path: str) -> str:
        """The path as a user knows it, without secrets."""

    def read(self, path: str) -> bytes: ...

    def write(self, path: str, content: bytes | memoryview) -> None:
        """Makes the folders above it where a storage has such."""

    def size(self, path: str) -> int | None:
        """The size of a file, None if there is none."""

    def files(self, path: str, recursive: bool) -> list[File]:
        """The files of a folder, or everywhere below it, by name."""

    def folders(self, path: str) -> list[str]:
        """The names of the folders in a folder."""

    def remove(self, path: str) -> None: ...

    def remove_tree(self, path: str) -> None: ...
