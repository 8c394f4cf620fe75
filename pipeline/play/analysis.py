"""Skill and luck of a finished game, from exact values.

E is the least expected number of guesses still to come. A guess costs E(with it) - E(best), which is no matter of luck;
its response is lucky by E(with the guess) - 1 - E(afterwards). So what a game took is E at its start, plus all that
its guesses cost, less all its luck.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan, nan

from pipeline.game.game import Game
from pipeline.play.exact import RootValues, small_enough
from pipeline.play.notation import Clue
from pipeline.search.bounds import INFEASIBLE
from pipeline.search.outcome import Position
from pipeline.search.solver import Solver

SKILL = ((0.0, "perfect"), (0.05, "excellent"), (0.1, "good"), (0.2, "fair"), (0.35, "weak"), (0.5, "poor"))
LUCK = (
    *((-1.0, "very unlucky"), (-0.3, "unlucky"), (-0.1, "a bit unlucky")),
    *((0.1, "as expected"), (0.3, "a bit lucky"), (1.0, "lucky")),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """One turn: what remained before it, and what the guess and the response were worth. nan is unknown."""

    clue: Clue
    size: int
    best: float  # expected guesses from here, this one included, with the best guess
    with_guess: float  # the same with this guess
    after: float  # what is expected after the response; 0 when solved in time
    best_guess: str

    @property
    def inaccuracy(self) -> float:
        return difference(self.with_guess, self.best)  # not negative: the best guess is the best

    @property
    def luck(self) -> float:
        return difference(self.with_guess - 1, self.after)


def difference(a: float, b: float) -> float:
    """a - b to nine places, so that no float noise decides a label; a guarantee lost on both sides is no difference."""
    return 0.0 if isinf(a) and isinf(b) else round(a - b, 9) + 0.0


def skill_label(inaccuracy: float) -> str:
    if isnan(inaccuracy):
        return "unknown"
    if inaccuracy <= 0:
        return SKILL[0][1]
    if isinf(inaccuracy):
        return "lost the guarantee"
    return next((label for limit, label in SKILL[1:] if inaccuracy < limit), "blunder")


def luck_label(luck: float) -> str:
    if isnan(luck):
        return "unknown"
    if isinf(luck):
        return "regained the guarantee" if luck > 0 else "lost the guarantee"
    return next((label for limit, label in LUCK if luck < limit), "very lucky")


def judged(game: Game, solver: Solver, clues: Sequence[Clue], root: RootValues | None) -> list[Judged]:
    """Every turn of a game. The cap counts: beyond it E is infinite."""
    turns: list[Judged] = []
    answers, cap = game.answers, game.max_guesses
    for turn, clue in enumerate(clues):
        left = None if cap is None else max(cap - turn, 0)
        position = Position(answers, left)
        total, guess = least(game, solver, position, root if turn == 0 else None, turn == 0)
        chosen = solver.evaluate(clue.guess, answers=position).outcome.lower
        row = solver.responses[solver.index_of(clue.guess)]
        index = solver.answer_index
        following = tuple(word for word in answers if row[index[word]] == clue.response)
        after = 0.0 if left is None or left > 0 else inf  # found, but beyond the cap
        if clue.response != game.solved:
            below = Position(following, None if left is None else max(left - 1, 0))
            after = expected(solver.solve(below).lower, len(following))
        n = len(answers)
        turns.append(Judged(clue, n, expected(total, n), expected(chosen, n), after, guess))
        answers = following
    return turns


def least(
    game: Game, solver: Solver, position: Position, root: RootValues | None, is_root: bool
) -> tuple[int | None, str]:
    """The least total and a guess that has it; None if that takes a run of its own."""
    if root is not None:
        return root.total, root.openers[0][0]
    if is_root and not small_enough(game):
        return None, ""
    outcome = solver.solve(position)
    return outcome.lower, outcome.guess or ""


def expected(total: int | None, n: int) -> float:
    """A total as guesses per answer."""
    if total is None:
        return nan
    return inf if total >= INFEASIBLE else total / n
