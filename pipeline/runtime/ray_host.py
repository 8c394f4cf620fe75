"""The process that holds Ray, and the only file that imports it. Run as `python -m pipeline.runtime.ray_host FD`.

It takes tasks from the driver over a pipe and sends their tables back. Ray ends this process without a word when a
raylet or the head dies; the driver, which lives elsewhere, then starts another (see supervised.py).
"""

import os
import secrets
import socket
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

import pyarrow as pa

from pipeline.runtime.cluster import ClusterError, NodeWatch, check_listens, check_node, prepare_environment
from pipeline.runtime.messages import Batch, Begin, Cancel, Done, Failed, Nodes, Order, Outbox, Ready
from pipeline.runtime.stage import Task
from pipeline.runtime.versions import Versions, versions

LEAST_STORE = 128 * 2**20
WAIT_SECONDS = 0.1  # how long the driver may have to wait for an ear
LOOK_SECONDS = 2.0  # between two looks at the nodes
WARM_SECONDS = 300.0  # for the nodes that are there at the start; later they count when they are ready
RETRIES = 5  # of a task whose worker or node died, or whose disk or network failed


def main(driver: Connection) -> None:
    os.set_inheritable(driver.fileno(), False)  # else a raylet would keep the pipe open when this process is gone
    begin = driver.recv()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")  # else `uv run` ships the working directory to itself
    try:
        if begin.address == "local":  # ours alone, whatever the environment says of clusters
            os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        else:
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            prepare_environment(os.environ)
        import ray
        import ray.util.scheduling_strategies

        watch = started(ray, begin, driver)
    except (ClusterError, OSError, RuntimeError, ValueError) as error:  # Ray's own errors at its start are among these
        driver.send(Failed(str(error)))
        return
    outbox = Outbox(driver)
    try:
        serve(ray, driver, outbox, watch)
    except ClusterError as error:
        outbox.send(Failed(str(error)))
    finally:
        outbox.close()
        ray.shutdown()


def started(ray: Any, begin: Begin, driver: Connection) -> NodeWatch | None:
    """Ray is there, and the driver knows; on a cluster its nodes are watched from now on."""
    try:
        start(ray, begin)
        watch = None if begin.address == "local" else warmed(ray, begin, driver)
    except ray.exceptions.RayError as error:
        raise ClusterError(str(error)) from error
    workers = watch.workers if watch else max(1, int(ray.cluster_resources().get("CPU", 1)))
    driver.send(Ready(workers, ray.get_runtime_context().gcs_address))
    return watch


def start(ray: Any, begin: Begin) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if begin.address == "local":  # an instance of our own: no dashboard, a store that fits what is shared
        store_bytes = LEAST_STORE + 2 * begin.store_bytes
        options = {"num_cpus": begin.workers, "include_dashboard": False, "object_store_memory": store_bytes}
        ray.init(address="local", **options, **quiet)
        return
    if begin.address != "auto":
        check_listens(begin.address)
    try:
        ray.init(address=begin.address, **quiet)
    except ConnectionError as error:
        raise ClusterError(f"{error}; is it a running cluster, and is the token that of this cluster?") from error


def warmed(ray: Any, begin: Begin, driver: Connection) -> NodeWatch:
    """The nodes of the cluster, checked and warmed up; without a node it does not wait for one."""
    watch, end = NodeWatch(ray, begin.warm), time.monotonic() + WARM_SECONDS
    while True:
        news = watch.news()
        driver.send(Nodes(watch.workers, news))
        if not watch.greeted or time.monotonic() > end:
            return watch
        ray.wait(list(watch.greeted), timeout=LOOK_SECONDS)


def serve(ray: Any, driver: Connection, outbox: Outbox, watch: NodeWatch | None) -> None:
    """Until the driver closes its end, or dies."""
    remote_run = ray.remote(max_retries=RETRIES, retry_exceptions=[OSError], num_cpus=1)(run_task)
    batch: Any = None
    flying = dict[Any, int]()
    looked = time.monotonic()
    while True:
        while driver.poll(0 if flying else LOOK_SECONDS if watch else None):
            try:
                order = driver.recv()
            except (EOFError, ConnectionError):
                return
            if isinstance(order, Batch):
                batch = ray.put(order)
            elif isinstance(order, Order):
                flying[remote_run.remote(batch, order.task, versions())] = order.number
            elif isinstance(order, Cancel):
                for ref in [ref for ref, number in flying.items() if number == order.number]:
                    ray.cancel(ref, force=True)
                    del flying[ref]
        if watch and time.monotonic() - looked > LOOK_SECONDS:
            looked = time.monotonic()
            news = watch.news()
            outbox.send(Nodes(watch.workers, news))
        done, _ = ray.wait(list(flying), timeout=WAIT_SECONDS) if flying else ([], [])
        for ref in done:
            outbox.send(outcome(ray, ref, flying.pop(ref)))


def run_task(batch: Batch, task: Task, ours: Versions) -> pa.Table:
    """In a worker, which may be one of a node that has just come."""
    if versions() != ours:
        import ray

        check_node(f"{ray.util.get_node_ip_address()} ({socket.gethostname()})", versions(), ours)
    return batch.run(task, batch.shared)


def outcome(ray: Any, ref: Any, number: int) -> Done:
    """What became of an order. If Ray itself is broken this process ends with the exception; the task is run anew."""
    try:
        return Done(number, ray.get(ref))
    except ray.exceptions.RayTaskError as error:
        cause = error.cause or error
        if isinstance(cause, ClusterError):
            raise cause from None
        return Done(number, None, f"{type(cause).__name__}: {cause}")
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:  # each time it was tried
        return Done(number, None, f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    from pipeline.runtime.ray_host import main as host_main  # under its own name, so that messages are its classes

    host_main(Connection(int(sys.argv[1])))
