"""Where the time of the search goes, function by function, as Linux' perf sees it (Debian: linux-perf).

perf record -e cpu-clock -o /tmp/where python -m benchmarks.where; perf report -i /tmp/where --stdio
"""

import os
from itertools import pairwise
from pathlib import Path

from numba.core.dispatcher import Dispatcher

from benchmarks.__main__ import PACKED, beaten_openers, original
from pipeline.search import bounds, columns, kernel, scan
from pipeline.search.solver import Solver

LONGEST = 1 << 17  # bytes of the last function of the map, which none follows


def write_map(folder: Path = Path("/tmp")) -> None:
    """The file in which perf looks up the functions that this process compiled: address, size and name."""
    modules = (bounds, columns, kernel, scan)
    functions = {f for module in modules for f in vars(module).values() if isinstance(f, Dispatcher)}
    starts = sorted(
        (compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name), function.__name__)
        for function in functions
        for compiled in function.overloads.values()
    )
    text = ""
    for (start, name), (following, _) in pairwise([*starts, (starts[-1][0] + LONGEST, "")]):
        text += f"{start:x} {min(following - start, LONGEST):x} {name}\n"
    (folder / f"perf-{os.getpid()}.map").write_text(text)


def main() -> None:
    solver = Solver(original())
    solver.evaluate("salet")
    write_map()
    print(*beaten_openers(solver, list(solver.game.guesses)[::2], PACKED), sep="  ")


if __name__ == "__main__":
    main()
