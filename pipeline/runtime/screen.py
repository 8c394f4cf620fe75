"""Tables on a terminal that may be narrow, with words that may hold any character."""

from typing import Any

from rich.console import Console
from rich.table import Table


def plain_console(**options: Any) -> Console:
    """A console that shows text as it is: brackets in a word are no markup, colons no emoji."""
    return Console(markup=False, emoji=False, highlight=False, **options)


def print_table(console: Console, view: Table) -> None:
    """Prints a table; where the terminal is too narrow, without its last columns, and says so."""
    columns = len(view.columns)
    while len(view.columns) > 1 and any("…" in part.text for line in console.render_lines(view) for part in line):
        view.columns.pop()
    console.print(view)
    left_out = columns - len(view.columns)
    if left_out:
        console.print(f"({left_out} more column{'s'[: left_out > 1]} on a wider terminal)", highlight=False)
