"""The output folders there are: what each claims, and removing one."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.prompt import Confirm
from rich.table import Table
from rich.text import Text

from pipeline.runtime.lock import MARK, locked
from pipeline.runtime.place import Place
from pipeline.runtime.storage import File, StoreError

UNREADABLE = (KeyError, OSError, RecursionError, StoreError, TypeError, ValueError)
SILENT_SECONDS = 60  # a run that has written nothing for so long is not at work


def list_runs(console: Console, root: Place, clean: str | None, yes: bool) -> None:
    """Shows every output folder; or removes the one named `clean`, after asking unless `yes`."""
    if clean is not None:
        remove(console, root, clean, yes)
        return
    found = runs(root)
    if not found:
        console.print(f"no runs in {root}", markup=False)
        return
    view = Table(title=f"Runs in {root}", title_justify="left")
    for name in ("name", "claim", "status", "size", "age"):
        view.add_column(name, justify="right" if name in ("size", "age") else "left")
    for folder, files in found.items():
        size = sum(file.size for file in files)
        age = max(time.time() - max(file.mtime for file in files), 0)  # another machine's clock may be ahead
        view.add_row(folder.name, *claim(folder, age), f"{size / 2**20:.1f} MiB", age_text(age))
    console.print(view)


def runs(root: Place) -> dict[Place, list[File]]:
    """The output folders with all their files. Each has a lock, the manifest of a stage, or the logs of a run."""
    listed = {folder: folder.files(recursive=True) for folder in root.folders()}
    return {folder: files for folder, files in listed.items() if any(marks_run(file.name) for file in files)}


def marks_run(name: str) -> bool:
    return (
        name == ".lock"
        or name.startswith(MARK)
        or re.fullmatch(r"[a-z]+-[0-9a-f]{16}/manifest\.json|logs/[-_\d]+/.+", name) is not None
    )


def claim(folder: Place, age: float) -> tuple[str, str]:
    """What result.json says, in a few words, and whether it is proven; `age` is that of the newest file."""
    try:
        result: dict[str, Any] = json.loads((folder / "result.json").read().decode())
        if result["best_opener"]:
            return f"{result['best_opener']} {result['total']:,} over {result['scope']} {result['openers']:,}", "proven"
        if result["proven"]:
            none = result["lower"] is None
            told = f"none in {result['max_guesses']} guesses" if none else f"nothing below {result['lower']:,}"
            return f"{told} over {result['scope']} {result['openers']:,}", "proven"
        return bounds_text(result), f"not proven{far(folder, age)}"
    except FileNotFoundError:
        known = (("strategies.parquet", "strategies compared"), ("rank.parquet", "ranking only"))
        return next((told for name, told in known if (folder / name).exists()), "nothing yet"), "-"
    except UNREADABLE:
        return "result.json cannot be read", "?"


def bounds_text(result: Mapping[str, Any]) -> str:
    """What is known so far."""
    lower = "-" if result["lower"] is None else f"{result['lower']:,}"
    return f"{result['incumbent']} {lower}..{result['upper']:,}" if result["incumbent"] else f"at least {lower}"


def far(folder: Place, age: float) -> str:
    """How far the search is, by the file that it writes every few seconds; empty if there is none."""
    try:
        state: dict[str, Any] = json.loads((folder / "progress.json").read().decode())
        done = f": {state['fraction']:.0%} done"
        done += "" if state["gap"] is None else f", gap {state['gap']:,}"
        if age > SILENT_SECONDS:
            return f"{done}, not running"
        eta = "-" if state["eta_seconds"] is None else f"{state['eta_seconds']:.0f} s"
        return f"{done}, ETA {eta}, workers {state['workers']}"
    except UNREADABLE:
        return ""


def age_text(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def is_wanted(console: Console, question: str) -> bool:
    """What the user answers; no, where nobody is there to be asked."""
    try:
        return Confirm.ask(Text(question), console=console, default=False)
    except EOFError:
        return False


def remove(console: Console, root: Place, name: str, yes: bool) -> None:
    folder = root / name
    there = runs(root)
    if folder not in there:
        known = ", ".join(run.name for run in there) or "none"
        raise StoreError(f"clean={name}: no run of that name in {root}; there are: {known}")
    if yes or is_wanted(console, f"Remove {folder} and all its results?"):
        with locked(folder):  # not while a run is using it
            folder.remove_tree()
        console.print(f"removed {folder}", markup=False)
    else:
        console.print("nothing was removed", markup=False)
