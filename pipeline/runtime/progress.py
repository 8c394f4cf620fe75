"""What the user sees while stages run: a live bar on a terminal, plain lines elsewhere, always on stderr."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from pipeline.runtime.screen import plain_console

STATUS_SECONDS = 0.3
PLAIN_SECONDS = 5.0  # between two lines when the output is not a terminal


class Bar(RichProgress):
    """A bar with a line of its own below it."""

    status = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self.status:
            yield Text(f"  {self.status}", no_wrap=True, overflow="ellipsis")


class Progress:
    """One line per stage, kept when it is done."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or plain_console(stderr=True)
        self.stages: dict[str, dict[str, float]] = {}  # by name: seconds of this run, parts, parts reused

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def stage(self, name: str) -> Iterator["StageProgress"]:
        columns = (SpinnerColumn(), TextColumn("{task.description:<10}"), BarColumn(20), MofNCompleteColumn())
        bar = Bar(*columns, console=self.console, transient=True)
        shown = StageProgress(self, name, bar)
        if self.console.is_terminal:
            with bar:
                yield shown
        else:
            yield shown
        shown.end()


class StageProgress:
    """How far one stage is; its rounds add up."""

    def __init__(self, progress: Progress, name: str, bar: Bar) -> None:
        self.progress, self.name, self.bar = progress, name, bar
        self.shown = bar.add_task(name, total=0)
        self.started = self.said = self.asked = time.monotonic()
        self.done = self.total = self.reused = 0
        self.status = ""

    def expect(self, tasks: int, reused: int) -> None:
        """A round of so many tasks begins; some are known from an earlier run."""
        self.total += tasks
        self.done += reused
        self.reused += reused
        self.bar.update(self.shown, total=self.total, completed=self.done)

    def advance(self) -> None:
        """One more part is saved."""
        self.done += 1
        self.bar.update(self.shown, completed=self.done)
        self.line()

    def say_status(self, status: Callable[[], str]) -> None:
        """Asks how things stand, at most a few times a second."""
        if time.monotonic() - self.asked > STATUS_SECONDS:
            self.asked = time.monotonic()
            self.status = status()
            self.bar.status = self.status
            self.line()

    def line(self) -> None:
        """Where there is no bar: a line now and then."""
        if not self.progress.console.is_terminal and time.monotonic() - self.said > PLAIN_SECONDS:
            self.said = time.monotonic()
            self.progress.say(f"{self.name:<10} {self.done} of {self.total} parts  {self.status}".rstrip())

    def end(self) -> None:
        seconds = round(time.monotonic() - self.started, 2)
        self.progress.stages[self.name] = {"seconds": seconds, "parts": self.total, "reused": self.reused}
        if self.total and self.reused == self.total:
            self.progress.say(f"{self.name:<10} {self.total} of {self.total} parts, all from an earlier run")
        else:
            note = f", {self.reused} from an earlier run" if self.reused else ""
            self.progress.say(f"{self.name:<10} {self.total} parts in {time.monotonic() - self.started:.1f} s{note}")
