"""Every export replayed by the naive twin, every reader against every writer, and files that are wrong or hostile."""

import csv
import io
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.export import csv_tree, domsleee, dot, explorer, json_tree, olson, plots, table, text
from pipeline.export.explorer import Known
from pipeline.export.page import json_in_script
from pipeline.export.reading import MAX_BYTES, read_tree
from pipeline.game.game import Game, make_game
from pipeline.game.rules import Rule
from pipeline.game.tree import Tree, TreeError
from pipeline.game.words import WordList
from pipeline.search.solver import Solver
from tests import naive
from tests.test_search_stage import games
from tests.test_tree import salet

UNKNOWN = Known([("salet", 7920)], "Other openers: unknown.", {})


def letters(code: int, symbols: str) -> str:
    return "".join(symbols[code // 3**i % 3] for i in (4, 3, 2, 1, 0))


def played(guess_of: Callable[[Any], str], node: Any, following: Callable[[Any, int], Any]) -> int:
    """The total of a strategy as it stands in an export: a root, the guess of a node, the node after a response."""
    total = 0
    for answer in salet().game.answers:
        here = node
        for _ in range(6):
            total += 1
            if guess_of(here) == answer:
                break
            here = following(here, naive.wordle(guess_of(here), answer))
        else:
            raise AssertionError(f"{answer} is not found in six guesses")
    return total


def json_total(content: str) -> int:
    return played(lambda n: n["guess"], json.loads(content)["tree"], lambda n, r: n["next"][letters(r, "byg")])


def olson_total(content: str) -> int:
    def guess(node: Any) -> str:
        return str(node if isinstance(node, str) else node["guess"])

    return played(guess, json.loads(content), lambda n, r: n["map"][letters(r, "012")])


def domsleee_total(content: str) -> int:
    return played(lambda n: n["guess"], json.loads(content), lambda n, r: n["next"][letters(r, "_?+")])


def lines_total(lines: list[list[str]]) -> int:
    """Games line by line: what follows the same guesses and responses must be the same guess."""
    following: dict[tuple[str, ...], str] = {}
    for line in lines:
        history: tuple[str, ...] = ()
        for guess in line:
            assert following.setdefault(history, guess) == guess
            history = (*history, guess, letters(naive.wordle(guess, line[-1]), "BYG"))
    assert sorted(line[-1] for line in lines) == sorted(salet().game.answers)
    start: tuple[str, ...] = ()
    return played(lambda h: following[h], start, lambda h, r: (*h, following[h], letters(r, "BYG")))


def csv_total(content: str) -> int:
    return lines_total([line.split(",") for line in content.splitlines()])


def txt_total(content: str) -> int:
    lines, last = [], ""
    for given_line in content.splitlines():
        blank = len(given_line) - len(given_line.lstrip())
        last = last[:blank] + given_line[blank:]
        words = last.split(" ")
        guesses = words[::2]
        wanted = [f"{letters(naive.wordle(g, guesses[-1]), 'BYG')}{turn}" for turn, g in enumerate(guesses, 1)]
        assert words[1::2] == wanted
        lines.append(guesses)
    return lines_total(lines)


def rows_total(parents: list[int], responses: list[int], guesses: list[str]) -> int:
    below = {(parent, response): i for i, (parent, response) in enumerate(zip(parents, responses, strict=True))}
    return played(lambda node: guesses[node], 0, lambda node, r: below[node, r])


def html_total(content: str) -> int:
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)
    data = json.loads(block)
    return rows_total(data["parents"], data["responses"], data["guesses"])


def dot_total(content: str) -> int:
    guesses = [name for _, name in re.findall(r'^  n(\d+) \[label="(\w+)', content, re.MULTILINE)]
    edges = re.findall(r'^  n(\d+) -> n(\d+) \[label="(\w+)"\]', content, re.MULTILINE)
    below = {(int(parent), response): int(node) for parent, node, response in edges}
    return played(lambda node: guesses[node], 0, lambda node, r: below[node, letters(r, "byg")])


@pytest.mark.parametrize(
    ("content", "total"),
    [
        (lambda: json_tree.write(salet()), json_total),
        (lambda: olson.write(salet()), olson_total),
        (lambda: domsleee.write(salet()), domsleee_total),
        (lambda: csv_tree.write(salet()), csv_total),
        (lambda: text.write(salet()), txt_total),
        (lambda: text.write(salet(), hollow=False, order="gyb"), txt_total),
        (lambda: explorer.write(salet(), UNKNOWN), html_total),
        (lambda: dot.write(salet()), dot_total),
    ],
    ids=["json", "olson", "domsleee", "csv", "txt", "txt-full", "html", "dot"],
)
def test_every_export_of_salet_totals_7920(content: Callable[[], str], total: Callable[[str], int]) -> None:
    assert total(content()) == 7920


def test_the_table_of_salet_totals_7920() -> None:
    rows = table.table(salet())
    assert rows.schema.equals(table.SCHEMA)
    assert rows_total(*(rows[name].to_pylist() for name in ("parent", "response", "guess"))) == 7920
    assert (rows["total"][0].as_py(), sum(rows["is_leaf"].to_pylist())) == (7920, sum(not b for b in salet().below))


def test_the_text_is_what_others_write() -> None:
    lines = text.write(salet()).splitlines()
    assert lines[0] == "salet BBBBB1 courd BBBBB2 nymph BBBBY3 whiff GGGGG4"
    assert lines[1] == "                                BGYYB3 pygmy GGGGG4"
    assert (len(lines), "" in lines) == (2315, False)
    full = text.write(salet(), hollow=False).splitlines()
    assert full[1] == "salet BBBBB1 courd BBBBB2 nymph BGYYB3 pygmy GGGGG4"


def test_olson_counts() -> None:
    root = json.loads(olson.write(salet()))
    counts = [salet().histogram().get(turn, 0) for turn in range(1, salet().worst + 1)]
    assert (root["depth"], root["ranking"]["counts"]) == (len(counts) - 1, counts)


WRITERS = {
    "a.json": json_tree.write,
    "b.json": olson.write,
    "c.json": domsleee.write,
    "d.csv": csv_tree.write,
    "e.txt": text.write,
    "f.tree": lambda tree: text.write(tree, False, "ygb"),
    "g.js": lambda tree: olson.PREFIX + olson.write(tree),
}


def written(folder: Path, tree: Tree) -> list[Path]:
    for name, write in WRITERS.items():
        if tree.game.rule.marks_letters or name not in ("b.json", "c.json", "g.js"):
            (folder / name).write_text(write(tree), "utf-8")
    pq.write_table(table.table(tree), folder / "h.parquet")
    return sorted(folder.iterdir())


def test_every_reader_returns_the_same_tree(tmp_path: Path) -> None:
    paths = written(tmp_path, salet())
    assert len(paths) == 8
    for path in paths:
        assert read_tree(path, salet().game) == salet(), path.name


@settings(deadline=None, max_examples=25)
@given(games(), st.data())
def test_readers_and_writers_on_small_games(game: Game, data: st.DataObject) -> None:
    solver = Solver(game, table_mib=1)
    guess = data.draw(st.sampled_from(game.guesses))
    if not solver.evaluate(guess).outcome.is_exact or solver.evaluate(guess).outcome.upper >= 10**6:
        return
    tree = Tree.of(game, solver.expand(guess=guess))
    for read, write in ((json_tree.read, json_tree.write), (csv_tree.read, csv_tree.write), (text.read, text.write)):
        assert read(game, write(tree)) == tree
    assert text.read(game, text.write(tree, False, "ygb")) == tree
    assert table.from_table(game, table.table(tree)) == tree
    if game.rule.marks_letters:
        assert olson.read(game, olson.write(tree)) == tree
        assert domsleee.read(game, domsleee.write(tree)) == tree


# What is wrong: each differs from a sound file in one thing.

TOY = make_game(*[WordList(("ab", "ba", "aa"), "w")] * 2, Rule.WORDLE, 3)
TREE = Tree.of(TOY, Solver(TOY, table_mib=1).expand(guess="ab"))
JSON, OLSON, DOM, CSV, TXT = (module.write(TREE) for module in (json_tree, olson, domsleee, csv_tree, text))


def changed(content: str, old: str, new: str) -> str:
    assert old in content, (old, content)
    return content.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", changed(JSON, '"guess":"aa"', '"guess":"zz"'), "'zz' is not in the guess list"),
        ("a.json", changed(JSON, '"gb":{', '"gy":{'), "no guess here, though aa is left"),
        ("a.json", changed(JSON, '"gb":{', '"g":{'), "'g' is not a response"),
        ("a.json", changed(JSON, '"total":5', '"total":4'), "states a total of 4, but its tree has 5"),
        ("a.json", changed(JSON, "tree 1", "tree 2"), "is not 'wordle-pipeline tree 1'"),
        ("a.json", JSON[: len(JSON) // 2], "no JSON"),
        ("a.json", changed(JSON, '"total":5', '"total":NaN'), "NaN is no JSON"),
        ("a.json", changed(JSON, '"total":5', f'"total":{"9" * 5000}'), "no JSON"),
        ("a.json", changed(JSON, '{"guess":"aa"}', "[]"), "an object with 'guess' should be here"),
        ("a.json", changed(JSON, '"guess":"aa"', '"guess":["aa"]'), "'guess' should be str"),
        ("a.json", "{}", "'next' should be dict"),
        ("a.json", "", "line 1"),
        ("a.json", '{"guess":"ab","next":{"yy":' * 100_000, "nested too deeply|no JSON"),
        ("a.json", '{"guess":"ab","map":{"11":' * 50_000 + '"ba"' + "}}" * 50_000, "nested too deeply"),
        (
            "a.json",
            changed(JSON, '"answers":3,"total":5,"next"', '"answers":2,"total":5,"next"'),
            "ab: 'answers' is '2'",
        ),
        ("a.json", changed(JSON, '"answers":3,"total":5,"next"', '"answers":3,"total":7,"next"'), "ab: 'total' is '7'"),
        ("a.json", changed(JSON, '"answers":3,"total":5,"tree"', '"answers":4,"total":5,"tree"'), "'answers' is '4'"),
        ("a.json", changed(JSON, '"rule":"wordle"', '"rule":"naive"'), "'rule' is 'naive', but 'wordle' in this game"),
        ("a.json", changed(JSON, '"answers_sha256":"', '"answers_sha256":"f'), "'answers_sha256' is 'f"),
        ("a.json", changed(JSON, '"guesses_sha256":', '"guesses":'), "'guesses_sha256' should be str"),
        ("a.json", changed(JSON, '"guess":"aa"', '"guess":"\\u001b[31m"'), r"'\\x1b\[31m' is not in the guess list"),
        (
            "b.json",
            changed(OLSON, '"22":"ab"', '"22":{"guess":"ab","map":{"00":"aa"}}'),
            "this is solved, .* not a dict",
        ),
        ("b.json", changed(OLSON, '"22":"ab"', '"22":"ba"'), "ab 22: this is solved, so the guess should be here"),
        ("b.json", changed(OLSON, ',"22":"ab"', ""), "ab: the solved response is missing"),
        ("c.json", changed(DOM, '"++":{"guess":"ab"', '"++":{"guess":"ba"'), "only the guess should be here"),
        ("c.json", changed(DOM, ',"++":{"guess":"ab","next":{}}', ""), "ab: the solved response is missing"),
        ("d.csv", changed(CSV, "ab,ba", "ab,,ba"), "line 2: an empty cell as guess 2"),
        ("d.csv", changed(CSV, "ab,ba", "ab,\x1b[31m"), r"line 2: it should end in an answer, not '\\x1b\[31m'"),
        ("e.txt", changed(TXT, "ba GG2", "ba \x1b[31m2"), r"'\\x1b\[31m' is not a response"),
        ("b.json", changed(OLSON, '"ba"', '"<script>"'), "'<script>' is not in the guess list"),
        ("b.json", changed(OLSON, '"11":"ba",', ""), "no guess here, though ba is left"),
        ("b.json", changed(OLSON, '"map"', '"mop"'), "'next' should be dict|'map' should be dict"),
        ("c.json", changed(DOM, '"??"', '"?x"'), "'\\?x' is not a response"),
        ("c.json", changed(DOM, '"guess":"ba"', '"guess":"ab"'), "no guess here|no answer is left|more than"),
        ("d.csv", changed(CSV, "ab,ba", "ab,ba,ba"), "ba: guessed as number 2, but its line goes on"),
        ("d.csv", changed(CSV, "ab,ba\n", ""), "1 answers have no game, first ba"),
        ("d.csv", CSV + "ab,ba\n", "ba has a game already"),
        ("d.csv", changed(CSV, "ab,ba", "aa,ba"), "look alike at guess 1, but are played differently"),
        ("d.csv", changed(CSV, "ab,ba", "ab,zz"), "it should end in an answer"),
        ("d.csv", changed(CSV, "ab,ba", 'ab,"ba'), "no comma-separated lines|should end in an answer"),
        ("e.txt", changed(TXT, "ba GG2", "ba GG3"), "'GG3' should end in 2"),
        ("e.txt", changed(TXT, "ba GG2", "ba GB2"), "which is not solved"),
        ("e.txt", "\n" + TXT, "line 1: '' is not `guess RESPONSE1"),
        ("e.txt", "      " + TXT, "line 1: 6 blanks"),
        ("e.txt", TXT + "ab YY1 ba GG2\n", "'ba' is found twice"),
        ("e.txt", TXT + "ab YY1 aa GG2\n", "'aa' is guessed where an earlier line has 'ba'"),
        ("e.txt", TXT + "ab GG1 ab GG2\n", "a guess after the solved response"),
        ("e.txt", "\n".join(TXT.splitlines()[:-1]), "no guess here"),
        ("e.txt", "<script>alert(1)</script> GG1\n", "not in the guess list"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, name: str, content: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    with pytest.raises(TreeError, match=says) as caught:
        read_tree(path, TOY)
    assert str(caught.value).startswith(f"{path}: ")


WORD = "\x1b" + "z" * 100_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", changed(JSON, '"guess":"aa"', f'"guess":"{WORD[1:]}"')),
        ("a.json", changed(JSON, "tree 1", WORD[1:])),
        ("a.json", changed(JSON, '"gb":{', f'"{WORD[1:]}":{{')),
        ("a.json", changed(JSON, '{"guess":"aa"}', f'["{WORD[1:]}"]')),
        ("b.json", changed(OLSON, '"22":"ab"', f'"22":"{WORD[1:]}"')),
        ("d.csv", changed(CSV, "ab,ba", f"ab,{WORD}")),
        ("d.csv", changed(CSV, "ab,ba", f"{WORD},ba")),
        ("e.txt", changed(TXT, "ba GG2", f"{WORD} GG2")),
        ("e.txt", changed(TXT, "ba GG2", f"ba {WORD}2")),
        ("e.txt", changed(TXT, "ba GG2", f"ba {WORD}")),
        ("e.txt", TXT + f"ab YY1 {WORD} GG2\n"),
        ("e.txt", TXT + f"ab GG1 {WORD} GG2\n"),
        ("e.txt", WORD),
    ],
)
def test_messages_quote_little_and_nothing_that_a_terminal_obeys(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    with pytest.raises(TreeError) as caught:
        read_tree(path, TOY)
    said = str(caught.value).removeprefix(str(path))
    assert len(said) < 250
    assert said.isprintable()


def test_endings_may_be_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "A.CSV").write_text(CSV)
    (tmp_path / "B.TXT").write_text(TXT)
    pq.write_table(table.table(TREE), tmp_path / "C.PARQUET")
    for path in tmp_path.iterdir():
        assert read_tree(path, TOY) == TREE, path.name


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", Path("/dev/zero"), tmp_path):
        with pytest.raises(TreeError, match="not a regular file"):
            read_tree(path, TOY)


def unpacked(*arguments: Any, **options: Any) -> None:
    raise AssertionError("it was unpacked")


def repeated(count: int, word: str = "ab") -> pa.Table:
    """A table with the columns of a tree and as many equal rows."""
    rows = table.table(TREE).slice(0, 1)
    rows = rows.set_column(3, table.SCHEMA.field("guess"), pa.array([word]))
    return rows.take(pa.array([0] * count))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (repeated(10), "10 rows are too many for a tree of this game; at most 9"),
        (repeated(3, "z" * 200_000), "bytes are too many for 3 rows of a tree"),
        (repeated(3).append_column("more", pa.array([1, 2, 3])), "the columns are not those of a tree"),
    ],
)
def test_a_hostile_table_is_not_even_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: pa.Table, says: str
) -> None:
    pq.write_table(rows, tmp_path / "a.parquet", compression="zstd")
    monkeypatch.setattr(pq.ParquetFile, "read", unpacked)
    monkeypatch.setattr(pq, "read_table", unpacked)
    with pytest.raises(TreeError, match=says):
        read_tree(tmp_path / "a.parquet", TOY)


