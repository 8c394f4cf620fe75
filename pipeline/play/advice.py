"""What to guess next: heuristics and bounds at once, exact values beside them when they are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pipeline.play.exact import ExactValues, RootValues
from pipeline.play.notation import counted
from pipeline.runtime.screen import print_table
from pipeline.search.bounds import guess_lower
from pipeline.strategies.catalogue import LETTERS, SCHEDULE, STRATEGIES
from pipeline.strategies.ranking import bucket_sizes
from pipeline.strategies.selfplay import next_guess
from pipeline.strategies.turn import Turn, best_first

COLUMNS = ("entropy", "expected_size", "most_buckets", "largest_bucket")
HEADS = {"entropy": "bits", "expected_size": "size\nleft", "most_buckets": "buckets", "largest_bucket": "largest"}
SLOW = {"two_ply"}  # left out where many answers remain
MANY = 300
UNSAFE, UNKNOWN = "-", "?"  # in place of an exact value
MEANING = {
    UNSAFE: "with this guess not every answer can be found in the guesses left",
    UNKNOWN: "not computed yet",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A guess with its scores, and a lower bound on the total with it as the next guess."""

    guess: str
    may_win: bool
    scores: tuple[float, ...]  # as COLUMNS
    lower: int


def candidates(turn: Turn, number: int) -> list[Candidate]:
    """The best guesses by entropy."""
    scored = [STRATEGIES[name](turn) for name in COLUMNS]
    places = best_first(turn, scored[0])[:number]
    most = int(max(scored[2].shown))
    found = []
    for place in places:
        g, may_win = int(turn.guesses[place]), bool(turn.may_win[place])
        sizes = bucket_sizes(turn.board.responses[g, turn.answers])
        scores = tuple(float(score.shown[place]) for score in scored)
        found.append(Candidate(turn.board.game.guesses[g], may_win, scores, int(guess_lower(sizes, may_win, most))))
    return found


def opinions(turn: Turn) -> dict[str, str]:
    """What each strategy would play."""
    able = [name for name in STRATEGIES if turn.board.game.rule.marks_letters or name not in {*LETTERS, SCHEDULE}]
    if len(turn.answers) > MANY:
        able = [name for name in able if name not in SLOW]
    return {name: turn.board.game.guesses[next_guess(turn, STRATEGIES[name])] for name in able}


def print_remaining(console: Console, turn: Turn, most: int = 60) -> None:
    words = [turn.board.game.answers[a] for a in turn.answers]
    more = " ..." if len(words) > most else ""
    console.print(f"{remaining(len(words))}: {' '.join(words[:most])}{more}", markup=False, highlight=False)


def remaining(answers: int) -> str:
    return f"{counted(answers, 'answer')} remain{'s' if answers == 1 else ''}"


def print_opinions(console: Console, turn: Turn) -> None:
    """One line per guess, with the strategies that would play it."""
    by_guess: dict[str, list[str]] = {}
    for name, guess in opinions(turn).items():
        by_guess.setdefault(guess, []).append(name)
    console.print("Strategies say:")
    view = Table(box=None, show_header=False, padding=(0, 0, 0, 2))
    view.add_column(no_wrap=True)
    view.add_column()  # wraps below itself
    for guess, names in sorted(by_guess.items(), key=lambda item: -len(item[1])):
        view.add_row(guess, ", ".join(names))
    console.print(view)


def print_candidates(console: Console, turn: Turn, found: Sequence[Candidate], exact: ExactValues | None) -> None:
    """Bounds and heuristics; with exact values those first."""
    n = len(turn.answers)
    values = {value.guess: value for value in exact.values} if exact else {}
    ordered = sorted(found, key=lambda c: values[c.guess].total if c.guess in values else 10**9)
    title = "Exact values (* is best) and heuristics" if values else "Best by entropy"
    view = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("guess", "may\nwin", *(["mean\nguesses", "worst\ncase"] if values else []), "at\nleast"):
        view.add_column(name, justify="left" if name == "guess" else "right", no_wrap=True)
    for name in COLUMNS:
        view.add_column(HEADS[name], justify="right", no_wrap=True)
    marks: set[str] = set()
    for c in ordered:
        value = values.get(c.guess)
        shown: list[str] = []
        if value:
            shown = [f"{value.total / n:.4f}{'*' if value.is_best else ''}", str(value.worst)]
        elif exact and values:
            shown = [UNSAFE, UNSAFE] if c.guess in exact.unsafe else [UNKNOWN, UNKNOWN]
            marks.update(shown)
        scores = (f"{c.scores[0]:.3f}", f"{c.scores[1]:.2f}", f"{c.scores[2]:.0f}", f"{c.scores[3]:.0f}")
        view.add_row(c.guess, "yes" if c.may_win else "", *shown, f"{c.lower / n:.3f}", *scores)
    print_table(console, view)
    for mark in sorted(marks):
        console.print(f"{mark} {MEANING[mark]}", markup=False, highlight=False)


def with_best(turn: Turn, found: list[Candidate], exact: ExactValues, number: int) -> list[Candidate]:
    """The candidates, with those among them that are best exactly, even if entropy did not find them."""
    have = {c.guess for c in found}
    missing = [value.guess for value in exact.values if value.guess not in have][:number]
    if not missing:
        return found
    everything = {c.guess: c for c in candidates(turn, len(turn.guesses))} if len(turn.guesses) < 2000 else {}
    return found + [everything.get(guess) or one(turn, guess) for guess in missing]


def one(turn: Turn, guess: str) -> Candidate:
    """A single guess with its scores."""
    g = turn.board.game.guesses.index(guess)
    place = int(np.flatnonzero(turn.guesses == g)[0])
    scored = [STRATEGIES[name](turn) for name in COLUMNS]
    sizes, may_win = bucket_sizes(turn.board.responses[g, turn.answers]), bool(turn.may_win[place])
    lower = guess_lower(sizes, may_win, int(max(scored[2].shown)))
    return Candidate(guess, may_win, tuple(float(score.shown[place]) for score in scored), int(lower))


def print_exact(console: Console, exact: ExactValues, n: int) -> None:
    """The exact verdict in a line or two."""
    if exact.error:
        console.print(f"no exact values: {exact.error}", markup=False)
    if exact.note:
        console.print(exact.note, markup=False)
    best = [value for value in exact.values if value.is_best]
    if best:
        more = f" and {exact.more} more" if exact.more else ""
        names = ", ".join(value.guess for value in best) + more
        total, worst = best[0].total, min(value.worst for value in best)
        console.print(
            f"Exactly best: {names}: {total / n:.4f} guesses on average from here (total {total:,}), at most {worst}.",
            markup=False,
            highlight=False,
        )


def print_root(console: Console, root: RootValues, n: int, number: int) -> None:
    """The best openers that a finished run has proven."""
    console.print(f"Exact openers, proven by the run in {root.folder}:", markup=False, highlight=False)
    for opener, total in root.openers[:number]:
        mark = "*" if total == root.total else " "
        text = f"  {opener} {total / n:.4f}{mark} guesses on average, total {total:,}"
        console.print(text, markup=False, highlight=False)
