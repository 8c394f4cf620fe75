"""Joining a cluster, without one: the token, the address, which nodes may be used. A real one is in deploy/smoke.sh."""

import json
import socket
import subprocess
import sys
import threading
import time
from multiprocessing import Pipe
from pathlib import Path

import pyarrow as pa
import pytest
from rich.console import Console

from pipeline.runtime.cluster import HEALTH, ClusterError, check_listens, check_node, check_token, prepare_environment
from pipeline.runtime.messages import Cancel, Done, Failed, Nodes, Order, Outbox, Ready
from pipeline.runtime.place import place_of
from pipeline.runtime.progress import Progress
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import ExecutorError, Shared, Stage, Task, run_stage
from pipeline.runtime.supervised import SILENCE_SECONDS, Host, RayExecutor
from pipeline.runtime.versions import code_digest, differences, versions
from pipeline.stages.runs import far
from tests.runs import ROOT
from tests.test_stage import square

OURS = {"python": "3.11", "ray": "2.60.0", "code": "a"}


def test_a_token_is_found_where_ray_finds_it(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    check_token({"RAY_AUTH_TOKEN": "secret"})
    check_token({"RAY_AUTH_TOKEN_PATH": str(token)})


@pytest.mark.parametrize("content", [None, "", "\n"])
def test_a_missing_or_empty_token_is_told(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "token"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ClusterError, match=r"token is missing .*RAY_AUTH_TOKEN"):
        check_token({"RAY_AUTH_TOKEN": "", "RAY_AUTH_TOKEN_PATH": str(path)})


def test_settings_of_the_user_are_kept() -> None:
    environment = {"RAY_AUTH_MODE": "disabled", "RAY_health_check_period_ms": "7"}
    prepare_environment(environment)
    assert environment == {**HEALTH, "RAY_AUTH_MODE": "disabled", "RAY_health_check_period_ms": "7"}


def test_an_address_where_nothing_listens_is_told_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ClusterError, match=f"nothing answers at {address}"):
        check_listens(address)


def test_a_node_with_another_version_is_named() -> None:
    check_node("n", dict(OURS), OURS)
    with pytest.raises(ClusterError, match=r"node n runs other .*: ray 2.59.0 instead of 2.60.0, code b instead of a"):
        check_node("n", {**OURS, "ray": "2.59.0", "code": "b"}, OURS)
    with pytest.raises(ClusterError, match="node n does not have the package"):
        check_node("n", "No module named 'pipeline'", OURS)


def test_differences_go_both_ways() -> None:
    assert differences(OURS, OURS) == ""
    assert differences({}, {"ray": "1"}) == "ray none instead of 1"
    assert differences({"ray": "1"}, {}) == "ray 1 instead of none"


def test_the_code_digest_sees_every_file_and_no_path(tmp_path: Path) -> None:
    for copy in ("a", "b"):
        (tmp_path / copy / "sub").mkdir(parents=True)
        (tmp_path / copy / "sub" / "x.py").write_text("1")
    assert code_digest(tmp_path / "a") == code_digest(tmp_path / "b")
    (tmp_path / "b" / "sub" / "x.py").write_text("2")
    assert code_digest(tmp_path / "a") != code_digest(tmp_path / "b")
    assert set(versions()) >= {"python", "ray", "numba", "code"}


class Ends:
    """A pipe's end that says these things, then nothing."""

    def __init__(self, *messages: object) -> None:
        self.messages = list(messages)

    def poll(self, seconds: float) -> bool:
        return bool(self.messages)

    def recv(self) -> object:
        return self.messages.pop(0)

    def close(self) -> None: ...


def joined(*messages: object) -> tuple[RayExecutor, Host, list[str]]:
    said: list[str] = []
    executor = RayExecutor("head:1", None, 0, 900, say=said.append)
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    executor.host = Host(process, Ends(*messages), "mark")  # type: ignore[arg-type]
    return executor, executor.host, said


def test_the_number_of_workers_follows_the_nodes() -> None:
    executor, host, said = joined(Nodes(3, ("node a is ready, 1 CPU",)), Nodes(2, ("node a is lost",)), Done(7, None))
    try:
        assert executor.heard(host, 0) is None
        assert executor.workers == 3
        assert executor.heard(host, 0) is None
        assert executor.workers == 2
        assert executor.heard(host, 0) == Done(7, None)
        assert [line.split(";")[1] for line in said] == [" 3 CPUs in all", " 2 CPUs in all"]
    finally:
        executor.kill()


def test_a_host_that_gives_up_ends_the_run_with_its_reason() -> None:
    executor, host, _ = joined(Failed("why"), Failed("why"))
    try:
        with pytest.raises(ExecutorError, match=r"cannot start Ray with executor.address=head:1: why"):
            executor.heard(host, 0)
        executor.joined = True
        with pytest.raises(ExecutorError, match=r"the cluster at head:1 is lost: why.*the same command goes on"):
            executor.heard(host, 0)
    finally:
        executor.kill()


