"""What the user sees while stages run: a live bar on a terminal, plain lines elsewhere, always on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

PLAIN_SECONDS = 5.0  # between two lines when the output is not a terminal


class Progress:
    """One line per stage, kept when it is done."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def stage(self, name: str, done: int, total: int) -> Iterator[Callable[[], None]]:
        """Calls of the given function mean one more part is saved."""
        started, reused = time.monotonic(), done
        if reused == total:
            self.say(f"{name:<10} {total} of {total} parts, all from an earlier run")
            yield lambda: None
            return
        show = self.bar if self.console.is_terminal else self.lines
        with show(name, done, total) as advance:
            yield advance
        note = f", {reused} from an earlier run" if reused else ""
        self.say(f"{name:<10} {total} parts in {time.monotonic() - started:.1f} s{note}")

    @contextmanager
    def bar(self, name: str, done: int, total: int) -> Iterator[Callable[[], None]]:
        columns = (SpinnerColumn(), TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn())
        with Bar(*columns, TimeRemainingColumn(), console=self.console, transient=True) as bar:
            task = bar.add_task(name, total=total, completed=done)
            yield lambda: bar.advance(task)

    @contextmanager
    def lines(self, name: str, done: int, total: int) -> Iterator[Callable[[], None]]:
        last = time.monotonic()

        def advance() -> None:
            nonlocal done, last
            done += 1
            if time.monotonic() - last > PLAIN_SECONDS and done < total:
                last = time.monotonic()
                self.say(f"{name:<10} {done} of {total} parts")

        yield advance
