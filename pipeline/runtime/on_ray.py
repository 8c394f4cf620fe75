"""The executor on Ray, and the only file that knows it: a private instance of this machine, or a running cluster."""

import os
import secrets
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")  # else `uv run` ships the working directory to itself

import ray

from pipeline.runtime.stage import Shared, Task

LEAST_STORE = 128 * 2**20
RETRIES = 5  # of a task whose worker or node died, or whose disk or network failed


class RayError(RuntimeError):
    """Ray could not be started or joined."""


@ray.remote(max_retries=RETRIES, retry_exceptions=[OSError], num_cpus=1)
def remote_run(run: Callable[[Task, Shared], pa.Table], task: Task, shared: Shared) -> pa.Table:
    return run(task, shared)


class RayExecutor:
    """Starts Ray at the first task; `shared` is put once; at most three tasks a worker are in flight."""

    def __init__(self, address: str, workers: int | None, shared_bytes: int) -> None:
        self.address, self.workers, self.shared_bytes = address, workers, shared_bytes

    def results(
        self, run: Callable[[Task, Shared], pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table | Exception]]:
        self.start()
        put = ray.put(shared)
        limit = 3 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting, flying = list(reversed(tasks)), dict[Any, Task]()
        try:
            while waiting or flying:
                while waiting and len(flying) < limit:
                    task = waiting.pop()
                    flying[remote_run.remote(run, task, put)] = task
                done, _ = ray.wait(list(flying), timeout=1.0)
                for ref in done:
                    yield flying.pop(ref), outcome(ref)
        finally:
            for ref in flying:
                ray.cancel(ref, force=True)

    def start(self) -> None:
        if ray.is_initialized():
            return
        handlers = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)}
        try:
            if self.address == "local":
                start_private(self.workers, self.shared_bytes)
            else:
                ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise RayError(f"cannot start Ray with executor.address={self.address}: {error}") from error
        for signum, handler in handlers.items():  # Ray puts its own SIGTERM handler in place of ours
            signal.signal(signum, handler)

    def close(self) -> None:
        ray.shutdown()


def start_private(workers: int | None, shared_bytes: int) -> None:
    """An instance of our own: no dashboard, its own token, a store that fits what is shared and what is in flight."""
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    ray.init(
        address="local",
        num_cpus=workers,
        include_dashboard=False,
        object_store_memory=LEAST_STORE + 2 * shared_bytes,
        log_to_driver=False,
        logging_level="ERROR",
    )


def outcome(ref: Any) -> pa.Table | Exception:
    """The task's table, or the exception it ended with after all retries."""
    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        return error.cause if isinstance(error.cause, Exception) else error
    except ray.exceptions.RayError as error:
        return error
