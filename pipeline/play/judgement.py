"""Skill and luck of a finished game as a table, and in a sentence."""

from collections.abc import Sequence
from math import isfinite, isinf, isnan

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipeline.game.game import Game
from pipeline.play.analysis import Judged, luck_label, skill_label
from pipeline.play.notation import counted
from pipeline.play.tiles import tiles
from pipeline.runtime.screen import print_table


def print_turns(console: Console, game: Game, turns: Sequence[Judged]) -> None:
    """What each guess and each response was worth."""
    narrow = console.width < 80
    view = Table(title_justify="left", box=SIMPLE_HEAD, padding=(0, 0) if narrow else (0, 1))
    for name in ("guess", "answers\nbefore", "best", "mean\nguesses", "with\nguess", "guess\ncosts", "luck"):
        view.add_column(
            name, justify="left" if name == "guess" else "right", no_wrap=name not in ("guess\ncosts", "luck")
        )
    view.columns[0].min_width = game.length
    for turn in turns:
        costs, luck = (
            label if isinf(value) else f"{number(value)}{chr(10) if narrow else ' '}{label}"
            for value, label in (
                (turn.inaccuracy, skill_label(turn.inaccuracy)),
                (turn.luck, luck_label(turn.luck)),
            )
        )
        best = turn.best_guess if skill_label(turn.inaccuracy) != "perfect" else ""
        shown = tiles(game, turn.clue.guess, turn.clue.response, "")
        view.add_row(shown, f"{turn.size:,}", best, number(turn.best), number(turn.with_guess), costs, luck)
    print_table(console, view)


def number(value: float) -> str:
    return "?" if isnan(value) else "no guarantee" if isinf(value) else f"{value + 0.0:.3f}"


def verdict(turns: Sequence[Judged]) -> str:
    """What the guesses cost and what luck saved, over all turns that are known; a guarantee is told in words."""
    known = sum(not isnan(turn.inaccuracy) for turn in turns)
    if not known:
        return f"{counted(len(turns), 'guess')}, of which none is judged."
    cost = sum(turn.inaccuracy for turn in turns if isfinite(turn.inaccuracy))
    luck = sum(turn.luck for turn in turns if isfinite(turn.luck))
    whom = "it" if len(turns) == 1 else "they" if known == len(turns) else f"the {known} of them that are judged"
    costs = f"{whom} cost {number(cost)} more than the best one{'s'[: known > 1]}"
    lucky = f"luck {'saved' if luck >= 0 else 'cost'} {number(abs(luck))}"
    if any(isinf(turn.inaccuracy) for turn in turns):
        costs += " and lost the guarantee to find every answer in time"
    for sign, text in ((1, "regained"), (-1, "lost")):
        if any(isinf(turn.luck) and turn.luck * sign > 0 for turn in turns):
            lucky += f" and {text} the guarantee"
    return f"{counted(len(turns), 'guess')}: {costs}, and {lucky}."
