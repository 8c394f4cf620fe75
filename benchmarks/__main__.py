"""Measures the search kernel and writes the table to benchmarks/README.md. CPU time of one core, never wall time.

python -m benchmarks            everything: about a quarter of an hour, doddle most of it
python -m benchmarks --quick    a sample of openers, no beams, no doddle; writes nothing
"""

import argparse
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.doddle import salet_tree
from pipeline.game.game import Game, make_game
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule, response_rows
from pipeline.search.scan import LABELS, NODES, SCANS
from pipeline.search.solver import Solver

DATA = [Path(__file__).resolve().parent.parent / "data"]
README = Path(__file__).parent / "README.md"
BEST = 7920
SAMPLE = 300
PACKED = 16  # openers in one task
Row = tuple[str, str, str]  # what, result, CPU-seconds and more


def game_of(guesses: str, answers: str, rule: Rule = Rule.WORDLE, cap: int | None = 6) -> Game:
    return make_game(word_list(guesses, DATA), word_list(answers, DATA), rule, cap)


def original(rule: Rule = Rule.WORDLE, cap: int | None = 6) -> Game:
    return game_of("original_guesses.txt", "original_answers.txt", rule, cap)


def measured(solver: Solver, work: Callable[[], str]) -> tuple[str, str]:
    """What the work returns, and its CPU time with nodes, scans and labels read."""
    tallies = solver.engine.search.tallies
    before, started = tallies.copy(), time.process_time()
    result = work()
    seconds, done = time.process_time() - started, tallies - before
    return result, (
        f"{seconds:.2f} s; {done[NODES]:,} nodes, {done[SCANS]:,} scans, {done[LABELS] / 1e9:.2f} G labels"
        f" ({done[SCANS] / seconds:,.0f} scans/s, {done[LABELS] / seconds / 1e9:.1f} G labels/s)"
    )


def warm_start() -> Row:
    """A new process that imports the package and makes a solver; the kernel is in the cache."""
    code = (
        "import benchmarks.__main__ as b, time; b.Solver(b.original());"
        "print(time.process_time(), b.resource.getrusage(b.resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    for _ in range(2):  # the first one may have to compile
        run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    seconds, mib = run.stdout.split()
    return "new process to solver, kernel cached", "", f"{float(seconds):.2f} s, {mib} MiB"


def exact_openers(solver: Solver, openers: Iterable[str]) -> Iterator[Row]:
    for opener in openers:
        solver.forget()

        def total(opener: str = opener) -> str:
            outcome = solver.evaluate(opener).outcome
            return f"{outcome.lower:,}" if outcome.is_exact else "not exact"

        yield f"{opener}, exact", *measured(solver, total)


def beaten_openers(solver: Solver, openers: list[str], packed: int) -> Row:
    """Every opener shown to be at least BEST, with a table emptied after each `packed` openers."""

    def work() -> str:
        least = []
        for i, opener in enumerate(openers):
            if i % packed == 0:
                solver.forget()
            least.append(solver.evaluate(opener, budget=BEST).outcome.lower)
        return f"none below {BEST:,}" if min(least) >= BEST else f"BELOW {BEST:,}: {openers[int(np.argmin(least))]}"

    what = f"{len(openers):,} openers beaten, {'a table each' if packed == 1 else f'a table for {packed}'}"
    return what, *measured(solver, work)


def beams(rule: Rule, widths: Iterable[int]) -> Iterator[Row]:
    game = original(rule, None)
    responses = response_rows(rule, game.guesses, game.answers)
    for width in widths:
        solver = Solver(game, responses, width=width)
        started = time.process_time()
        outcome = solver.solve()
        mean = (outcome.upper or 0) / len(game.answers)
        seconds = time.process_time() - started
        yield f"beam of width {width}, {rule} rule", f"{outcome.guess} {mean:.6f}", f"{seconds:.2f} s"


def against_doddle(solver: Solver) -> Iterator[Row]:
    seconds, total = salet_tree()
    yield "tree of salet by doddle 1.6.0", f"{total:,}", f"{seconds:.2f} s"
    solver.forget()
    started = time.process_time()
    tree = solver.expand(guess="salet")
    ours = time.process_time() - started
    yield "tree of salet, exact, by the tie rule", f"{tree.total:,}", f"{ours:.2f} s, {seconds / ours:,.0f} times less"


def rows(quick: bool) -> Iterator[Row]:
    yield warm_start()
    solver = Solver(original())
    solver.evaluate("salet")  # the first search of a process also loads and touches what later ones find ready
    yield from exact_openers(solver, ["salet", "crate", "yirks", "woody"] + ([] if quick else ["qajaq"]))
    sample = np.random.default_rng(1).choice(solver.game.guesses, SAMPLE, replace=False).tolist()
    yield beaten_openers(solver, sample, 1)
    if quick:
        return
    yield beaten_openers(solver, list(solver.game.guesses), 1)
    yield beaten_openers(solver, list(solver.game.guesses), PACKED)
    solver.forget()
    yield "the whole game in one search", *measured(solver, lambda: f"{solver.solve().lower:,}")
    yield "most memory of this process so far, with one solver", "", f"{most_memory()} MiB"
    nyt = Solver(game_of("nyt_guesses.txt", "nyt2023_answers.txt"))
    yield from (("14,855 / 3,158: " + what, *rest) for what, *rest in exact_openers(nyt, ["tarse", "salet"]))
    mastermind = Solver(game_of("mastermind:4x6", "mastermind:4x6", Rule.MASTERMIND, None))
    yield from (("Mastermind(4,6): " + what, *rest) for what, *rest in exact_openers(mastermind, ["1123", "1122"]))
    yield from beams(Rule.NAIVE, range(6, 11))
    yield from beams(Rule.WORDLE, range(6, 11))
    yield from against_doddle(solver)


def most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute instead of a quarter of an hour; writes nothing")
    quick = parser.parse_args().quick
    table = ["| what | result | CPU time of one core |", "|---|---|---|"]
    for row in rows(quick):
        table.append(f"| {' | '.join(row)} |")
        print("  ".join(row), flush=True)
    if not quick:
        text = README.read_text(encoding="utf-8")
        head, _, _ = text.partition("## Results")
        where = f"{date.today()}, {processor()}, Python {platform.python_version()}."
        README.write_text(f"{head}## Results\n{where}\n\n" + "\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