def test_words_of_a_table_are_looked_at_once_each(tmp_path: Path) -> None:
    pq.write_table(repeated(3, "z" * 5000), tmp_path / "a.parquet")
    with pytest.raises(TreeError, match=r"'z{40}'\.\.\. is not in the guess list"):
        read_tree(tmp_path / "a.parquet", TOY)


def test_a_corrupt_table_says_so(tmp_path: Path) -> None:
    pq.write_table(table.table(TREE), tmp_path / "a.parquet", compression="zstd")
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[4:60] = b"\xff" * 56
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(TreeError, match=r"no Parquet file: .*[a-z]{4}") as caught:
        read_tree(tmp_path / "a.parquet", TOY)
    assert "None" not in str(caught.value)


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.write(b"[" * 1000)
        file.truncate(100 * 2**20)  # 100 MiB, of which none is read
    with pytest.raises(TreeError, match=f"too many for a tree; at most {MAX_BYTES:,}"):
        read_tree(huge, TOY)
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TreeError, match="not UTF-8"):
        read_tree(tmp_path / "binary.txt", TOY)
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(TreeError, match="no Parquet file"):
        read_tree(tmp_path / "torn.parquet", TOY)
    with pytest.raises(TreeError, match="cannot be read"):
        read_tree(tmp_path / "missing.json", TOY)


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("parent", [-1, 0, 2], "parents before children"),
        ("parent", [-1, 2, 1], "parents before children"),
        ("total", [4, 1, 1], "column total is not what its tree gives"),
        ("turn", [1, 2, 3], "column turn is not"),
        ("answers", [3, 1, 2], "column answers is not"),
        ("is_leaf", [True, True, True], "column is_leaf is not"),
    ],
)
def test_a_wrong_table_is_refused(column: str, value: list[Any], says: str) -> None:
    rows = table.table(TREE)
    place = table.SCHEMA.get_field_index(column)
    field = table.SCHEMA.field(column)
    with pytest.raises(TreeError, match=says):
        table.from_table(TOY, rows.set_column(place, field, pa.array(value, field.type)))
    with pytest.raises(TreeError, match="the columns are not those of a tree"):
        table.from_table(TOY, rows.drop_columns([column]))


