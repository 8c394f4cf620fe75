"""A running cluster: how it is joined, and which of its nodes can be used. It gets Ray from ray_host.py."""

import pickle
import socket
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from pipeline.runtime.versions import Versions, differences, versions

CONNECT_SECONDS = 10.0
TOKEN_FILE = "~/.ray/auth_token"  # where Ray itself looks last
HEALTH = {  # a node that is gone, or cut off, is noticed within half a minute; Ray's own values take minutes
    "RAY_health_check_initial_delay_ms": "3000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_grpc_client_keepalive_time_ms": "10000",
    "RAY_grpc_client_keepalive_timeout_ms": "5000",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "20",
}


class ClusterError(RuntimeError):
    """The cluster cannot be joined, or one of its nodes would give other results; the message says what is wrong."""


def prepare_environment(environment: MutableMapping[str, str]) -> None:
    """Before Ray is imported; raises ClusterError where a token is needed and there is none."""
    for name, value in HEALTH.items():
        environment.setdefault(name, value)
    if environment["RAY_AUTH_MODE"] == "token":
        check_token(environment)


def check_token(environment: Mapping[str, str]) -> None:
    if environment.get("RAY_AUTH_TOKEN"):
        return
    named = environment.get("RAY_AUTH_TOKEN_PATH")
    path = Path(named or TOKEN_FILE).expanduser()
    try:
        if path.read_text("utf-8").strip():
            return
        reason = f"{path} is empty"
    except OSError as error:
        reason = f"{path}: {error.strerror}" if named else "neither is set"
    raise ClusterError(
        f"the cluster's token is missing ({reason}): set RAY_AUTH_TOKEN, or RAY_AUTH_TOKEN_PATH to its file"
    )


def check_listens(address: str) -> None:
    """Raises ClusterError at once where nothing listens; Ray itself tries for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(f"nothing answers at {address}: {error.strerror or error}") from error


class NodeWatch:
    """The nodes of a joined cluster. Each is greeted once: it must run our code, and it warms up for it."""

    def __init__(self, ray: Any, warm: Callable[[], object] | None) -> None:
        self.ray = ray
        self.warm = None if warm is None else pickle.dumps(warm)
        self.greet = ray.remote(num_cpus=0, max_retries=2)(greeting())
        self.greeted: dict[Any, dict[str, Any]] = {}  # by reference, while no answer has come
        self.known: set[str] = set()
        self.usable: dict[str, dict[str, Any]] = {}

    @property
    def workers(self) -> int:
        """How many tasks the usable nodes run at once."""
        return sum(cpus(node) for node in self.usable.values())

    def news(self) -> tuple[str, ...]:
        """Looks again: what has changed since the last time. Raises ClusterError if a node runs other code."""
        alive = {node["NodeID"]: node for node in self.ray.nodes() if node["Alive"] and cpus(node)}
        lost = [self.usable.pop(key) for key in set(self.usable) - set(alive)]
        for key in alive.keys() - self.known:
            self.greeted[self.greeting_of(key)] = alive[key]
        self.known |= set(alive)
        joined = self.answered(alive)
        return tuple(f"node {name(node)} is lost" for node in lost) + tuple(
            f"node {name(node)} is ready, {cpus(node)} CPU" for node in joined
        )

    def greeting_of(self, key: str) -> Any:
        strategy = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(key, soft=False)
        return self.greet.options(scheduling_strategy=strategy).remote(versions(), self.warm)

    def answered(self, alive: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """The nodes whose good answer has come."""
        done, _ = (
            self.ray.wait(list(self.greeted), num_returns=len(self.greeted), timeout=0) if self.greeted else ([], [])
        )
        joined = []
        for ref in done:
            node = self.greeted.pop(ref)
            try:
                answer = self.ray.get(ref)
            except self.ray.exceptions.RayTaskError as error:
                raise ClusterError(f"node {name(node)} cannot be used: {error.cause or error}") from None
            except self.ray.exceptions.RayError:  # it died, or its worker did: if it lives it is greeted anew
                self.known.discard(node["NodeID"])
                continue
            check_node(name(node), answer, versions())
            if node["NodeID"] in alive:
                self.usable[node["NodeID"]] = node
                joined.append(node)
        return joined


def greeting() -> Callable[[Versions, bytes | None], Versions | str]:
    """A function that Ray ships whole, since the node may not have the package, or another one."""

    def greet(ours: Versions, warm: bytes | None) -> Versions | str:
        try:
            from pipeline.runtime.versions import versions
        except ImportError as error:
            return str(error)
        theirs = versions()
        if warm is not None and theirs == ours:
            import pickle

            pickle.loads(warm)()
        return theirs

    return greet


def check_node(node: str, answer: Versions | str, ours: Versions) -> None:
    """Raises ClusterError if the node would not compute what this process would."""
    if isinstance(answer, str):
        raise ClusterError(f"node {node} does not have the package ({answer}): install it there, the same version")
    if answer != ours:
        raise ClusterError(
            f"node {node} runs other versions than this process: {differences(answer, ours)};"
            " install the same package and libraries on every node"
        )


def cpus(node: Mapping[str, Any]) -> int:
    return int(node["Resources"].get("CPU", 0))


def name(node: Mapping[str, Any]) -> str:
    return f"{node['NodeManagerAddress']} ({node['NodeManagerHostname']})"
