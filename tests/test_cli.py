"""The command line from outside: what it writes, what it says, how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline.stages.rank import SCHEMA
from tests.runs import finished, parts

SERIAL = ("executor=serial",)
BARE = ("export.trees=0", "export.report=false", "verify=none")


def test_smoke_writes_results_and_a_second_run_reuses_them(tmp_path: Path) -> None:
    first = finished(tmp_path, "+experiment=smoke")
    outputs = tmp_path / "outputs" / "smoke"
    table = pq.read_table(outputs / "rank.parquet")
    assert table.schema.names == SCHEMA.names
    assert table.num_rows == 9
    assert "PROVEN over all 9 openers: 12 is best, total 21, mean 2.3333; ties: 13, 21, 23, 31, 32." in first
    result = json.loads((outputs / "result.json").read_text())
    assert (result["best_opener"], result["total"], result["proven"], result["scope"]) == ("12", 21, True, "all")
    assert (result["lower"], result["upper"], len(result["optimal_openers"])) == (21, 21, 6)
    assert result["certificate"]["status"] == "accepted"
    openers = (outputs / "openers.parquet").read_bytes()
    before = {path: path.stat().st_mtime_ns for path in outputs.glob("*-*/*")}
    second = finished(tmp_path, "+experiment=smoke")
    assert second.count("all from an earlier run") == 6
    assert {path: path.stat().st_mtime_ns for path in outputs.glob("*-*/*")} == before
    assert json.loads((outputs / "result.json").read_text()) == result
    assert (outputs / "openers.parquet").read_bytes() == openers


def test_own_lists_in_any_script(tmp_path: Path) -> None:
    (tmp_path / "my.txt").write_text("straße\nSTRÄßE\nkräfte\nhäuser\n", "utf-8")
    (tmp_path / "answers.txt").write_text("kräfte\nhäuser\n", "utf-8")
    text = finished(
        tmp_path, *SERIAL, "name=mine", "game.guesses=my.txt", "game.answers=answers.txt", "game.max_guesses=null"
    )
    assert "1 words in upper case were folded" in text
    table = pq.read_table(tmp_path / "outputs" / "mine" / "rank.parquet")
    assert sorted(table["guess"].to_pylist()) == ["häuser", "kräfte", "straße", "sträße"]
    assert table["is_answer"].to_pylist()[:2] == [True, True]


def test_changed_lists_land_in_new_folders(tmp_path: Path) -> None:
    path = tmp_path / "my.txt"
    path.write_text("aa\nab\n")
    finished(tmp_path, *SERIAL, "game.guesses=my.txt", "game.answers=null")
    path.write_text("aa\nab\nbb\n")
    text = finished(tmp_path, *SERIAL, "game.guesses=my.txt", "game.answers=null")
    assert "earlier run" not in text
    assert pq.read_table(tmp_path / "outputs" / "default" / "rank.parquet").num_rows == 3


def test_rank_by_another_column(tmp_path: Path) -> None:
    finished(tmp_path, "+experiment=smoke", "rank.by=largest_bucket", "rank.show=0")
    largest = pq.read_table(tmp_path / "outputs" / "smoke" / "rank.parquet")["largest_bucket"].to_pylist()
    assert largest == sorted(largest)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["game=wrdle"], "error: game=wrdle: did you mean wordle?"),
        (["+experiment=smoke", "rank.show=abc"], "rank.show"),
        (["+experiment=smoke", "nonsense"], "nonsense"),
        (["+experiment=smoke", "game.guesses=nowhere.txt"], "error: nowhere.txt: no such file"),
        (["+experiment=smoke", "game.guesses=bad.txt"], "error: bad.txt, line 2: 'cd' has 2 letters"),
        (["+experiment=smoke", "objective=worst"], "no stage can honour objective=worst yet"),
        (["+experiment=smoke", "mode=hard"], "mode=hard speaks of letters shown"),
        (["+experiment=smoke", "game.weights=weights.txt"], "cannot honour game.weights yet"),
        (["+experiment=smoke", "rank.by=letter_entropy"], "rank.by=letter_entropy counts letters"),
        (["+experiment=smoke", "openers=[112]"], "openers: '112' is not in the guess list; did you mean 12"),
        (["+experiment=smoke", "openers=some"], "openers=some: must be all or [word,...]"),
        (["+experiment=smoke", "openers=[12]", "top=3"], "top=3: must be null when openers are listed"),
        (["+experiment=smoke", "mode=strict"], "search cannot honour mode=strict yet"),
        (["+experiment=smoke", "game.rule=wordle", "mode=hard"], "search cannot honour mode=hard yet"),
        (["+experiment=tournament", "mode=strict"], "game and mode would be ignored; set simulate.runs=null"),
        (["+experiment=tournament", "game=primel"], "game and mode would be ignored; set simulate.runs=null"),
        (["+experiment=tournament", "game.rule=naive"], "game and mode would be ignored; set simulate.runs=null"),
        (["+experiment=compare_trees", "trees=[a.txt]", "mode=strict"], "compare cannot honour mode=strict yet"),
        (
            ["+experiment=compare_trees", "game=toy", "trees=[a.txt]", "game.weights=weights.txt"],
            "cannot honour game.weights yet",
        ),
        (["+experiment=smoke", "game.guesses=mastermind:10x30"], "590,490,000,000,000 words are too many"),
        (["+experiment=smoke", "game.guesses=bulls_and_cows:10x36"], "words are too many; at most 1,000,000"),
    ],
)
def test_bad_configuration_or_input_exits_with_2(tmp_path: Path, arguments: list[str], says: str) -> None:
    (tmp_path / "bad.txt").write_text("abc\ncd\n")
    (tmp_path / "weights.txt").write_text("11 5\n")
    text = finished(tmp_path, *arguments, code=2)
    assert says in text
    assert "Traceback" not in text


def test_an_output_folder_that_cannot_be_made_exits_with_1(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("a file where the folder should be")
    text = finished(tmp_path, "+experiment=smoke", "hydra.run.dir=logs", code=1)
    assert "error: cannot make the output folder" in text


def test_help_is_useful(tmp_path: Path) -> None:
    text = finished(tmp_path, "--help")
    for word in ("+experiment=NAME", "wordle_nyt2022", "max_guesses", "Exit codes"):
        assert word in text


def test_exact_opening_proves_the_best_opener_over_all(tmp_path: Path) -> None:
    """The first command of the README."""
    text = finished(tmp_path, "+experiment=exact_opening")
    assert "PROVEN over all 12,972 openers: salet is best, total 7,920, mean 3.4212; no other is as good." in text
    outputs = tmp_path / "outputs" / "exact_opening"
    result = json.loads((outputs / "result.json").read_text())
    assert (result["best_opener"], result["optimal_openers"], result["total"]) == ("salet", ["salet"], 7920)
    assert (result["lower"], result["upper"], result["proven"], result["openers"]) == (7920, 7920, True, 12972)
    openers = pq.read_table(outputs / "openers.parquet")
    assert openers.num_rows == 12972
    totals = {row["opener"]: row["lower"] for row in openers.to_pylist() if row["status"] == "exact"}
    known = {"salet": 7920, "reast": 7923, "crate": 7926, "trace": 7926, "slate": 7928}
    assert {word: totals[word] for word in known} == known
    beaten = [row for row in openers.to_pylist() if row["status"] == "beaten"]
    assert len(beaten) + len(totals) == 12972
    assert min(row["lower"] for row in beaten) > 7920
    statistics = json.loads((outputs / "statistics.json").read_text())
    assert set(statistics["predictions"]) == {"25%", "50%", "75%"}


def test_every_executor_gives_the_same_bytes(tmp_path: Path) -> None:
    ways = {
        "serial": ["executor=serial"],
        "ray1": ["executor.workers=1"],
        "ray2": ["executor.workers=2"],
        "ray4": ["executor.workers=4"],
    }
    proof = ("+experiment=exact_opening", "game=wordle_answers", "top=100", "best=3", "verify=none")
    shelf = ("export.formats=[json,html]", "export.trees=1", "export.report=false")
    for name, way in ways.items():
        finished(tmp_path, *proof, f"name={name}", *shelf, *way)
    folders = [tmp_path / "outputs" / name for name in ways]
    for stage in ("ingest", "responses", "rank", "aggregate"):
        assert parts(folders[0], stage)
        assert all(parts(folder, stage) == parts(folders[0], stage) for folder in folders)
    searched = [sorted(path.name.rpartition("-")[0] for path in f.glob("search-*/part-*")) for f in folders]
    assert all(keys == searched[0] for keys in searched)
    for name in ("rank.parquet", "openers.parquet", "result.json", "tree.parquet", "tree.json", "tree.html"):
        assert len({(folder / name).read_bytes() for folder in folders}) == 1, name


def test_a_hard_opener_is_many_tasks(tmp_path: Path) -> None:
    text = finished(tmp_path, "+experiment=exact_opening", "openers=[woody]", "name=woody", *BARE)
    assert "PROVEN: woody has total 8,722, mean 3.7676; other openers were not considered." in text
    rows = [pq.read_table(path) for path in (tmp_path / "outputs" / "woody").glob("search-*/part-*")]
    assert len(rows) >= 20
    assert len({response for part in rows for response in part["response"].to_pylist()}) >= 10


def test_a_cap_that_cannot_be_met(tmp_path: Path) -> None:
    text = finished(
        tmp_path, "+experiment=exact_opening", "openers=[salet]", "game.max_guesses=4", "verify=none", *SERIAL
    )
    assert "PROVEN over the one opener listed: none can guarantee 4 guesses." in text
    result = json.loads((tmp_path / "outputs" / "exact_opening" / "result.json").read_text())
    assert (result["best_opener"], result["lower"], result["upper"], result["proven"]) == (None, None, None, True)
    assert result["status"]["infeasible"] == 1


def test_a_time_limit_leaves_honest_bounds_and_a_rerun_goes_on(tmp_path: Path) -> None:
    arguments = ("+experiment=exact_opening", "game=wordle_answers", "top=60", *BARE, *SERIAL)
    text = finished(tmp_path, *arguments, "time_limit=0.5")
    assert "NOT PROVEN over the 60 openers listed" in text
    path = tmp_path / "outputs" / "exact_opening" / "result.json"
    result = json.loads(path.read_text())
    assert (result["proven"], result["best_opener"], result["total"]) == (False, None, None)
    assert result["lower"] <= 7973
    assert result["status"]["open"] > 0
    assert "PROVEN over the 60 openers listed: slate is best, total 7,973" in finished(tmp_path, *arguments)


def test_runs_are_listed_and_cleaned(tmp_path: Path) -> None:
    assert "no runs in outputs" in finished(tmp_path, "+experiment=runs")
    finished(tmp_path, "+experiment=smoke")
    finished(tmp_path, "+experiment=smoke", "name=other", "until=rank")
    text = finished(tmp_path, "+experiment=runs")
    assert "12 21 over all 9" in text
    assert "ranking only" in text
    assert "nothing was removed" in finished(tmp_path, "+experiment=runs", "clean=other")  # nobody answers
    finished(tmp_path, "name=failed", "game.guesses=nowhere.txt", code=2)
    assert "nothing yet" in finished(tmp_path, "+experiment=runs")
    finished(tmp_path, "+experiment=runs", "clean=failed", "yes=true")
    assert "no run of that name" in finished(tmp_path, "+experiment=runs", "clean=nowhere", "yes=true", code=1)
    assert "removed" in finished(tmp_path, "+experiment=runs", "clean=other", "yes=true")
    assert sorted(path.name for path in (tmp_path / "outputs").iterdir()) == ["smoke"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["+experiment=smoke", "clean=smoke"], "clean=smoke: nothing is removed by search; add +experiment=runs"),
        (["+experiment=smoke", "trees=[a.json]"], "search reads no trees; add +experiment=compare_trees"),
        (["until=simulate", "game=toy", "simulate.strategies=[entropy]", "simulate.opener=12"], "does not play here"),
        (["+experiment=smoke", "game.weights=heavy.txt"], "search cannot honour game.weights yet"),
    ],
)
def test_what_would_be_ignored_is_an_error(tmp_path: Path, words: list[str], says: str) -> None:
    (tmp_path / "heavy.txt").write_text("11 2\n")
    assert says in finished(tmp_path, *words, code=2)
    assert not list(tmp_path.glob("outputs/*/responses*"))


def test_one_odd_folder_does_not_hide_the_runs(tmp_path: Path) -> None:
    finished(tmp_path, "+experiment=smoke")
    results = ["[]", "null", "17", "[" * 10**6, '{"best_opener": "aa", "total": null}', '{"best_opener": null}']
    for i, text in enumerate(results):
        folder = tmp_path / "outputs" / f"odd{i}"
        folder.mkdir()
        (folder / ".lock").touch()
        (folder / "result.json").write_text(text)
    (tmp_path / "outputs" / "odd0" / "progress.json").write_text("[]")
    os.utime(tmp_path / "outputs" / "odd1" / ".lock", (2**32, 2**32))
    shown = finished(tmp_path, "+experiment=runs")
    assert "12 21 over all 9" in shown
    assert shown.count("cannot be read") == len(results)
    assert "-" not in shown.partition("odd1")[2].partition("MiB")[2].splitlines()[0]


def test_a_ranking_of_another_game_stands_beside_no_result(tmp_path: Path) -> None:
    finished(tmp_path, "+experiment=smoke")
    folder = tmp_path / "outputs" / "smoke"
    finished(tmp_path, "+experiment=smoke", "until=rank")
    assert (folder / "result.json").exists()
    finished(tmp_path, "+experiment=smoke", "until=rank", "game.guesses=mastermind:2x4")
    left = {path.name for path in folder.iterdir() if path.is_file()}
    assert left == {".lock", "rank.parquet"}


def test_words_are_shown_as_they_are(tmp_path: Path) -> None:
    """Nothing in a word is an instruction to the terminal, nor a picture."""
    words = ["[/b]", "[red", "abcd", "b[/]", "[b]x", "a\\[b", "xyz\\", "wxyz", "axbz", ":ox:"]
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")
    own = ("game.guesses=words.txt", "game.answers=null", "executor=serial")
    text = finished(tmp_path, "+experiment=exact_opening", "name=own", "best=10", *own)
    assert all(f"│ {word}" in text for word in words)
    assert json.loads((tmp_path / "outputs" / "own" / "result.json").read_text())["best_opener"] in finished(
        tmp_path, "+experiment=runs"
    )
    played = finished(tmp_path, "+experiment=tournament", "name=played", "simulate.runs=null", *own)
    assert "entropy" in played
    helper = ("-m", "pipeline.play", "game", "--guesses", "words.txt", "--no-exact")
    ran = subprocess.run([sys.executable, *helper], cwd=tmp_path, input="quit\n", capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "10 answers remain: " + " ".join(words) in " ".join(ran.stdout.split())


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_a_cluster_that_is_not_there_is_told(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # not the instance of somebody else on this machine
    text = finished(tmp_path, "+experiment=smoke", "executor=ray", f"executor.address={address}", code=1)
    assert f"error: cannot start Ray with executor.address={address}: " in text
