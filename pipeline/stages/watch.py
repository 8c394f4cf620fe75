"""Follows the search: what is known so far and how long it may take, for people and in progress.json."""

import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from pipeline.runtime.place import Place
from pipeline.runtime.stage import Task
from pipeline.runtime.store import write_json
from pipeline.search.bounds import INFEASIBLE
from pipeline.stages.openers import Openers, Status

WRITE_SECONDS = 2.0
PREDICTIONS = (0.25, 0.5, 0.75)


class OutOfTimeError(Exception):
    """The time limit is over; what is finished is kept."""


class SearchWatcher:
    """Costs are those of rounds.py: estimates of the work, good enough to tell how much of it is left."""

    def __init__(
        self,
        openers: Openers,
        whole_cost: int,
        time_limit: float | None,
        folder: Place,
        write_result: Callable[[], object],
    ) -> None:
        self.openers, self.whole_cost, self.folder, self.write_result = openers, whole_cost, folder, write_result
        self.time_limit = time_limit
        self.end: float | None = None  # known from the first tick on
        self.begin()
        self.written = 0.0
        self.done_cost = self.new_cost = 0
        self.worker_seconds = 0.0  # from the first tick on: compiling the kernel says nothing of the pace
        self.ticked: float | None = None
        self.tasks = self.new_tasks = self.nodes = self.rows = 0
        self.cpu_seconds = 0.0
        self.workers: int | None = None
        self.predictions: dict[str, dict[str, float]] = {}
        self.first_result: float | None = None

    def begin(self) -> None:
        """The clock starts, anew if it did before."""
        self.started = time.monotonic()

    def observe(self, task: Task, rows: pa.Table, is_new: bool) -> None:
        self.openers.observe(rows)
        cost = task.cost
        self.done_cost += cost
        self.tasks += 1
        self.rows += rows.num_rows
        self.nodes += sum(rows["nodes"].to_pylist())
        self.cpu_seconds += sum(rows["seconds"].to_pylist())
        if is_new:
            self.new_cost += cost
            self.new_tasks += 1
            self.first_result = self.first_result or self.seconds()
            self.predict()

    def tick(self, workers: int | None) -> None:
        now = time.monotonic()
        if self.ticked is not None:
            self.worker_seconds += (now - self.ticked) * (workers or 0)
        elif self.time_limit is not None:
            self.end = now + self.time_limit  # a cluster that has to start first takes nothing of it
        self.workers, self.ticked = workers, now
        if now - self.written > WRITE_SECONDS:
            self.written = now
            write_json(self.folder / "progress.json", self.state())
            self.write_result()
        if self.end is not None and now > self.end and not self.openers.is_decided:
            raise OutOfTimeError

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def fraction(self) -> float:
        """How much of the estimated work is done."""
        return min(1.0, self.done_cost / max(self.whole_cost, self.done_cost, 1))

    def eta(self) -> float | None:
        """Seconds to go at the pace of this run with the workers there are now; None before its first result."""
        if not self.new_cost or not self.workers:
            return None
        return self.worker_seconds / self.workers * max(self.whole_cost - self.done_cost, 0) / self.new_cost

    def predict(self) -> None:
        """Keeps what was foretold at a quarter, half and three quarters of the work."""
        for mark in PREDICTIONS:
            if self.fraction() >= mark and f"{mark:.0%}" not in self.predictions:
                seconds = self.seconds()
                self.predictions[f"{mark:.0%}"] = {"after": round(seconds, 1), "eta": round(self.eta() or 0.0, 1)}

    def state(self) -> dict[str, Any]:
        incumbent, lower, eta = self.openers.incumbent(), self.openers.lower(), self.eta()
        upper = incumbent.upper if incumbent else None
        return {
            "incumbent": incumbent.word if incumbent else None,
            "upper": upper,
            "lower": None if lower >= INFEASIBLE else lower,
            "gap": None if upper is None else max(upper - lower, 0),
            "status": {str(status): self.openers.count(status) for status in Status},
            "tasks": self.tasks,
            "fraction": round(self.fraction(), 4),
            "seconds": round(self.seconds(), 1),
            "eta_seconds": None if eta is None else round(eta, 1),
            "workers": self.workers,
        }

    def status(self) -> str:
        state = self.state()
        incumbent = f"{state['incumbent']} {state['upper']:,}" if state["incumbent"] else "none yet"
        lower = "-" if state["lower"] is None else f"{state['lower']:,}"
        gap = "-" if state["gap"] is None else f"{state['gap']:,}"
        counts = " ".join(f"{number:,} {name}" for name, number in state["status"].items() if number)
        eta = "-" if state["eta_seconds"] is None else f"{state['eta_seconds']:.0f} s"
        workers = "-" if self.workers is None else self.workers
        return f"incumbent {incumbent}, lower {lower}, gap {gap}; {counts}; ETA {eta}, workers {workers}"

    def statistics(self) -> dict[str, Any]:
        """For statistics.json: nothing here is part of a result."""
        return {
            "seconds": round(self.seconds(), 2),
            "seconds_to_first_result": None if self.first_result is None else round(self.first_result, 2),
            "workers": self.workers,
            "tasks": self.tasks,
            "tasks_run_now": self.new_tasks,
            "rows": self.rows,
            "nodes": self.nodes,
            "cpu_seconds": round(self.cpu_seconds, 2),
            "predictions": self.predictions,
        }
