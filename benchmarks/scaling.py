"""How far a cluster helps: what the driver can take in, and a model of the time that real runs take on many cores.

    python -m benchmarks.scaling            # writes benchmarks/scaling.md; about half an hour on two cores
    python -m benchmarks.scaling --quick    # the driver and the checks of the model, in two minutes; writes nothing

The model: a worker takes the next task of the round when it is free; a task takes the CPU time that its rows tell and
a fixed rest; a round ends with its last task; the driver takes in one table after the other, at the rate measured here.
"""

import argparse
import heapq
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import mean, median

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.runtime.place import place_of
from pipeline.runtime.progress import Progress
from pipeline.runtime.stage import Shared, Stage, Task, run_stage
from pipeline.runtime.supervised import RayExecutor

HERE = Path(__file__).parent
CORES = (8, 64, 512)
OUTPUTS = Path("outputs")
PLAIN = ("export.trees=0", "export.report=false", "verify=none", "rank.show=0")
OPENERS, SAMPLE = 12_972, 200
LIMITS = """\
Not contained: starting Ray and compiling, trees, the certificate. The exact totals of all openers are those of a fixed
sample, each task of which is taken as often as there are more openers; a whole run has tasks of the same size."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the model needs to know besides the tasks, in seconds."""

    rest: float  # of a task beyond the CPU time its rows tell: sending it, making and sending its table
    driver: float  # to take in a table and write its part


def predicted(rounds: Sequence[Sequence[float]], cores: int, cost: Cost) -> float:
    """Seconds from the first task to the last part, without starting Ray."""
    now = 0.0
    for tasks in rounds:
        free, ends = [now] * cores, []
        for seconds in tasks:
            ends.append(heapq.heappop(free) + seconds + cost.rest)
            heapq.heappush(free, ends[-1])
        for end in sorted(ends):
            now = max(now, end) + cost.driver
    return now


def task_seconds(outputs: Path) -> list[list[float]]:
    """The CPU time of every task of a finished search, round by round, in task order.

    The run itself begins with those that it takes for the dearest, so it rather ends a little earlier.
    """
    parts = sorted(next(outputs.glob("search-*")).glob("part-*.parquet"))
    costs = [
        (path.name.split("-")[1], sum(pq.read_table(path, columns=["seconds"])["seconds"].to_pylist()))
        for path in parts
    ]
    return [[seconds for _, seconds in group] for _, group in groupby(costs, key=lambda cost: cost[0])]


