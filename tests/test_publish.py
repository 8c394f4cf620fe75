"""What a run leaves for people: trees where they are proven, honest words where not, files that fit their schema."""

import json
import signal
from pathlib import Path

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from pipeline.__main__ import run
from pipeline.export import table
from pipeline.export.reading import read_tree
from pipeline.game.lists import word_list
from pipeline.runtime.progress import Progress
from pipeline.runtime.stopping import Stopped
from pipeline.search.solver import Solver
from pipeline.stages import aggregate, rank, search, searching
from pipeline.stages.publish import NAMES, folder_name
from pipeline.stages.reporting import average_ranks, kendall
from tests.runs import ROOT, finished
from tests.test_config import composed
from tests.test_tree import original, replayed, salet

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
TREES = {"tree.parquet", *NAMES.values()} - {"tree.olson.json", "tree.domsleee.json"}


def ran(folder: Path, *overrides: str) -> tuple[Path, str]:
    """The outputs of a run in this process, and what it said; its result.json fits the schema."""
    said = Console(record=True, quiet=False, file=(folder / "said.txt").open("w"), width=200)
    run(composed("+experiment=smoke", f"outputs_root={folder}", "name=run", *overrides), Progress(said))
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads((folder / "run" / "result.json").read_text()))
    return folder / "run", said.export_text()


def files(outputs: Path) -> set[str]:
    return {path.name for path in outputs.glob("tree.*")} - {"tree.svg", "tree.pdf"}


def test_a_proven_run_has_a_tree_in_every_format(tmp_path: Path) -> None:
    outputs, _ = ran(tmp_path)
    assert files(outputs) == TREES
    game = composed("+experiment=smoke")
    assert game.export.formats == list(NAMES)
    rows = pq.read_table(outputs / "tree.parquet")
    assert rows.schema.equals(table.SCHEMA)
    assert rows["total"][0].as_py() == 21
    assert "PROVEN over all 9 openers: 12 is best" in (outputs / "report.html").read_text()


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (["search.width=2"], "search.width=2 gives upper bounds only"),
        (["game.max_guesses=1"], "no opener has an exact total"),
        (["budget=5"], "no opener has an exact total"),
        (["export.trees=0"], "export.trees=0"),
        (["time_limit=1e-9", "game=mastermind"], "the search is not complete"),
    ],
)
def test_runs_without_a_tree_say_so_and_leave_no_old_one(tmp_path: Path, overrides: list[str], says: str) -> None:
    ran(tmp_path, "export.report=false")
    outputs, said = ran(tmp_path, *overrides)
    assert f"no tree is written: {says}" in said
    assert files(outputs) == set()
    page = (outputs / "report.html").read_text()
    assert "There is no tree" in page
    assert "Explore the tree" not in page


def test_a_run_that_is_stopped_leaves_nothing_of_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs, _ = ran(tmp_path)
    assert (outputs / "certificate").exists()

    def stop(*arguments: object) -> None:
        raise Stopped(signal.SIGINT)

    monkeypatch.setattr(searching, "run_stage", stop)
    with pytest.raises(Stopped):
        ran(tmp_path, "game.max_guesses=5")
    assert files(outputs) == set()
    assert not (outputs / "report.html").exists()
    assert not (outputs / "certificate").exists()
    assert not json.loads((outputs / "result.json").read_text())["proven"]


def test_chosen_formats_and_listed_openers(tmp_path: Path) -> None:
    outputs, _ = ran(tmp_path, "openers=[11,12]", "export.formats=[txt]", "export.hollow=false", "export.report=false")
    assert files(outputs) == {"tree.parquet", "tree.txt"}
    assert sorted(path.name for path in (outputs / "trees").iterdir()) == ["11"]
    assert pq.read_table(outputs / "trees" / "11" / "tree.parquet")["guess"][0].as_py() == "11"
    assert all(line.startswith("12 ") for line in (outputs / "tree.txt").read_text().splitlines())
    assert not (outputs / "report.html").exists()


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ([], "Every opener that was not evaluated exactly has at least "),
        (["openers=[12]"], "Other openers: unknown."),
        (["best=9"], "All other openers are exact, too, and not better."),
        (["game.guesses=mastermind:1x3", "best=3"], "There are no other openers."),
    ],
)
def test_the_explorer_says_what_is_known_of_other_openers(tmp_path: Path, overrides: list[str], says: str) -> None:
    outputs, _ = ran(tmp_path, *overrides)
    assert says in (outputs / "tree.html").read_text()


