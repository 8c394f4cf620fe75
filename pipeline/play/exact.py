"""Exact values of a position, found in the background and stoppable; those of the root come from a finished run."""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.game.game import Game, words_digest
from pipeline.game.legality import Mode
from pipeline.game.rules import Codes
from pipeline.play.notation import counted
from pipeline.runtime.place import Place
from pipeline.search.bounds import INFEASIBLE
from pipeline.search.outcome import Position, SearchStoppedError
from pipeline.search.solver import Solver

ROOT_CELLS = 200_000  # up to so many guesses times answers the root is solved on the spot
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Value:
    """The least total with this guess as the next one, and the most guesses that its tree then takes."""

    guess: str
    total: int
    worst: int
    is_best: bool


class ExactValues:
    """A position being solved by a thread. `values` grows: the best guesses first, then the others asked for."""

    def __init__(self, game: Game, responses: Codes, position: Position, others: Sequence[str]) -> None:
        """The best guesses are valued up to as many as there are others."""
        self.game, self.responses, self.position, self.others = game, responses, position, others
        self.values: list[Value] = []
        self.more = 0  # best guesses beyond those valued
        self.unsafe: set[str] = set()  # guesses with which not every answer can be found in the guesses left
        self.note = ""  # what to say besides
        self.error: Exception | None = None
        self.stopped = False
        self.solver: Solver | None = None
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    @property
    def is_ready(self) -> bool:
        return not self.thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Whether everything is known within that time. In small steps, so that Ctrl-C is heard."""
        end = time.monotonic() + seconds
        while self.thread.is_alive() and time.monotonic() < end:
            self.thread.join(POLL_SECONDS)
        return self.is_ready

    def stop(self) -> None:
        """Ends the search and waits for it to end."""
        self.stopped = True
        while self.thread.is_alive():
            if self.solver:
                self.solver.stop()
            self.thread.join(POLL_SECONDS)

    def work(self) -> None:
        try:
            self.solver = Solver(self.game, self.responses)
            self.solve(self.solver)
        except SearchStoppedError:
            pass
        except Exception as error:  # shown where the values would be
            self.error = error

    def solve(self, solver: Solver) -> None:
        position, left = self.position, self.position.guesses_left
        total = solver.solve(position).lower
        if total >= INFEASIBLE:
            given = counted(left or 0, "guess")
            self.note = f"no strategy finds all of them in the {given} left; these values need more guesses"
            position = Position(position.answers, None)
            total = solver.solve(position).lower
        best = solver.best_guesses(position)
        first = best[: max(len(self.others), 1)]
        asked = [*first, *(other for other in self.others if other not in first)]
        self.more = len(set(best) - set(asked))
        for guess in asked:
            if self.stopped:
                return
            outcome = solver.evaluate(guess, answers=position).outcome
            if outcome.lower >= INFEASIBLE:
                self.unsafe.add(guess)
            else:
                worst = solver.expand(position, guess=guess).depth
                self.values.append(Value(guess, outcome.lower, worst, outcome.lower == total))


def small_enough(game: Game) -> bool:
    """Whether the root can be solved while somebody waits."""
    return len(game.guesses) * len(game.answers) <= ROOT_CELLS


@dataclass(frozen=True, slots=True)
class RootValues:
    """Exact totals of openers, best first, and the folder they come from."""

    folder: Place
    total: int
    openers: tuple[tuple[str, int], ...]


def finished_root(game: Game, mode: Mode, outputs: Place) -> RootValues | None:
    """What a finished run has proven about the openers of exactly this game in this mode."""
    for folder in outputs.folders():
        try:
            result: dict[str, Any] = json.loads((folder / "result.json").read().decode())
            known = result["game"]
            same = (
                known["guesses_sha256"] == words_digest(game.guesses)
                and known["answers_sha256"] == words_digest(game.answers)
                and (known["rule"], result["max_guesses"]) == (str(game.rule), game.max_guesses)
                and (result["mode"], result["objective"], result["scope"]) == (str(mode), "mean", "all")
                and result["proven"]
                and result["total"] is not None
            )
            if same:
                rows = pq.read_table(pa.BufferReader((folder / "openers.parquet").read())).to_pylist()
                exact = tuple((row["opener"], row["lower"]) for row in rows if row["status"] == "exact")
                return RootValues(folder, result["total"], exact)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a run of another version, or one that is being written
    return None