def searched(name: str, *arguments: str, anew: bool = False) -> float:
    """Runs a search into outputs/<name>/, or goes on with it; the seconds of the search, if it ran as a whole."""
    if anew:
        shutil.rmtree(OUTPUTS / name, ignore_errors=True)
    command = [sys.executable, "-m", "pipeline", "+experiment=exact_opening", f"name={name}", *PLAIN, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    statistics = json.loads((OUTPUTS / name / "statistics.json").read_text())
    return float(statistics["seconds"]) - float(statistics["seconds_to_first_result"] or 0.0)


def trivial(task: Task, shared: Shared) -> pa.Table:
    time.sleep(task.data["sleep"])
    table: pa.Table = shared["table"].slice(0, task.data["rows"])
    return table


def tasks_per_second(workers: int, number: int, table: pa.Table, sleep: float = 0.0) -> float:
    """Tasks that do nothing but return the table, through executor and store, once everything is warm."""
    with tempfile.TemporaryDirectory() as folder:
        executor = RayExecutor("local", workers, table.nbytes, 600.0)
        try:
            for name, count in (("warm", 4 * workers), ("measured", number)):
                tasks = [Task(f"{i:06d}", {"sleep": sleep, "rows": table.num_rows}) for i in range(count)]
                stage = Stage(name, 1, {}, (), lambda tasks=tasks: [tasks], trivial, lambda: {"table": table})
                began = time.monotonic()
                run_stage(stage, place_of(folder), executor, Progress())
            return number / (time.monotonic() - began)
        finally:
            executor.close()


def driver_lines(lines: list[str]) -> float:
    """Measures the driver; returns the seconds it takes for a table of 5,000 rows."""
    rows = pa.table({"opener": ["salet"] * 5000, **{name: list(range(5000)) for name in ("a", "b", "c", "d", "e")}})
    lines += ["| rows of a task's table | tasks/s | rows/s |", "|---|---|---|"]
    rate = 0.0
    for count in (1, 100, 5000):
        rate = tasks_per_second(2, 400, rows.slice(0, count))
        lines.append(f"| {count:,} | {rate:,.0f} | {rate * count:,.0f} |")
        print(lines[-1], flush=True)
    return 1 / rate


def check_lines(lines: list[str], driver: float) -> Cost:
    """Measures one worker, which gives the rest of a task; predicts two workers and sleeping tasks, and compares."""
    one = searched("scaling_one", "executor.workers=1", anew=True)
    rounds = task_seconds(OUTPUTS / "scaling_one")
    number = sum(map(len, rounds))
    cost = Cost(max(one - sum(map(sum, rounds)), 0.0) / number, driver)
    two = searched("scaling_two", "executor.workers=2", anew=True)
    table = pa.table({"a": [1]})
    workers, tasks = 16, 320
    slept = tasks / tasks_per_second(workers, tasks, table, 1.0)
    known = f"original proof, 1 worker ({number} tasks; gives the rest of a task, {1000 * cost.rest:.0f} ms)"
    foretold = predicted(task_seconds(OUTPUTS / "scaling_two"), 2, cost)
    dozing = predicted([[1.0] * tasks], workers, cost)
    lines += [
        "| what | predicted | measured |",
        "|---|---|---|",
        f"| {known} | | {one:.1f} s |",
        f"| original proof, 2 workers | {foretold:.1f} s | {two:.1f} s |",
        f"| {tasks} tasks that sleep 1 s, {workers} workers of one instance | {dozing:.1f} s | {slept:.1f} s |",
    ]
    print("\n".join(lines[-3:]), flush=True)
    return cost


def throughput_lines(lines: list[str]) -> None:
    """Proofs a second of one run with two workers, against those of two runs in one process each, by turns."""
    shares = []
    for _ in range(3):
        with ThreadPoolExecutor(2) as pool:
            both = pool.map(lambda name: searched(name, "executor=serial", anew=True), ("scaling_a", "scaling_b"))
            beside = mean(both)
        two = searched("scaling_two", "executor.workers=2", anew=True)
        shares.append(beside / 2 / two)
        print(f"two runs side by side: {beside:.1f} s, one with two workers: {two:.1f} s", flush=True)
    told = ", ".join(f"{share:.0%}" for share in shares)
    lines.append(f"Two workers prove the original game at {median(shares):.0%} of the throughput of two runs with")
    lines.append(f"`executor=serial` at the same time (three turns: {told}; the search alone, without starting Ray).")


def prediction_lines(lines: list[str], cost: Cost) -> None:
    searched("scaling_sample", f"sample={SAMPLE}")
    searched("scaling_nyt2023", "game=wordle_nyt2023")
    sample = task_seconds(OUTPUTS / "scaling_sample")
    whole = [tasks * round(OPENERS / SAMPLE) for tasks in sample]
    claims = {
        "original proof": task_seconds(OUTPUTS / "scaling_two"),
        f"exact totals of all {OPENERS:,} openers": whole,
        "proof of NYT 2023": task_seconds(OUTPUTS / "scaling_nyt2023"),
    }
    lines.append("| what | CPU time | tasks, rounds, longest task | " + " | ".join(f"{c} cores" for c in CORES) + " |")
    lines.append("|---|---|---|" + "---|" * len(CORES))
    for name, rounds in claims.items():
        times = " | ".join(shown(predicted(rounds, cores, cost)) for cores in CORES)
        flat = [seconds for tasks in rounds for seconds in tasks]
        lines.append(f"| {name} | {shown(sum(flat))} | {len(flat):,}, {len(rounds)}, {max(flat):.1f} s | {times} |")
    print("\n".join(lines[-5:]), flush=True)


def shown(seconds: float) -> str:
    return (
        f"{seconds:.1f} s"
        if seconds < 120
        else f"{seconds / 60:.1f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the driver and the checks of the model")
    quick = parser.parse_args().quick
    lines = ["# Scaling", ""]
    about = (__doc__ or "").split("\n\n")
    lines += [
        *about[0].splitlines(),
        "",
        *about[2].splitlines(),
        "`python -m benchmarks.scaling` measured and wrote all of this.",
        "",
    ]
    lines += [f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}.", ""]
    lines += ["## What the driver takes in", ""]
    driver = driver_lines(lines)
    lines += [
        "",
        "A cluster is useful up to (tasks/s) x (seconds of a task) cores.",
        "",
        "## The model against what was measured",
        "",
    ]
    cost = check_lines(lines, driver)
    lines.append("")
    throughput_lines(lines)
    print("\n".join(lines[-2:]), flush=True)
    if not quick:
        lines += ["", "## What the model predicts", ""]
        prediction_lines(lines, cost)
        lines += ["", *LIMITS.splitlines()]
        (HERE / "scaling.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    from benchmarks.scaling import main as scaling_main  # under its own name, so that workers find what they run

    scaling_main()
