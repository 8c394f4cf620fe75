"""Simulations from outside: what they write, that they can be stopped and go on, and what they refuse."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline.__main__ import chosen_contests
from pipeline.config import ConfigError, built_game, game_name, shipped_game
from pipeline.game.legality import Mode, ModeError
from pipeline.game.rules import response_rows
from pipeline.runtime.progress import Progress
from pipeline.stages import simulate
from pipeline.stages.rank import NotSupportedError
from pipeline.stages.simulate import Contest, able, contest_tasks, run, sampled
from pipeline.strategies.turn import Manner
from tests.runs import finished
from tests.test_config import composed

FIGURES = ["strategy", "game", "mode", "rule", "mean", "sd", "worst", "losses", "histogram"]


def test_a_tournament_on_two_games(tmp_path: Path) -> None:
    """The experiment with few strategies: on Ray, over all guesses in normal mode and over answers in strict mode."""
    text = finished(tmp_path, "+experiment=tournament", "simulate.strategies=[entropy,expected_size]")
    assert "wordle_answers, strict mode" in text
    outputs = tmp_path / "outputs" / "tournament"
    rows = pq.read_table(outputs / "strategies.parquet").to_pylist()
    assert set(FIGURES) <= set(rows[0])
    found = {(row["game"], row["mode"], row["strategy"]): row for row in rows}
    assert len(found) == len(rows) == 4
    entropy = found["wordle_answers", "strict", "entropy"]
    assert entropy["histogram"] == [1, 131, 999, 919, 207, 47, 9, 2]
    assert (entropy["mean"], entropy["worst"], entropy["losses"]) == (3.5991360691144707, 8, 11)
    assert entropy["worst_answers"] == ["goner", "watch"]
    assert found["wordle", "normal", "entropy"]["opener"] == "soare"
    shown = (outputs / "strategies.html").read_text()
    assert shown.count("<svg") == 2
    assert "3.5991" in shown
    games = pq.read_table(outputs / "games.parquet")
    assert games.num_rows == 4 * 2315
    first = games.slice(0, 1).to_pylist()[0]
    assert (first["game"], first["strategy"], first["answer"]) == ("wordle", "entropy", "aback")
    assert first["guesses"] == len(first["path"])
    assert (first["path"][0], first["path"][-1]) == ("soare", "aback")
    before = (outputs / "strategies.parquet").read_bytes(), (outputs / "games.parquet").read_bytes()
    again = finished(tmp_path, "+experiment=tournament", "simulate.strategies=[entropy,expected_size]")
    assert again.count("all from an earlier run") == 6
    serial = finished(
        tmp_path,
        "+experiment=tournament",
        "simulate.strategies=[entropy,expected_size]",
        "executor=serial",
        "name=other",
    )
    assert "all from an earlier run" not in serial
    for folder in (outputs, tmp_path / "outputs" / "other"):
        assert ((folder / "strategies.parquet").read_bytes(), (folder / "games.parquet").read_bytes()) == before


def test_one_more_strategy_leaves_the_others(tmp_path: Path) -> None:
    arguments = ("+experiment=smoke", "until=simulate")
    finished(tmp_path, *arguments, "simulate.strategies=[entropy]")
    text = finished(tmp_path, *arguments, "simulate.strategies=[entropy,optimal]")
    assert "simulate   2 parts" in text
    assert "1 from an earlier run" in text
    rows = pq.read_table(tmp_path / "outputs" / "smoke" / "strategies.parquet").to_pylist()
    assert (rows[0]["strategy"], rows[0]["total"]) == ("optimal", 21)  # the best total there is


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["simulate.strategies=[entropi]"], "did you mean entropy?"),
        (["simulate.strategies=entropy"], "simulate.strategies=entropy: must be all or [name,...]"),
        (["simulate.strategies=[]"], "must be all or [name,...]"),
        (
            ["simulate.strategies=[letter_entropy]"],
            "letter_entropy counts letters, but the responses of rule mastermind",
        ),
        (["simulate.strategies=[optimal]", "mode=strict"], "optimal plays in normal mode only"),
        (["simulate.runs=[wordle]"], "simulate.runs="),
        (["simulate.runs=[wordle:hardest]"], "simulate.runs=hardest"),
        (["simulate.runs=[wrdle:hard]"], "did you mean wordle?"),
        (["simulate.runs=wordle:hard"], "must be null or [game:mode,...]"),
        (["game=wordle", "simulate.runs=[mastermind:hard]"], "hard mode speaks of letters"),
        (["mode=hard"], "mode=hard speaks of letters shown"),
        (["simulate.ties=first"], "simulate.ties=first"),
        (["simulate.sample=0"], "simulate.sample=0: must be null or at least 1"),
        (["simulate.seed=-1"], "simulate.seed=-1"),
        (["simulate.schedule=[]"], "one strategy per turn"),
        (["simulate.schedule=[entropy,schedule]"], "simulate.schedule=schedule"),
        (["simulate.opener=99"], "simulate.opener=99: not in the guess list of toy"),
        (["game.weights=weights.txt"], "cannot honour game.weights yet"),
    ],
)
def test_what_cannot_be_simulated_is_told(
    tmp_path: Path, arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it before anything runs."""
    (tmp_path / "weights.txt").write_text("11 5\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ConfigError, NotSupportedError, ModeError)) as told:
        chosen_contests(composed("+experiment=smoke", "until=simulate", *arguments), Progress())
    assert says in str(told.value)


def test_a_bad_strategy_exits_with_2(tmp_path: Path) -> None:
    text = finished(tmp_path, "+experiment=smoke", "until=simulate", "simulate.strategies=[schedule]", code=2)
    assert "error: strategy schedule counts letters" in text
    assert "Traceback" not in text


def contest(name: str, mode: Mode, *strategies: str, sample: int | None = None) -> Contest:
    return Contest(name, built_game(shipped_game(name))[0], mode, strategies, Manner(seed=3), sample)


def test_pieces_add_up_to_all_games(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = contest("mastermind", Mode.STRICT, "entropy", "random")
    shared = {"contest": whole, "answers": sampled(whole)}
    shared["responses"] = response_rows(whole.game.rule, whole.game.guesses, whole.game.answers)

    def games() -> dict[tuple[str, str], list[str]]:
        tables = [run(task, shared).to_pylist() for task in contest_tasks(whole)]
        found = {(row["strategy"], row["answer"]): row["path"] for rows in tables for row in rows}
        assert len(found) == sum(len(rows) for rows in tables) == 2 * 1296
        return found

    at_once = games()
    monkeypatch.setattr(simulate, "PIECE_CELLS", 2**17)
    assert len(contest_tasks(whole)) == 26
    assert games() == at_once


def test_where_no_strategy_keeps_to_the_cap_the_optimal_one_loses_games(tmp_path: Path) -> None:
    (tmp_path / "my.txt").write_text("watch\nmatch\ncatch\nlatch\nbatch\npatch\nhatch\n")
    arguments = ("until=simulate", "executor=serial", "game.guesses=my.txt", "game.answers=null", "name=mine")
    finished(tmp_path, *arguments, "simulate.strategies=[optimal,entropy]")
    rows = pq.read_table(tmp_path / "outputs" / "mine" / "strategies.parquet").to_pylist()
    assert {row["strategy"]: (row["mean"], row["losses"]) for row in rows} == {"optimal": (4.0, 1), "entropy": (4.0, 1)}


def test_a_sample_is_drawn_by_the_seed() -> None:
    some = contest("mastermind", Mode.NORMAL, "entropy", sample=50)
    assert len(sampled(some)) == 50
    assert sampled(some) == sampled(contest("mastermind", Mode.NORMAL, "random", sample=50))
    assert sampled(contest("toy", Mode.NORMAL, sample=50)) == list(range(9))


def test_who_can_play() -> None:
    toy = contest("toy", Mode.NORMAL).game
    assert not {"letter_entropy", "schedule"} & set(able(toy, Mode.NORMAL, Manner()))
    assert "schedule" in able(toy, Mode.NORMAL, Manner(schedule=("entropy", "random")))
    assert "optimal" in able(toy, Mode.NORMAL, Manner())
    assert "optimal" not in able(toy, Mode.STRICT, Manner())
    wordle = contest("wordle_answers", Mode.NORMAL).game
    every = able(wordle, Mode.NORMAL, Manner())
    assert set(every) - set(able(wordle, Mode.HARD, Manner())) == {"optimal"}


def test_games_have_names() -> None:
    assert game_name(shipped_game("primel")) == "primel"
    config = shipped_game("wordle")
    assert game_name(type(config)("mine.txt", None)) == "mine"
