"""One driver at a time: a lock that dies with its process on a disk, signs of life in an object store.

The second is advisory: an object store has no locks, and pyarrow no conditional write. Every driver writes an object
of its own and then lists those of all, so of two that start at once at least one sees the other, and gives way. Names
of parts are digests of their content, so two drivers that run nevertheless do no harm but to waste work.
"""

import json
import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock, Timeout

from pipeline.runtime.objects import ObjectStore
from pipeline.runtime.place import Place
from pipeline.runtime.storage import StoreError

MARK = ".lock-"  # the name of a sign of life begins so
REFRESH_SECONDS = 30.0
STALE_SECONDS = 180.0  # without a sign of life

log = logging.getLogger(__name__)


@contextmanager
def locked(folder: Place) -> Iterator[None]:
    """Holds the folder for this process. A second driver gets a StoreError."""
    if isinstance(folder.storage, ObjectStore):
        with claimed(folder, folder.storage):
            yield
    else:
        with locked_on_disk(Path(folder.path)):
            yield


@contextmanager
def locked_on_disk(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the output folder {folder}: {error.strerror}; set outputs_root") from error
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(f"{folder} is in use by another run; wait for it, or choose another name=...") from None
    except OSError as error:
        raise StoreError(f"cannot lock {folder}: {error.strerror}; set outputs_root") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def claimed(folder: Place, store: ObjectStore) -> Iterator[None]:
    """The folder while nobody else shows signs of life there, and ours are renewed."""
    mine, owner = folder / f"{MARK}{secrets.token_hex(8)}", json.dumps(this_process()).encode()
    keeper = Keeper(mine, owner, store)
    try:
        try:
            mine.write(owner)
        except StoreError as error:
            raise StoreError(f"outputs_root cannot be used: {error}") from error
        give_way(folder, mine)
        keeper.start()
        yield
    finally:
        keeper.end()
        store.is_lost = True  # one attempt will do: what stays becomes stale
        with suppress(StoreError):
            mine.remove()


def give_way(folder: Place, mine: Place) -> None:
    """Raises StoreError if another driver is alive; removes what dead ones left. Ages are by the store's clock."""
    signs = {file.name: file.mtime for file in folder.files() if file.name.startswith(MARK)}
    if mine.name not in signs:
        raise StoreError(f"{folder} does not list {mine.name}, which was just written; it cannot be used by one driver")
    for name in signs.keys() - {mine.name}:
        age = signs[mine.name] - signs[name]
        try:
            owner: dict[str, Any] = json.loads((folder / name).read())
        except FileNotFoundError:  # it has just ended
            continue
        who = f"process {owner['pid']} of {owner['host']}, started {owner['started']}, last heard of {age:.0f} s ago"
        if age <= STALE_SECONDS and not is_dead(owner):
            raise StoreError(
                f"{folder} is in use by another run: {who}; wait for it, or choose another name=... Once it is dead,"
                f" remove {folder / name} to go on at once; after {STALE_SECONDS:.0f} s without a sign of life"
                " the next run does so by itself"
            )
        log.warning("%s: taken over from a run that is dead: %s", folder, who)
        (folder / name).remove()


class Keeper:
    """Renews the sign of life in a thread; if somebody removed it, the run may write nothing more."""

    def __init__(self, mine: Place, owner: bytes, store: ObjectStore) -> None:
        self.mine, self.owner, self.store = mine, owner, store
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def work(self) -> None:
        while not self.ended.wait(REFRESH_SECONDS):
            with suppress(StoreError):  # the run itself notices that the store is gone
                if not self.mine.exists():
                    self.store.refusal = f"another run took over, {self.mine} is gone"
                    return
                self.mine.write(self.owner)

    def end(self) -> None:
        """Waits for a renewal that is under way: it must not come after the removal."""
        self.ended.set()
        if self.thread.is_alive():
            self.thread.join()


def this_process() -> dict[str, Any]:
    """The owner of a lock, for people and for `is_dead`."""
    created = psutil.Process().create_time()
    started = f"{datetime.fromtimestamp(created, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "started": started,
        "created": created,
        "machine": machine(),
    }


def machine() -> str | None:
    """What tells this system, since it was started, from all others that count processes; None where nothing does."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return None


def is_dead(owner: dict[str, Any]) -> bool:
    """Whether the process is known to be gone, which can be told of those of this machine alone."""
    if owner["machine"] is None or owner["machine"] != machine():
        return False
    try:
        process = psutil.Process(owner["pid"])
        is_another = abs(process.create_time() - owner["created"]) > 5
        return bool(is_another or process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