def test_a_silent_or_dead_host_is_noticed() -> None:
    executor, host, _ = joined()
    try:
        assert executor.heard(host, 0) is None
        host.heard = time.monotonic() - SILENCE_SECONDS - 1
        with pytest.raises(EOFError):
            executor.heard(host, 0)
        host.heard = time.monotonic()
        host.process.kill()
        host.process.wait()
        with pytest.raises(EOFError):
            executor.heard(host, 0)
    finally:
        executor.kill()


class Echo(Ends):
    """A pipe's end that answers each order with what its task is of, twice."""

    def send(self, message: object) -> None:
        if isinstance(message, Order):
            self.messages += 2 * [Done(message.number, pa.table({"of": [message.task.data["of"]]}))]


def test_a_result_that_comes_twice_is_not_taken_for_one_of_the_next_stage() -> None:
    """Tasks of two stages may have the same key."""
    executor, host, _ = joined()
    host.pipe, host.workers = Echo(), 1  # type: ignore[assignment]
    try:
        for of in ("responses", "rank"):
            news = executor.results(square, [Task("000", {"of": of})], {"stage": of})  # type: ignore[arg-type]
            assert [item[1]["of"].to_pylist() for item in news if item] == [[of]]  # type: ignore[index]
    finally:
        executor.kill()


def test_a_late_task_is_cancelled_and_ordered_anew_with_more_time() -> None:
    executor, host, _ = joined()
    executor.task_deadline = 1e-3
    sent: list[object] = []

    class Slow(Ends):
        def send(self, message: object) -> None:
            sent.append(message)
            if isinstance(message, Order) and message.number == 2:
                self.messages.append(Done(message.number, pa.table({"x": [1]})))

    host.pipe, host.workers = Slow(), 1  # type: ignore[assignment]
    try:
        news = executor.results(square, [Task("000", {})], {})  # type: ignore[arg-type]
        assert [item[0].key for item in news if item] == ["000"]
        orders = [message.number for message in sent if isinstance(message, Order)]
        assert orders == [0, 1, 2]
        assert [message.number for message in sent if isinstance(message, Cancel)] == [0, 1]
    finally:
        executor.kill()


@pytest.mark.timeout(300)
def test_two_ends_that_send_much_at_once_do_not_wait_for_each_other() -> None:
    """The driver may send many orders before it reads a result, and results are large."""
    ours, theirs = Pipe()

    def answer() -> None:
        outbox = Outbox(theirs)
        for _ in range(50):
            outbox.send(Done(theirs.recv().number, pa.table({"x": [b"x" * 2**20]})))
        outbox.close()

    host = threading.Thread(target=answer, daemon=True)
    host.start()
    for number in range(50):
        ours.send(Order(number, Task("000", {"x": b"y" * 2**15})))
    assert [ours.recv().number for _ in range(50)] == list(range(50))
    host.join()


def test_a_cluster_is_not_ours_to_kill() -> None:
    """A process with the mark of the host, as a node's could have it, lives on."""
    executor, _, _ = joined(Ready(1, "head:1"))
    other = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={"WORDLE_PIPELINE_HOST": "mark"}
    )
    try:
        executor.kill()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_the_dearest_task_is_begun_first_and_rows_stay_in_task_order(tmp_path: Path) -> None:
    begun: list[str] = []

    def run(task: Task, shared: Shared) -> object:
        begun.append(task.key)
        return square(task, shared)

    tasks = [Task(key, {"n": n}, cost) for n, (key, cost) in enumerate([("a", 1), ("b", 5), ("c", 5), ("d", 9)])]
    stage = Stage("square", 1, {}, (), lambda: [tasks], run, dict)  # type: ignore[arg-type]
    finished = run_stage(stage, place_of(tmp_path), SerialExecutor(), Progress(Console(quiet=True)))
    assert begun == ["d", "b", "c", "a"]
    assert [path.name.split("-")[1] for path in finished.parts] == ["a", "b", "c", "d"]


def test_nodes_get_the_settings_that_the_driver_has() -> None:
    """In deploy/node.env and in the image."""
    for name in ("node.env", "Dockerfile"):
        text = (ROOT / "deploy" / name).read_text()
        assert "RAY_AUTH_MODE=token" in text
        for key, value in HEALTH.items():
            assert f"{key}={value}" in text, (name, key)


def test_how_far_a_run_is_can_be_read_from_outside(tmp_path: Path) -> None:
    state = {"fraction": 0.25, "gap": 12, "eta_seconds": 9.6, "workers": 3}
    assert far(place_of(tmp_path), 1) == ""
    (tmp_path / "progress.json").write_text(json.dumps(state))
    assert far(place_of(tmp_path), 1) == ": 25% done, gap 12, ETA 10 s, workers 3"
    assert far(place_of(tmp_path), 3600) == ": 25% done, gap 12, not running"
