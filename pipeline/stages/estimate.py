"""How long a run may take, foretold from a sample of its work, with a range; and whether it came true."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import mean, variance
from typing import Any

from pipeline.game.game import Game
from pipeline.runtime.place import Place
from pipeline.runtime.progress import Progress
from pipeline.runtime.stage import Finished, Shared, Stage, Task
from pipeline.runtime.store import write_json
from pipeline.search.solver import Solver
from pipeline.stages.responses import response_table
from pipeline.stages.rounds import FIRST, GROWTH
from pipeline.stages.search import SearchOptions
from pipeline.strategies.lottery import mixed

SAMPLE = 8  # pieces of work that are tried of each kind
PATIENCE = 20.0  # CPU-seconds of sampling after which nothing more is tried
SURE = 2.0  # standard errors on either side: about 95 %
START = 4.0  # seconds that workers may take to start, beyond the work


@dataclass(frozen=True, slots=True)
class Kind:
    """Pieces of work that cost about the same: how many there are, and the CPU-seconds of those tried."""

    pieces: int
    tried: tuple[float, ...]

    @property
    def seconds(self) -> float:
        return self.pieces * mean(self.tried)

    @property
    def squared_error(self) -> float:
        """The variance of `seconds`; what was tried is known, and one of several alone says nothing of their spread."""
        if len(self.tried) == self.pieces:
            return 0.0
        if len(self.tried) == 1:
            return self.seconds**2
        return self.pieces * (self.pieces - len(self.tried)) * variance(self.tried) / len(self.tried)


@dataclass(frozen=True, slots=True)
class Estimate:
    """CPU-seconds of a whole run, and the seconds on the clock with so many workers, from `low` to `high`.

    `pace` is how many seconds on the clock a CPU-second took while sampling: more than 1 on a machine that is busy.
    """

    cpu_seconds: float
    workers: int
    pace: float
    seconds: float
    low: float
    high: float
    tried: int

    def text(self) -> str:
        return (
            f"estimate: about {clock(self.seconds)} with {self.workers} workers, very likely {clock(self.low)} to"
            f" {clock(self.high)} ({self.cpu_seconds:,.0f} CPU-seconds, from {self.tried} samples)"
        )

    def verdict(self, took: float, cpu_took: float) -> str:
        inside = "within" if self.low <= took <= self.high else "below" if took < self.low else "above"
        return (
            f"estimated {clock(self.low)} to {clock(self.high)}, took {clock(took)}: {inside} the range"
            f" ({self.cpu_seconds:,.1f} CPU-seconds estimated, {cpu_took:,.1f} taken)"
        )


def clock(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.0f} seconds" if seconds >= 10 else f"{seconds:.1f} seconds"


def estimated(kinds: Sequence[Kind], workers: int, pace: float = 1.0) -> Estimate:
    """The sum over all kinds; errors add as squares."""
    share = max(pace, 1.0) / workers
    cpu = sum(kind.seconds for kind in kinds)
    error = SURE * sqrt(sum(kind.squared_error for kind in kinds))
    known = sum(sum(kind.tried) for kind in kinds)  # it cannot be less than what the sample alone took
    low, high = max(cpu - error, known), cpu + error
    tried = sum(len(kind.tried) for kind in kinds)
    return Estimate(cpu, workers, max(pace, 1.0), cpu * share + START / 2, low * share, high * share + START, tried)


def drawn(pieces: Sequence[Any], number: int) -> list[Any]:
    """Some of them, always the same ones."""
    order = sorted(range(len(pieces)), key=lambda i: mixed(i))
    return [pieces[i] for i in order[:number]]


def timed(work: Callable[[Any], object], pieces: Iterable[Any], end: float) -> tuple[float, ...]:
    """The CPU-seconds of each piece, the first in any case, the others until the time is over."""
    seconds: list[float] = []
    for piece in pieces:
        if seconds and time.process_time() > end:
            break
        before = time.process_time()
        work(piece)
        seconds.append(time.process_time() - before)
    return tuple(seconds)


class Pace:
    """Seconds on the clock per CPU-second since it was made."""

    def __init__(self) -> None:
        self.cpu, self.clock = time.process_time(), time.monotonic()

    def now(self) -> float:
        return (time.monotonic() - self.clock) / max(time.process_time() - self.cpu, 1e-3)


def search_estimate(
    game: Game, options: SearchOptions, openers: Sequence[str], responses: Finished, workers: int
) -> Estimate:
    """From some openers solved exactly, as the first round does, and some of each later round beaten."""
    solver = Solver(game, response_table(game, responses), options.table_mib, options.width)
    exact = len(openers) if options.budget is None and options.best >= len(openers) else max(FIRST, options.best)
    totals: list[int] = []

    def solve(opener: str) -> None:
        solver.forget()
        outcome = solver.evaluate(opener, options.budget).outcome
        totals.append(outcome.lower)

    def beat(opener: str) -> None:
        solver.forget()
        solver.evaluate(opener, min(totals) + 1)

    end, pace = time.process_time() + PATIENCE, Pace()
    first = openers[:exact]
    kinds = [Kind(len(first), timed(solve, drawn(first, SAMPLE // 2), end))]
    start, size = exact, exact * GROWTH
    while start < len(openers):
        some = openers[start : start + size]
        kinds.append(Kind(len(some), timed(beat, drawn(some, 2 * SAMPLE), end)))
        start, size = start + size, size * GROWTH
    return estimated(kinds, workers, pace.now())


def tasks_estimate(stage: Stage, workers: int) -> Estimate:
    """From some tasks of a stage whose tasks are all known beforehand."""
    tasks = [task for planned in stage.plan() for task in planned]
    shared: Shared = stage.shared()

    def work(task: Task) -> None:
        stage.run(task, shared)

    end, pace = time.process_time() + PATIENCE, Pace()
    tried = timed(work, drawn(tasks, SAMPLE), end)
    return estimated([Kind(len(tasks), tried)], workers, pace.now())


class Foretold:
    """An estimate told before a run, and compared with it afterwards."""

    def __init__(self, estimate: Estimate, progress: Progress) -> None:
        self.estimate, self.progress, self.started = estimate, progress, time.monotonic()
        progress.say(estimate.text())

    def compare(
        self, folder: Place, is_whole: bool, cpu_took: float, etas: dict[str, dict[str, float]] | None = None
    ) -> None:
        """Says how it went, and keeps it in estimate.json; a run that went on from an earlier one proves nothing.

        `etas` is what the run itself foretold on its way: seconds after its start, and seconds to go.
        """
        took = time.monotonic() - self.started
        within = self.estimate.low <= took <= self.estimate.high if is_whole else None
        told = {
            name: {**eta, "error": round(eta["after"] + eta["eta"] - took, 1)} for name, eta in (etas or {}).items()
        }
        values = {
            **asdict(self.estimate),
            "took": round(took, 1),
            "cpu_took": round(cpu_took, 1),
            "is_within": within,
            "etas": told,
        }
        write_json(folder / "estimate.json", values)
        if is_whole:
            self.progress.say(self.estimate.verdict(took, cpu_took))
