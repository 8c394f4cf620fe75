"""What the driver and the process that holds Ray say to each other over their pipe.

driver -> host    Begin, Batch, Order, Cancel; end of file: end everything
host -> driver    Ready or Failed; then Done for each order, and Nodes every few seconds on a cluster
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue

import pyarrow as pa

from pipeline.runtime.stage import Shared, Task


@dataclass(frozen=True, slots=True)
class Begin:
    """Start or join Ray; `store_bytes` is what the tasks share, `warm` is called once on every node of a cluster."""

    address: str
    workers: int | None
    store_bytes: int
    warm: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What the tasks that follow run, and what they share."""

    run: Callable[[Task, Shared], pa.Table]
    shared: Shared


@dataclass(frozen=True, slots=True)
class Order:
    """Run this task of the last batch. No two orders of a driver have one number, though the same task be run anew."""

    number: int
    task: Task


@dataclass(frozen=True, slots=True)
class Cancel:
    number: int


@dataclass(frozen=True, slots=True)
class Ready:
    """Tasks may come; `address` is where the cluster was found."""

    workers: int
    address: str


@dataclass(frozen=True, slots=True)
class Nodes:
    """A sign of life: how many tasks can run at once now, and what has changed, for people."""

    workers: int
    news: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """Ray cannot be started or joined, or a node of it cannot be used."""

    why: str


@dataclass(frozen=True, slots=True)
class Done:
    """The table of an order's task, or what it failed with after all retries."""

    number: int
    table: pa.Table | None
    error: str = ""


class Outbox:
    """Sends in a thread, so that its owner can always listen: two ends that only send would wait for each other."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.waiting = pipe, SimpleQueue[object]()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def send(self, message: object) -> None:
        self.waiting.put(message)

    def work(self) -> None:
        try:
            while (message := self.waiting.get()) is not None:
                self.pipe.send(message)
        except OSError:  # nobody is there any more, which its owner hears too
            return

    def close(self) -> None:
        """Returns when everything is sent, or nobody is there to take it."""
        self.waiting.put(None)
        self.thread.join()
