"""Stage `simulate`: strategies play against every answer, or a sample. A task is one of them, or a piece of it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.game.game import Game
from pipeline.game.legality import Legality, Mode
from pipeline.runtime.stage import Finished, Shared, Stage, Task, Watcher
from pipeline.search.outcome import PositionError
from pipeline.search.solver import Solver
from pipeline.stages.rank import NotSupportedError
from pipeline.stages.responses import response_table
from pipeline.strategies.catalogue import LETTERS, SCHEDULE, STRATEGIES
from pipeline.strategies.lottery import mixed
from pipeline.strategies.selfplay import next_guess, play_all
from pipeline.strategies.turn import Board, Manner

OPTIMAL = "optimal"
NAMES = (*STRATEGIES, OPTIMAL)
PIECE_CELLS = 2**25  # cells of the response table for each piece that the games of a strategy are cut into
ROWS = pa.schema(
    [
        pa.field("strategy", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("guesses", pa.int32(), nullable=False),  # how many
        pa.field("path", pa.list_(pa.string()), nullable=False),  # which, the answer last
        pa.field("seconds", pa.float64(), nullable=False),  # statistics: the game's share of the task's CPU time
    ]
)


@dataclass(frozen=True, slots=True)
class Contest:
    """Strategies that play one game in one mode."""

    name: str  # of the game
    game: Game
    mode: Mode
    strategies: tuple[str, ...]
    manner: Manner
    sample: int | None = None  # so many answers, drawn by the seed; None means all
    opener: str | None = None  # the first guess of `optimal`; None means the best, which it then has to find


def able(game: Game, mode: Mode, manner: Manner) -> tuple[str, ...]:
    """Every strategy that can play this game in this mode."""
    return tuple(name for name in NAMES if reason_against(name, game, mode, manner) is None)


def reason_against(name: str, game: Game, mode: Mode, manner: Manner) -> str | None:
    """Why a strategy cannot play, if so."""
    played = manner.schedule if name == SCHEDULE else (name,)
    if not game.rule.marks_letters and not LETTERS.isdisjoint(played):
        return f"strategy {name} counts letters, but the responses of rule {game.rule} count pegs"
    if name == OPTIMAL and mode is not Mode.NORMAL:
        return f"strategy optimal plays in normal mode only, not in {mode} mode"
    return None


def check_contest(contest: Contest) -> None:
    """Raises NotSupportedError where a strategy cannot play, or the opener is no guess."""
    if contest.game.is_weighted:
        raise NotSupportedError("stage simulate cannot honour game.weights yet; set game.weights=null")
    Legality(contest.game, contest.mode)  # refuses a mode that the game does not have
    for name in contest.strategies:
        reason = reason_against(name, contest.game, contest.mode, contest.manner)
        if reason:
            raise NotSupportedError(
                f"{reason}; these can play: {', '.join(able(contest.game, contest.mode, contest.manner))}"
            )
    if OPTIMAL in contest.strategies and contest.opener and contest.opener not in contest.game.guesses:
        raise NotSupportedError(f"simulate.opener={contest.opener}: not in the guess list of {contest.name}")


def simulate_stage(contest: Contest, responses: Finished, watcher: Watcher | None = None) -> Stage:
    """The strategies are not among the options: one more of them leaves the parts of the others as they are."""
    manner = contest.manner
    options: dict[str, Any] = {
        "mode": str(contest.mode),
        "max_guesses": contest.game.max_guesses,
        "ties": manner.ties,
        "seed": manner.seed,
        "schedule": list(manner.schedule),
        "sample": contest.sample,
        "opener": contest.opener,
    }

    def shared() -> Shared:
        table = response_table(contest.game, responses)
        return {"contest": contest, "responses": table, "answers": sampled(contest)}

    return Stage(
        "simulate", 1, options, (responses.fingerprint,), lambda: [contest_tasks(contest)], run, shared, watcher
    )


def contest_tasks(contest: Contest) -> list[Task]:
    """One task a strategy; several where the game is large. `optimal` is one, its tree is found as a whole."""
    cells = len(contest.game.guesses) * len(contest.game.answers)
    pieces = -(-cells // PIECE_CELLS)
    return [
        Task(f"{name}-{piece:02d}", {"strategy": name, "piece": piece, "pieces": number})
        for name in contest.strategies
        for number in [1 if name == OPTIMAL else pieces]
        for piece in range(number)
    ]


def sampled(contest: Contest) -> list[int]:
    """The answers that are played, ascending."""
    every = range(len(contest.game.answers))
    if contest.sample is None or contest.sample >= len(every):
        return list(every)
    return sorted(sorted(every, key=lambda a: mixed(mixed(contest.manner.seed) ^ a))[: contest.sample])


def run(task: Task, shared: Shared) -> pa.Table:
    """One row per game, in answer-list order."""
    contest: Contest = shared["contest"]
    name, started = task.data["strategy"], time.thread_time()
    if name == OPTIMAL:
        paths = optimal_paths(contest, shared["responses"], shared["answers"])
    else:
        board = Board(contest.game, contest.mode, shared["responses"], contest.manner)
        answers = piece_of(board, name, shared["answers"], task.data["piece"], task.data["pieces"])
        played = play_all(board, STRATEGIES[name], answers).paths if answers else {}
        paths = {a: [contest.game.guesses[g] for g in path] for a, path in played.items()}
    return games_table(contest.game, name, paths, time.thread_time() - started)


def piece_of(board: Board, name: str, answers: Sequence[int], piece: int, pieces: int) -> list[int]:
    """Every pieces-th bucket of the first guess, the largest first: games that begin alike stay together."""
    if pieces == 1:
        return list(answers)
    turn = board.start()
    buckets = sorted(turn.buckets(next_guess(turn, STRATEGIES[name])).values(), key=len, reverse=True)
    return sorted(set(answers) & set(np.concatenate([[], *buckets[piece::pieces]]).astype(int).tolist()))


def optimal_paths(contest: Contest, responses: Any, answers: Sequence[int]) -> dict[int, list[str]]:
    """The games of an optimal tree, which keeps to the cap on guesses; where nothing can, of one without a cap."""
    solver = Solver(contest.game, responses)
    try:
        tree = solver.expand(guess=contest.opener)
    except PositionError:
        tree = solver.expand(guess=contest.opener, guesses_left=None)
    games = {game[-1]: list(game) for game in tree.games()}
    return {a: games[contest.game.answers[a]] for a in answers}


def games_table(game: Game, name: str, paths: dict[int, list[str]], seconds: float) -> pa.Table:
    columns = {
        "strategy": [name] * len(paths),
        "answer": [game.answers[a] for a in paths],
        "guesses": [len(path) for path in paths.values()],
        "path": list(paths.values()),
        "seconds": [seconds / len(paths)] * len(paths) if paths else [],
    }
    return pa.table(columns, schema=ROWS)
