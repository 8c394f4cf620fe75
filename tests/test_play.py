"""The helper at the terminal: every command as it is typed, and bad input of every kind."""

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from pipeline.config import built_game, shipped_game
from pipeline.game.game import words_digest
from pipeline.game.legality import Mode
from pipeline.game.rules import ResponseError, Rule
from pipeline.play.__main__ import main
from pipeline.play.advice import candidates, print_candidates
from pipeline.play.analysis import judged, luck_label, skill_label
from pipeline.play.exact import ExactValues, finished_root
from pipeline.play.helper import Helper
from pipeline.play.infer import achievable
from pipeline.play.notation import Clue, PlayError, read_clues
from pipeline.play.shown import print_game
from pipeline.play.tiles import upper
from pipeline.runtime.place import place_of
from pipeline.runtime.store import write_json
from pipeline.search.outcome import Position
from pipeline.search.solver import Solver
from pipeline.strategies.catalogue import STRATEGIES
from tests import naive
from tests.test_dialogue import dialogue_of

Typed = Callable[..., str]
WORDS = ["crane", "slate", "trace", "hatch", "watch", "match", "catch", "latch", "batch", "patch"]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """What a command prints, in a folder with a small list."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "words.txt").write_text("\n".join(WORDS))

    def run(*words: str, code: int = 0) -> str:
        assert main(list(words)) == code
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return printed.err if code else printed.out

    return run


SMALL = ("--guesses", "words.txt")


def test_score_and_filter(typed: Typed) -> None:
    assert typed("score", "dilly", "bigly") == "bgbgg\n"
    assert typed("score", "1122", "1213", "--game", "mastermind") == "1+2\n"
    assert typed("score", "dilly", "bigly", "--rule", "naive") == "bgygg\n"
    assert typed("filter", "salet.bbbyb", "drone.ybbbg") == "budge\nchide\nfudge\nguide\nhedge\njudge\nmidge\nwedge\n"
    assert typed("filter", "hatch.bgggg", *SMALL).split() == ["watch", "match", "catch", "latch", "batch", "patch"]


@pytest.mark.parametrize(
    "words",
    [
        ["salet.bbbyb", "drone.ybbbg"],
        ["salet.bbbyb.drone.ybbbg"],
        ["salet", "bbbyb", "drone", "ybbbg"],
        ["SALET:00010", "Drone/10002"],
        ["salet.---?-", "drone.?---+"],
        ["salet....?.", "drone.?...+"],
        ["salet ⬛⬛⬛🟨⬛ drone 🟨⬜⬜⬜🟩"],
        ["salet.⬛️⬛️⬛️🟨⬛️", "drone.🟨⬛️⬛️⬛️🟩"],
    ],
)
def test_any_usual_notation(words: list[str]) -> None:
    clues = [Clue("salet", 3), Clue("drone", 83)]
    assert read_clues(words, Rule.WORDLE, 5) == clues
    assert naive.wordle("salet", "budge") == 3
    assert naive.wordle("drone", "budge") == 83


def test_notation_of_pegs_and_of_other_lengths() -> None:
    assert read_clues(["1122.1+1", "1234", "0,2"], Rule.MASTERMIND, 4) == [Clue("1122", 6), Clue("1234", 2)]
    assert read_clues(["straße.bbbbbg"], Rule.WORDLE, 6) == [Clue("straße", 2)]
    assert read_clues([], Rule.WORDLE, 5) == []


@pytest.mark.parametrize(
    ("words", "rule", "says"),
    [
        (["salet"], Rule.WORDLE, "needs a response"),
        (["sale"], Rule.WORDLE, "needs a response"),
        (["salet.bbb"], Rule.WORDLE, "write 5 of b, y, g"),
        (["salet.bbbbx"], Rule.WORDLE, "write 5 of b, y, g"),
        (["salets.bbbbb"], Rule.WORDLE, "not a guess of 5 letters"),
        (["sal.bbbbb"], Rule.WORDLE, "5 letters"),
        (["1122.1+1"], Rule.MASTERMIND, "5 letters"),
        (["11223.gg"], Rule.MASTERMIND, "black"),
        (["11223.9+9"], Rule.MASTERMIND, "together at most 5"),
    ],
)
def test_bad_notation_is_told(words: list[str], rule: Rule, says: str) -> None:
    with pytest.raises((PlayError, ResponseError), match=says) as told:
        read_clues(words, rule, 5)
    assert isinstance(told.value, PlayError | ResponseError)


def test_suggest_shows_heuristics_and_exact_values(typed: Typed) -> None:
    text = typed("suggest", "salet.bbbyb", "drone.ybbbg", "--show", "3")
    assert "8 answers remain: budge chide fudge guide hedge judge midge wedge" in text
    assert "bijou  entropy" in text
    assert "Exactly best: whiff, bijou, fichu, hijab and 1 more: 2.1250 guesses on average from here" in text
    assert "(total 17), at most 3." in text
    assert "2.1250*" in text


def test_exact_second_guess_after_any_response(typed: Typed) -> None:
    """The demonstration of an older program, which took long for it."""
    text = typed("suggest", "soare.bybyb", "--show", "1")
    game = built_game(shipped_game("wordle"))[0]
    solver = Solver(game)
    outcome = solver.solve(solver.position("soare.bybyb"))
    assert f"(total {outcome.lower:,})" in text
    assert solver.evaluate("salet").outcome.lower / 2315 - 1 == pytest.approx(2.421166, abs=5e-7)


def test_bounds_are_below_exact_values() -> None:
    helper = Helper(built_game(shipped_game("wordle"))[0])
    turn = helper.turn(read_clues(["raise.bbbbb", "could.bgbbb"], Rule.WORDLE, 5))
    words = tuple(helper.game.answers[a] for a in turn.answers)
    solver = Solver(helper.game, helper.board.responses)
    for candidate in candidates(turn, 30):
        total = solver.evaluate(candidate.guess, answers=words, guesses_left=4).outcome.lower
        assert candidate.lower <= total


def test_the_first_guess_comes_from_a_finished_run(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "come from a finished run" in typed("suggest", "--show", "2")
    game = built_game(shipped_game("wordle"))[0]
    folder = tmp_path / "outputs" / "done"
    folder.mkdir(parents=True)
    digests = {"guesses_sha256": words_digest(game.guesses), "answers_sha256": words_digest(game.answers)}
    result = {
        "game": {**digests, "rule": "wordle"},
        "mode": "normal",
        "objective": "mean",
        "scope": "all",
        "max_guesses": 6,
        "proven": True,
        "total": 7920,
    }
    write_json(place_of(folder / "result.json"), result)
    outputs = place_of(tmp_path / "outputs")
    assert finished_root(game, Mode.NORMAL, outputs) is None  # without its table it is not finished
    rows = [("salet", 7920, "exact"), ("reast", 7923, "exact"), ("zzzzz", 7921, "beaten")]
    columns = dict(zip(("opener", "lower", "status"), map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), folder / "openers.parquet")
    assert "salet 3.4212* guesses on average, total 7,920" in typed("suggest", "--show", "2")
    assert "salet" in dialogue_of(Helper(game), [], monkeypatch, tmp_path / "outputs").partition("proven best by")[2]
    for mode in ("hard", "strict"):  # the run says nothing of other modes
        text = typed("suggest", "--show", "2", "--mode", mode)
        assert "proven" not in text
        assert f"plays in normal mode, not in {mode} mode" in text
        assert "proven" not in dialogue_of(Helper(game, Mode(mode)), [], monkeypatch, tmp_path / "outputs")
        text = typed("analyse", "salet", "drone", "crown", "--mode", mode, code=2)
        assert f"exact values, which are of normal mode only, not {mode}" in text
    write_json(place_of(folder / "result.json"), {**result, "max_guesses": 5})
    assert finished_root(game, Mode.NORMAL, outputs) is None
    (folder / "result.json").write_text("torn {")
    assert finished_root(game, Mode.NORMAL, outputs) is None


def test_other_modes_have_no_exact_values_but_say_so(typed: Typed) -> None:
    text = typed("suggest", "salet.bbbyb", "--mode", "hard")
    assert "plays in normal mode, not in hard mode" in text
    text = typed("suggest", "salet.bbbyb", "crony.bbbbb", "--mode", "hard")  # without the e that was shown
    assert "note: crony was not allowed in hard mode" in text


def test_show_plays_the_games_of_seed_004(typed: Typed) -> None:
    seed = ("--game", "wordle_answers", "--mode", "strict", "--rule", "naive", "--strategy", "expected_size")
    text = typed("show", "super", *seed)
    rows = [line.replace("│", " ").split() for line in text.splitlines() if "│" in line]
    assert [row[5:] for row in rows] == [
        ["ybbyy", "2,315", "61.001", "5.87791"],
        ["gbygb", "18", "2.6667", "3.03856"],
        ["gbygg", "5", "2.2", "1.37095"],
        ["gybgg", "3", "1.6667", "0.918296"],
        ["gbbgg", "2", "1", "1"],
        ["ggggg", "1", "1", "0"],
    ]
    assert "".join(rows[1][:5]) == "SHREW"
    assert typed("show", "1234", *seed) == typed("show", "mince", *seed)
    assert typed("show", "--seed", "5", *seed) == typed("show", "--seed", "5", *seed)
    primel = ("--game", "primel", "--mode", "strict", "--rule", "naive", "--strategy", "expected_size")
    assert "8,363" in typed("show", "43867", *primel)  # a word of digits is a word, not a number


def test_partition(typed: Typed) -> None:
    text = typed("partition", "slate", "--game", "wordle_answers")
    assert " ggbby    2  sleek sleep\n" in text
    assert "147 buckets of 2,315 answers; largest 221, expected size 71.5728" in text
    assert "bgggg    5  watch match latch batch patch" in typed("partition", "hatch", "crane.ybybb", *SMALL)


def test_analyse(typed: Typed) -> None:
    by_words = typed("analyse", "salet", "drone", "crown")
    assert by_words == typed("analyse", "salet.bbbbb", "drone.bggyb", "crown.ggggg")
    assert "3 guesses: the 2 of them that are judged cost 0.367 more than the best ones, and luck saved" in by_words
    assert "1 guess, of which none is judged." in typed("analyse", "crown")
    assert "The first guess is not judged: its exact value comes from a finished run: python -m pipeline" in by_words
    assert by_words == typed("analyse", "salet", "bbbbb", "drone", "bggyb", "crown", "ggggg")
    assert "not finished" not in by_words
    assert "The game is not finished: 6 answers remain." in typed("analyse", "hatch.bgggg", *SMALL)


def test_analyse_tells_a_guarantee_in_words(typed: Typed) -> None:
    """With six words that differ in one letter two guesses are not enough for all, but luck may do."""
    text = typed("analyse", "crane", "hatch", *SMALL, "--max-guesses", "3")
    assert "2 guesses: they cost" in text
    assert "regained the guarantee" in text
    assert "inf" not in text
    text = typed("analyse", "hatch", *SMALL)
    assert "1 guess: it cost" in text


def test_a_game_that_went_on_beyond_the_cap_has_nothing_more_to_lose() -> None:
    """Six words of which every guess tells one: five guesses are too few, and the answer is found with the sixth."""
    from tests.test_strategies import game_of

    words = ["bat", "cat", "fat", "hat", "mat", "rat"]
    game = replace(game_of(words), max_guesses=4)
    solver = Solver(game)
    for played in (6, 5):
        clues = [Clue(w, int(solver.responses[words.index(w), played - 1])) for w in words[:played]]
        turns = judged(game, solver, clues, None)
        assert [skill_label(turn.inaccuracy) for turn in turns] == ["perfect"] * played
        assert [turn.luck for turn in turns] == [0.0] * played
    turns = judged(game, solver, clues[:3] + clues[4:], None)
    assert turns[-1].luck == float("inf")  # found in time, though nobody could be sure of that


def test_guesses_that_lose_the_guarantee_are_told_from_those_not_computed() -> None:
    """Of cat bat hat mat after nothing, with two guesses left, only a guess that tells all apart is sure."""
    from tests.test_strategies import game_of

    game = game_of(["cat", "bat", "hat", "cbx", "zzz"], ["cat", "bat", "hat"])
    helper = Helper(game)
    turn = helper.turn([])
    found = candidates(turn, 10)
    exact = ExactValues(game, helper.board.responses, Position(game.answers, 2), ["cbx", "cat"])
    assert exact.wait(60)
    assert exact.unsafe == {"cat"}
    console = Console(record=True, width=120)
    print_candidates(console, turn, found, exact)
    rows = {line.split()[0]: line.split() for line in console.export_text().splitlines() if line.strip()}
    assert rows["cat"][1:4] == ["yes", "-", "-"]
    assert rows["bat"][1:4] == ["yes", "?", "?"]
    assert " ".join(rows["-"]) == "- with this guess not every answer can be found in the guesses left"
    assert " ".join(rows["?"]) == "? not computed yet"


def test_skill_and_luck_add_up() -> None:
    """What a game took is what was expected, plus what the guesses cost, less luck."""
    words = [a + b for a in "abcdef" for b in "vwxyz"]
    from tests.test_strategies import game_of

    game = game_of(words)
    solver = Solver(game)
    for guesses in (["av", "bw", "cx"], ["fz", "ez"], ["cx"], ["av", "aw", "ax", "ay", "az"]):
        answer = game.answers.index(guesses[-1])
        clues = [Clue(word, int(solver.responses[game.guesses.index(word), answer])) for word in guesses]
        turns = judged(game, solver, clues, None)
        total = turns[0].best + sum(turn.inaccuracy for turn in turns) - sum(turn.luck for turn in turns)
        assert total == pytest.approx(len(guesses), abs=1e-6)
        assert all(turn.inaccuracy >= 0 for turn in turns)


def test_labels() -> None:
    assert [skill_label(x) for x in (0.0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.5, float("inf"), float("nan"))] == [
        *("perfect", "excellent", "good", "fair", "weak", "poor", "blunder", "lost the guarantee", "unknown")
    ]
    assert [luck_label(x) for x in (-1.5, -1, -0.3, -0.1, 0.1, 0.3, 1, float("inf"))] == [
        *("very unlucky", "unlucky", "a bit unlucky", "as expected", "a bit lucky", "lucky", "very lucky"),
        "regained the guarantee",
    ]


def test_infer(typed: Typed, tmp_path: Path) -> None:
    beside = "Wordle 1,234 3/6*\nWordle (ES)  #45 4/6\nhttps://www.nytimes.com/games/wordle\n\n"
    grid = f"{beside}⬛🟩🟩🟩🟩\n🟩🟩🟩🟩🟩   # my own\nbgggg # 45 4/6\n"
    (tmp_path / "grids.txt").write_text(grid, "utf-8")
    text = typed("infer", "grids.txt", *SMALL)
    assert "3 rows, 2 of them distinct" in text
    assert "7 of 10 answers are possible:\nhatch watch match catch latch batch patch" in text
    assert "crane: no guess gives bgggg" in typed("infer", "grids.txt", "--answer", "crane", *SMALL)
    assert "watch: every row is possible" in typed("infer", "grids.txt", "--answer", "watch", *SMALL)
    (tmp_path / "odd.txt").write_text("bgggg\nggggy\n")
    text = typed("infer", "odd.txt", *SMALL)
    assert "ggggy (1x): impossible, no guess gives it to any answer" in text
    assert "no answer agrees with every row; these come nearest:\n  hatch: 1 at odds: ggggy" in text


def test_infer_equals_its_definition() -> None:
    game = built_game(shipped_game("wordle_answers"))[0]
    helper = Helper(game)
    rows = [0, 1, 80, 200, 242]
    fits = achievable(helper.board.responses, rows)
    for a in range(0, len(game.answers), 300):
        given = {naive.wordle(guess, game.answers[a]) for guess in game.guesses}
        assert [row in given for row in rows] == fits[:, a].tolist()


def test_own_lists_past_answers_and_other_scripts(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "past.txt").write_text("watch\nmatch\n")
    left = typed("filter", "hatch.bgggg", *SMALL, "--without", "past.txt", "--without", "Catch").split()
    assert left == ["latch", "batch", "patch"]
    (tmp_path / "spanish.txt").write_text("sueño\ndueño\ncañon\npaños\nleños\n", "utf-8")
    assert typed("filter", "sueño.bgggg", "--guesses", "spanish.txt").split() == ["dueño"]
    assert "Exactly best" in typed("suggest", "sueño.bgggg", "--guesses", "spanish.txt")
    assert "SUEÑO" in typed("show", "leños", "--guesses", "spanish.txt").replace(" ", "")
    assert "8 letters" in typed("suggest", "1+2+3=6", "--game", "nerdle", code=2)


def test_a_guess_outside_the_list_is_taken_as_it_comes(typed: Typed) -> None:
    assert typed("filter", "zhtch.bbggg", *SMALL).split() == ["watch", "match", "catch", "latch", "batch", "patch"]
    text = typed("suggest", "wwwww.gbbbb", *SMALL)
    assert "1 answer remains: watch" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["suggest", "crane.bbbbb", "crane.ggggg"], "without crane bbbbb: 1 left (crane)"),
        (["suggest", "crane.ggggy"], "no answer at all gives this response; mistyped?"),
        (["suggest", "crane.bbbbb", "slate.bgbbb", *SMALL], "No answer of the list agrees with all these clues."),
        (["suggest", "--game", "wrdle"], "did you mean wordle?"),
        (["suggest", "--guesses", "nowhere.txt"], "nowhere.txt: no such file"),
        (["suggest", "--mode", "hard", "--game", "mastermind"], "hard mode speaks of letters shown"),
        (["show", "zzzzz"], "'zzzzz' is not in the answer list"),
        (["show", "supper"], "'supper' has 6 letters; the words of this game have 5"),
        (["show", "0"], "numbered from 1"),
        (["show", "9999"], "there are 2,315 answers, numbered from 1"),
        (["show", "1122", "--game", "mastermind", "--strategy", "schedule"], "count pegs; try entropy"),
        (["partition", "slat"], "'slat' has 4 letters"),
        (["partition", "slaet"], "'slaet' is not in the guess list; did you mean"),
        (["score", "ab", "abc"], "'ab' has 2 letters"),
        (["analyse"], "give a game"),
        (["analyse", "salet", "aahed"], "'aahed' is not in the answer list"),
        (["analyse", "zzzzz", "drone", "crown"], "'zzzzz' is not in the guess list"),
        (["analyse", "zzzzz.bbbbb", "drone.bggyb"], "'zzzzz' is not in the guess list"),
        (["analyse", "crown", "crown", "crown"], "crown is the answer, found with guess 1; leave out what follows"),
        (["analyse", "crown.ggggg", "drone.bggyb"], "crown is the answer, found with guess 1"),
        (["filter", "--without", "nowhere.txt"], "--without nowhere.txt: neither a file nor a word of 5 letters"),
        (["filter", *SMALL, "--answers", "more.txt"], "1 answers are not in words.txt: zzzzz; add them there, or give"),
        (["infer", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["infer", "words.txt"], "words.txt, line 1: 'crane' is not a response"),
        (["infer", "empty.txt"], "no responses; give one a line"),
        (["filter", "crane.bbbbb", *SMALL, "--without", "words.txt"], "--without leaves no answers"),
        (["filter", "salet.bbbbbb"], "'bbbbbb' has 6 marks; a response has 5, as in salet.bbbyb"),
        (["filter", "salet.bbbbb.drone.bbbbbb"], "'bbbbbb' has 6 marks"),
        (["filter", "1122.1+1x", "--game", "mastermind"], "'1+1x' is not a response"),
        (["filter", "--guesses", ""], "'': a folder; give a path"),
    ],
)
def test_bad_input_is_one_clear_line_and_exits_with_2(
    typed: Typed, tmp_path: Path, words: list[str], says: str
) -> None:
    (tmp_path / "empty.txt").write_text("# nothing yet\n")
    (tmp_path / "more.txt").write_text("crane\nzzzzz\n")
    text = typed(*words, code=2)
    assert text.startswith("error: ")
    assert says in text


@pytest.mark.parametrize("words", [["--show", "0"], ["--seconds", "-1"], ["--max-guesses", "-1"], ["--show", "many"]])
def test_numbers_out_of_range_are_told(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["suggest", *words])
    assert ended.value.code == 2
    assert f"argument {words[0]}: " in capsys.readouterr().err


def test_a_guess_that_may_be_mistyped_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["filter", "slaet.bbbbb", "drone.bggyb"]) == 0
    printed = capsys.readouterr()
    assert "note: slaet is not in the guess list; did you mean splat or " in printed.err
    assert "crown" in printed.out.split()


def test_a_last_sigma_is_the_same_letter_in_upper_case(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "greek.txt").write_text("λόγος\nνόμος\nφύσις\n", encoding="utf-8")  # noqa: RUF001
    for words in (["λόγος.bbbbg"], ["ΛΌΓΟΣ.bbbbg"], ["ΛΌΓΟΣ", "bbbbg"], ["ΛΌΓΟΣ.BBBBG"]):
        assert typed("filter", "--guesses", "greek.txt", *words) == "φύσις\n"
    game = built_game(replace(shipped_game("wordle"), guesses=str(tmp_path / "greek.txt"), answers=None))[0]
    assert Solver(game).position("ΛΌΓΟΣ.bbbbg").answers == ("φύσις",)


def test_letters_that_would_look_alike_stay_as_they_are() -> None:
    assert [upper(letter) for letter in "aäıσςßİ7ж"] == list("AÄıΣςßİ7Ж")  # noqa: RUF001


def test_beyond_the_last_guess_exact_values_are_shown_and_it_is_said(typed: Typed) -> None:
    text = typed("suggest", "hatch.bgggg", "watch.bgggg", *SMALL, "--max-guesses", "2")
    assert "the 2 guesses of this game are played; these values need more" in text


@pytest.mark.parametrize("width", [40, 60, 80])
def test_words_are_whole_on_narrow_terminals(width: int) -> None:
    helper = Helper(built_game(shipped_game("wordle"))[0])
    console = Console(record=True, width=width, file=io.StringIO())
    turn = helper.turn([])
    found = candidates(turn, 5)
    print_candidates(console, turn, found, None)
    print_game(console, helper.board, STRATEGIES["entropy"], helper.known_answer("crown"))
    text = console.export_text()
    assert "…" not in text
    assert all(candidate.guess in text for candidate in found)
    assert ("on a wider terminal" in text) == (width < 80)


def test_answers_outside_the_guesses_may_join_them(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("crane\nzzzzz\n")
    assert typed("filter", *SMALL, "--answers", "more.txt", "--add-answers").split() == ["crane", "zzzzz"]


def test_notes_are_beside_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "upper.txt").write_text("CRANE\nSLATE\n")
    assert main(["filter", "--guesses", "upper.txt", "--without", "slate", "--without", "zzzzz"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "crane\n"
    assert "folded to lower case" in printed.err
    assert "note: not in the answer list anyway: zzzzz" in printed.err


@pytest.mark.parametrize("command", ["filter", "partition slate"])
def test_a_reader_that_has_seen_enough(command: str) -> None:
    """More than a pipe holds, and nobody reads it."""
    script = f"set -o pipefail; {sys.executable} -m pipeline.play {command} --answers original_guesses.txt | head -1"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr, len(ran.stdout.splitlines())) == (0, "", 1)


def test_exact_values_can_be_stopped() -> None:
    """A position that takes minutes ends soon after it is told to."""
    game = built_game(shipped_game("mastermind"))[0]
    helper = Helper(game)
    exact = ExactValues(game, helper.board.responses, Position(game.answers, None), ["1122"])
    assert not exact.wait(1.0)
    exact.stop()
    assert exact.is_ready
    assert exact.error is None
