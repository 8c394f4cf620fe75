"""The executor on Ray as the driver sees it: a host process that may die or hang, and is then started anew."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

import psutil
import pyarrow as pa

from pipeline.runtime.messages import Batch, Begin, Cancel, Done, Failed, Nodes, Order, Ready
from pipeline.runtime.stage import ExecutorError, Shared, Task, TaskError

MARK = "WORDLE_PIPELINE_HOST"  # in the environment of every process of one Ray instance
POLL_SECONDS = 0.2
END_SECONDS = 2.0  # for Ray to end by itself
IN_FLIGHT = 2  # tasks a worker: one at work, one waiting
SILENCE_SECONDS = 30.0  # after which the host of a cluster, which tells of its nodes all the time, counts as hung
DEATHS = 5  # of hosts in a row without a single result


@dataclass(slots=True)
class Host:
    """A process that holds Ray, and our end of the pipe to it."""

    process: subprocess.Popen[bytes]
    pipe: Connection
    mark: str
    workers: int = 0
    is_ready: bool = False
    shared: Shared | None = None
    heard: float = field(default_factory=time.monotonic)

    def take_batch(self, run: Callable[[Task, Shared], pa.Table], shared: Shared) -> None:
        """What is shared is sent once."""
        if self.shared is not shared:
            self.pipe.send(Batch(run, shared))
            self.shared = shared


class RayExecutor:
    """Starts or joins Ray at the first task. A task that takes longer than its deadline is run anew with more time.

    `warm` is called once on every node of a cluster before its tasks. `say` tells the user which nodes come and go.
    """

    def __init__(
        self,
        address: str,
        workers: int | None,
        shared_bytes: int,
        task_deadline: float,
        log: Path | None = None,
        warm: Callable[[], object] | None = None,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.is_local = address == "local"
        self.begin = Begin(address, workers, shared_bytes, None if self.is_local else warm)
        self.task_deadline, self.log, self.say = task_deadline, log, say
        self.host: Host | None = None
        self.joined = False
        self.numbers = count()  # of orders, one for each time that a task of any stage is sent

    @property
    def workers(self) -> int | None:
        """How many tasks run at once, once that is known; on a cluster that changes."""
        return self.host.workers if self.host else None

    def results(
        self, run: Callable[[Task, Shared], pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table | Exception] | None]:
        waiting, flying, attempts = list(reversed(tasks)), dict[int, tuple[Task, float]](), dict[str, int]()
        deaths, checked = 0, time.monotonic()
        while waiting or flying:
            try:
                host = self.started()
                host.take_batch(run, shared)
                while waiting and len(flying) < IN_FLIGHT * max(1, host.workers):
                    order = Order(next(self.numbers), waiting.pop())
                    flying[order.number] = (order.task, time.monotonic())
                    host.pipe.send(order)
                done = self.heard(host, POLL_SECONDS)
                late, checked = self.overdue(flying, attempts, checked)
                for number in late:
                    task, _ = flying[number]
                    attempts[task.key] = attempts.get(task.key, 0) + 1
                    if self.is_local:
                        raise EOFError  # whatever hangs there is ours to end
                    host.pipe.send(Cancel(number))
                    waiting.append(flying.pop(number)[0])
            except (EOFError, OSError):  # the host died, and Ray with it; or it hangs
                deaths += 1
                if deaths == DEATHS:
                    raise ExecutorError(f"Ray died {DEATHS} times in a row; see {self.log}") from None
                self.kill()
                waiting += [task for task, _ in reversed(flying.values())]
                flying.clear()
                continue
            if isinstance(done, Done) and done.number in flying:
                deaths = 0
                yield flying.pop(done.number)[0], TaskError(done.error) if done.table is None else done.table
            else:
                yield None

    def overdue(
        self, flying: dict[int, tuple[Task, float]], attempts: dict[str, int], checked: float
    ) -> tuple[list[int], float]:
        """The orders that take too long, and when that was checked: not for every result, there may be thousands."""
        now = time.monotonic()
        if now - checked < POLL_SECONDS:
            return [], checked
        return [
            number
            for number, (task, since) in flying.items()
            if now - since > self.task_deadline * 2 ** attempts.get(task.key, 0)
        ], now

    def started(self) -> Host:
        """The living host; a new one if there is none."""
        if self.host is None:
            ours, theirs = Pipe()
            mark = uuid.uuid4().hex
            process = subprocess.Popen(
                [sys.executable, "-m", "pipeline.runtime.ray_host", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**os.environ, MARK: mark, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=subprocess.DEVNULL,
                stdout=self.output(),
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the driver, which then ends the host
            )
            theirs.close()
            self.host = Host(process, ours, mark)
            ours.send(self.begin)
            while not isinstance(ready := self.heard(self.host, POLL_SECONDS), Ready):
                continue
            self.host.workers, self.host.is_ready = ready.workers, True
            if not self.is_local:  # should the host die, its successor joins this cluster and no other
                self.begin, self.joined = replace(self.begin, address=ready.address), True
        return self.host

    def heard(self, host: Host, seconds: float) -> Done | Ready | None:
        """What the host says within that time; raises EOFError if it is dead or hangs, ExecutorError if it gave up."""
        if not host.pipe.poll(seconds):
            silent = not self.is_local and time.monotonic() - host.heard > SILENCE_SECONDS
            if silent or host.process.poll() is not None:
                raise EOFError
            return None
        message, host.heard = host.pipe.recv(), time.monotonic()
        if isinstance(message, Failed):
            raise ExecutorError(self.explained(host, message.why))
        if isinstance(message, Nodes):
            host.workers = message.workers
            for news in message.news:
                self.say(f"cluster: {news}; {host.workers} CPUs in all")
            return None
        assert isinstance(message, Done | Ready)
        return message

    def explained(self, host: Host, why: str) -> str:
        if host.is_ready:
            return f"the cluster cannot be used: {why}. Finished parts are kept, the same command goes on"
        if self.joined:
            return (
                f"the cluster at {self.begin.address} is lost: {why}. Finished parts are kept, the same command goes on"
            )
        return f"cannot start Ray with executor.address={self.begin.address}: {why}"

    def output(self) -> int | IO[bytes]:
        if self.log is None:
            return subprocess.DEVNULL
        self.log.parent.mkdir(parents=True, exist_ok=True)
        return self.log.open("ab")

    def kill(self) -> None:
        """Ends the host, and every process of its Ray instance if that is ours; a cluster is not."""
        if self.host is None:
            return
        self.host.pipe.close()
        self.host.process.kill()
        for process in psutil.process_iter() if self.is_local else ():
            try:
                if process.environ().get(MARK) == self.host.mark:
                    process.kill()
            except psutil.Error:  # gone, or not ours
                continue
        self.host.process.wait()
        self.host = None

    def close(self) -> None:
        """Ends Ray; it has a moment to do so by itself."""
        if self.host is None:
            return
        self.host.pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self.host.process.wait(END_SECONDS)
        self.kill()