# Words may hold anything that is no space.

ODD = ("<script>", "</style>", "a,b\"c'd\\", "&lt;b&gt", "]]>;--><", "%s%n{}[]", "\\n\\t\\l\\")


def odd_tree() -> Tree:
    words = WordList(tuple(word.ljust(8, "x") for word in ODD), "odd")
    game = make_game(words, words, Rule.WORDLE, None)
    return Tree.of(game, Solver(game, table_mib=1).expand())


def test_odd_words_survive_every_format(tmp_path: Path) -> None:
    tree = odd_tree()
    for path in written(tmp_path, tree):
        assert read_tree(path, tree.game) == tree, path.name
    assert [row[-1] for row in csv.reader(io.StringIO(csv_tree.write(tree)))] == list(tree.game.answers)


def test_a_key_that_is_there_twice_is_refused() -> None:
    tree = odd_tree()
    text = json_tree.write(tree)
    key = re.search(r'"next":{("[^"]*"):', text)
    assert key
    at = key.start(1)
    with pytest.raises(TreeError, match="is there twice"):
        json_tree.read(tree.game, f'{text[:at]}{key[1]}:{{"guess":"zzzz"}},{text[at:]}')


def test_odd_words_end_neither_script_nor_string() -> None:
    tree = odd_tree()
    known = Known([(tree.root.guess, tree.total)], "Other openers: unknown.", {0: [("<script>", 3)]})
    page = explorer.write(tree, known)
    assert page.count("<script") == page.count("</script>") == 2
    assert page.count("</style>") == 1
    assert json.loads(json_in_script(["</script><!--\u2028"])) == ["</script><!--\u2028"]
    for line in dot.write(tree).splitlines()[4:-1]:
        assert re.fullmatch(r'  n\d+( -> n\d+)? \[label="([^"\\]|\\["\\])*"(, style=bold)?\];', line), line


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_graphviz_draws_what_it_is_given() -> None:
    pictures = dot.drawn(dot.write(odd_tree()))
    assert list(pictures) == ["svg", "pdf"]
    assert pictures["pdf"].startswith(b"%PDF")
    assert b"<script" not in pictures["svg"]
    assert b"&lt;script&gt;" in pictures["svg"]


def test_without_graphviz_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert dot.drawn(dot.write(odd_tree())) == {}


def test_the_page_loads_nothing_and_is_small() -> None:
    page = explorer.write(salet(), UNKNOWN)
    assert len(page.encode()) < 1_500_000
    assert "default-src 'none'" in page
    assert not re.findall(r"https?://|src=|@import|url\(", page)


def test_plots_take_their_colours_from_the_page() -> None:
    svg = plots.histogram({2: 5, 3: 7}) + plots.distribution([3, 4, 4], "lower")
    assert "currentColor" in svg
    assert "var(--bar)" in svg
    assert plots.INK not in svg
    assert "<metadata" not in svg
    ids = re.findall(r'id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
