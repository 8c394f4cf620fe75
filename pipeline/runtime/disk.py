"""Outputs on a disk: a file is written under another name, flushed, and renamed."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from pipeline.runtime.storage import File, StoreError


class Disk:
    """Any file system of this machine; all its objects are alike."""

    is_near = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Disk)

    def __hash__(self) -> int:
        return hash(Disk)

    def shown(self, path: str) -> str:
        return path

    def read(self, path: str) -> bytes:
        try:
            return Path(path).read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreError(f"cannot read {path}: {error.strerror}") from error

    def write(self, path: str, content: bytes | memoryview) -> None:
        write_atomic(Path(path), content)

    def size(self, path: str) -> int | None:
        return Path(path).stat().st_size if Path(path).is_file() else None

    def files(self, path: str, recursive: bool) -> list[File]:
        folder = Path(path)
        found = []
        for file in sorted(folder.rglob("*") if recursive else folder.glob("*")):
            with suppress(FileNotFoundError):  # gone meanwhile
                if file.is_file():
                    status = file.stat()
                    found.append(File(file.relative_to(folder).as_posix(), status.st_size, status.st_mtime))
        return found

    def folders(self, path: str) -> list[str]:
        return sorted(folder.name for folder in Path(path).glob("*") if folder.is_dir())

    def remove(self, path: str) -> None:
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"cannot remove {path}: {error.strerror}") from error

    def remove_tree(self, path: str) -> None:
        """A link is removed itself, never what it leads to."""
        try:
            if Path(path).is_symlink():
                Path(path).unlink()
            else:
                shutil.rmtree(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(f"cannot remove {path}: {error.strerror or error}") from error


def write_atomic(path: Path, content: bytes | memoryview) -> None:
    """The file appears whole or not at all: temporary name, flush to disk, rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        make_folder(path.parent)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        fsync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}; finished work is kept, a rerun goes on") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """The folder and those above it, each entered in the one above for good."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        fsync_folder(folder.parent)


def fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