def test_one_answer(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("ab\n")
    outputs, _ = ran(tmp_path, f"game.guesses={tmp_path}/one.txt", "game.rule=wordle")
    assert pq.read_table(outputs / "tree.parquet").num_rows == 1
    page = (outputs / "report.html").read_text()
    assert "<h1>Report of run</h1>" in page
    assert "The one opener considered." in page


def test_words_that_look_like_markup_or_paths(tmp_path: Path) -> None:
    words = ["[/b]", "[b]x", "../.", "<b>x", "a,b,", "\"'\\&"]
    (tmp_path / "odd.txt").write_text("\n".join(words))
    outputs, _ = ran(tmp_path, f"game.guesses={tmp_path}/odd.txt", "game.rule=wordle", "best=6")
    assert len(list(outputs.glob("trees/*/tree.html"))) == 5
    folders = {path.parent.name for path in outputs.rglob("tree.parquet")}
    assert folders <= {"run", "certificate", *map(folder_name, words)}
    ran(tmp_path, f"game.guesses={tmp_path}/odd.txt", "game.rule=wordle", "export.trees=0")


def test_folder_names_stay_inside() -> None:
    assert [folder_name(word) for word in ("salet", "größe", "../a", "..", "a/b")] == [
        "salet", "größe", "%2E%2E%2Fa", "%2E%2E", "a%2Fb",
    ]  # fmt: skip


def test_every_column_is_documented() -> None:
    text = (ROOT / "docs" / "formats.md").read_text()
    for schema in (table.SCHEMA, rank.SCHEMA, search.ROWS, aggregate.ROWS):
        for name in schema.names:
            assert f"`{name}`" in text, name


def test_the_schema_refuses_what_is_wrong(tmp_path: Path) -> None:
    outputs, _ = ran(tmp_path, "export.formats=[]", "export.report=false")
    sound = json.loads((outputs / "result.json").read_text())
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for wrong in ({"proven": False}, {"total": None}, {"total": 2.5}, {"scope": "some"}, {"more": 1}, {"lower": -1}):
        assert not validator.is_valid({**sound, **wrong}), wrong
    assert not validator.is_valid({key: value for key, value in sound.items() if key != "lower"})


def test_salet_in_all_formats_from_the_command_line(tmp_path: Path) -> None:
    """The tree of the pipeline is that of the solver, and the five best guesses are exact."""
    formats = f"export.formats=[{','.join(name for name in NAMES if name != 'dot')}]"
    finished(tmp_path, "+experiment=exact_opening", "openers=[salet]", "name=salet", "verify=none", formats)
    outputs = tmp_path / "outputs" / "salet"
    tree = read_tree(outputs / "tree.parquet", original())
    assert tree == salet()
    assert replayed(tree) == 7920
    readable = [name for name in NAMES if name not in ("dot", "html")]
    for name in readable:
        assert read_tree(outputs / NAMES[name], original()) == tree, name
    rows = [row for path in outputs.glob("aggregate-*/part-*") for row in pq.read_table(path).to_pylist()]
    best = {row["bucket"]: row["best"] for row in rows if row["node"] == 0}
    assert len(best) == 148
    solver = Solver(original())
    position = solver.bucket("salet", 0)
    for item in best[0]:
        assert solver.evaluate(item["guess"], answers=position).outcome.upper == item["total"]
    compared = finished(
        tmp_path,
        "+experiment=compare_trees",
        f"trees=[{','.join(str(outputs / NAMES[name]) for name in readable)}]",
    )
    assert compared.count("7,920") == len(readable)


def test_trees_that_differ(tmp_path: Path) -> None:
    for opener in ("11", "12"):
        finished(tmp_path, "+experiment=smoke", f"openers=[{opener}]", f"name=t{opener}", "export.formats=[csv]")
    trees = ",".join(f"outputs/t{opener}/tree.csv" for opener in ("11", "12"))
    said = finished(tmp_path, "+experiment=compare_trees", "game=toy", f"trees=[{trees}]")
    assert "24" in said
    assert "instead" in said
    wrong = finished(tmp_path, "+experiment=compare_trees", f"trees=[{trees}]", code=2)
    assert "error: outputs/t11/tree.csv: line 1: it should end in an answer" in wrong
    assert "give the files to compare" in finished(tmp_path, "+experiment=compare_trees", code=2)


def test_rank_correlations() -> None:
    values = np.array([3.0, 1.0, 1.0, 2.0])
    assert average_ranks(values).tolist() == [4, 1.5, 1.5, 3]
    one, other = np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])
    assert kendall(one, other) == pytest.approx(4 / 6)
    assert kendall(one, -one) == -1
    assert kendall(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(2 / np.sqrt(2 * 3))


def test_heuristics_need_enough_openers(tmp_path: Path) -> None:
    outputs, _ = ran(tmp_path, "export.formats=[]")
    assert "8 exact openers are known here; this needs 30." in (outputs / "report.html").read_text()
    sampled = ("game=mastermind", "game.guesses=mastermind:3x4", "sample=40", "export.formats=[]")
    outputs, _ = ran(tmp_path, *sampled)
    page = (outputs / "report.html").read_text()
    assert "Rank correlations over 40 openers with exact totals" in page
    assert len(word_list("mastermind:3x4").words) == 64
