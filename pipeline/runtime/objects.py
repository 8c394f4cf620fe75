"""Outputs in an object store, through pyarrow.fs: a file is one PUT, which is atomic, and nothing is renamed."""

import logging
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.fs as fs

from pipeline.runtime.storage import File, StoreError

WAITS = (1.0, 2.0, 4.0, 8.0)  # seconds between the attempts of one request
FINAL = (  # what trying again does not mend
    "ACCESS_DENIED",
    "NO_SUCH_BUCKET",
    "INVALID_ACCESS_KEY_ID",
    "INVALID_CLIENT_TOKEN_ID",
    "SIGNATURE_DOES_NOT_MATCH",
    "EXPIRED_TOKEN",
    "PERMANENT_REDIRECT",
    "Bucket '",  # its region is asked for first: Bucket 'name' not found
)
SILENCE_SECONDS = 5.0  # after which a request has failed; without it one may wait for ever
KNOWN = "s3://bucket/prefix, gs://bucket/prefix or file:///folder"

log = logging.getLogger(__name__)
T = TypeVar("T")


class ObjectStore:
    """A file system of pyarrow. After a request that failed for good, others are not tried again and again."""

    is_near = False

    def __init__(self, filesystem: Any, scheme: str) -> None:
        self.filesystem, self.scheme = filesystem, scheme
        self.writer = ThreadPoolExecutor(1)  # no signal is raised there: a stream left early would store a torn file
        self.refusal = ""  # why nothing may be written any more
        self.is_lost = False

    def shown(self, path: str) -> str:
        return f"{self.scheme}://{path}"

    def read(self, path: str) -> bytes:
        def action() -> bytes:
            with self.filesystem.open_input_stream(path) as stream:
                content: bytes = stream.read()
                return content

        return self.tried(f"cannot read {self.shown(path)}", action)

    def write(self, path: str, content: bytes | memoryview) -> None:
        what, kept = f"cannot write {self.shown(path)}", "; finished work is kept, a rerun goes on"
        if self.refusal:
            raise StoreError(f"{what}: {self.refusal}{kept}")

        def action() -> None:
            with self.filesystem.open_output_stream(path) as stream:
                stream.write(content)

        try:
            self.tried(what, lambda: self.writer.submit(action).result(), kept)
        except FileNotFoundError as error:
            raise StoreError(f"{what}: {reason(error)}") from error

    def size(self, path: str) -> int | None:
        info = self.tried(f"cannot look for {self.shown(path)}", lambda: self.filesystem.get_file_info(path))
        return int(info.size) if info.type == fs.FileType.File else None

    def files(self, path: str, recursive: bool) -> list[File]:
        infos = [info for info in self.listed(path, recursive) if info.type == fs.FileType.File]
        found = [File(info.path[len(path) + 1 :], info.size, info.mtime.timestamp()) for info in infos]
        return sorted(found, key=lambda file: file.name)

    def folders(self, path: str) -> list[str]:
        infos = self.listed(path, recursive=False)
        return sorted(info.base_name for info in infos if info.type == fs.FileType.Directory)

    def listed(self, path: str, recursive: bool) -> list[Any]:
        selector = fs.FileSelector(path, recursive=recursive, allow_not_found=True)
        return self.tried(f"cannot list {self.shown(path)}", lambda: list(self.filesystem.get_file_info(selector)))

    def remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self.tried(f"cannot remove {self.shown(path)}", lambda: self.filesystem.delete_file(path))

    def remove_tree(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self.tried(f"cannot remove {self.shown(path)}", lambda: self.filesystem.delete_dir(path))

    def tried(self, what: str, action: Callable[[], T], kept: str = "") -> T:
        """What the action returns, tried anew after errors that may pass; then a StoreError."""
        waits = iter(() if self.is_lost else WAITS)
        while True:
            try:
                result = action()
                self.is_lost = False
                return result
            except FileNotFoundError:
                raise
            except (OSError, pa.ArrowException) as error:
                wait = next(waits, None)
                is_final = any(name in str(error) for name in FINAL)
                if wait is None or is_final:
                    self.is_lost = not is_final
                    raise StoreError(f"{what}: {reason(error)}{kept}") from error
                log.warning("%s: %s; trying again in %g s", what, reason(error), wait)
            time.sleep(wait)


def reason(error: Exception) -> str:
    """What the store said, without the request's number."""
    text = re.sub(r"^When .*?: (?=AWS Error)", "", str(error).splitlines()[0])
    return re.sub(r" \(Request ID: .*?\)", "", text)


def opened(uri: str) -> tuple[ObjectStore, str] | str:
    """The store of a URI and the path in it; of a `file:` URI the path alone, which is on a disk."""
    scheme, _, rest = uri.partition("://")
    shown = f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"  # neither keys nor options
    if scheme == "gs" and "retry_limit_seconds" not in rest:  # else it tries for a quarter of an hour
        uri += f"{'&' if '?' in rest else '?'}retry_limit_seconds=10"
    try:
        filesystem, path = fs.FileSystem.from_uri(uri)
    except (OSError, pa.ArrowException) as error:
        said = reason(error).replace(uri, shown)
        raise StoreError(f"{shown} cannot be opened: {said}; give a path, {KNOWN}") from error
    if isinstance(filesystem, fs.LocalFileSystem):
        return str(path)
    path = path.rstrip("/")
    if not path:
        raise StoreError(f"{shown} names no bucket; give a path, {KNOWN}")
    return ObjectStore(suited(filesystem), scheme), path


def suited(filesystem: Any) -> Any:
    """For S3 the same with what a URI cannot tell in every version: timeouts, and one PUT for a small file."""
    if not isinstance(filesystem, fs.S3FileSystem):
        return filesystem
    _, (options,) = filesystem.__reduce__()  # the arguments it was made with, as pickle sees them
    own = {"connect_timeout": SILENCE_SECONDS, "request_timeout": SILENCE_SECONDS, "allow_delayed_open": True}
    return fs.S3FileSystem(**{**options, **own, "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=2)})
