"""The helper as a dialogue: whole sessions, with everything that people mistype."""

import io
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.config import built_game, shipped_game
from pipeline.game.game import words_digest
from pipeline.game.rules import Rule
from pipeline.play.helper import Helper
from pipeline.play.interactive import Dialogue
from pipeline.play.notation import Clue, PlayError, some_response
from pipeline.play.options import Options
from pipeline.runtime.place import place_of

WORDS = ["crane", "slate", "trace", "hatch", "watch", "match", "catch", "latch", "batch", "patch"]


def test_the_help_of_a_small_game_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in range(1, 6):
        for rule in (Rule.MASTERMIND, Rule.WORDLE):
            rule.parse(some_response(rule, length), length)
    assert some_response(Rule.MASTERMIND, 4) == "1+2"
    game = built_game(replace(shipped_game("mastermind"), guesses="mastermind:2x3"))[0]
    text = dialogue_of(Helper(game), [], monkeypatch)
    assert "  1+0                the response to the proposed guess\n" in text
    assert "  11 1+0             you played another word" in text


def dialogue(lines: Iterable[str], monkeypatch: pytest.MonkeyPatch, *words: str, exact: bool = True) -> str:
    """A whole session: what was typed and what was answered. It ends with the input."""
    from tests.test_strategies import game_of

    return dialogue_of(Helper(game_of(list(words) or WORDS)), lines, monkeypatch, exact=exact)


def dialogue_of(
    helper: Helper,
    lines: Iterable[str],
    monkeypatch: pytest.MonkeyPatch,
    outputs: Path = Path("none"),
    exact: bool = True,
) -> str:
    waiting = iter(lines)

    def typed_line(prompt: str = "") -> str:
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", typed_line)
    console = Console(record=True, width=100, force_terminal=False, file=io.StringIO())
    Dialogue(helper, console, Options(exact, 30, 5, place_of(outputs))).run()
    return console.export_text()


def test_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dialogue(["hatch bgggg", "exact", "all", "list", "undo", "word crane", "02000", "new", "quit"], monkeypatch)
    assert "6 answers remain: watch match catch latch batch patch" in text
    assert "took back hatch bgggg" in text
    assert "Exactly best:" in text
    assert "entropy" in text


def test_a_session_with_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "",
        "?",
        "nonsense",
        "gggggggg",
        "ggggy",
        "hatch ggggy",
        "undo",
        "word toolong",
        "hatch bgggg",
        "crane bbbbb",
    ]
    text = dialogue([*lines, "watch ggggg", "q"], monkeypatch, exact=False)
    assert "type the response to" in text
    assert "no answer at all gives this response; mistyped?" in text
    assert "there is nothing to take back" in text
    assert "'toolong' has 7 letters" in text
    assert "without crane bbbbb: 6 left" in text
    assert "This clue was not taken." in text
    assert "Found watch with 2 guesses" in text


def test_an_answer_at_odds_with_a_clue_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dialogue(["hatch bgggg", "crane ggggg"], monkeypatch, exact=False)
    assert "note: hatch bgggg was mistyped, if that is the answer: bybyb would be right" in text


def test_a_word_outside_the_lists_ends_a_session_well(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dialogue(["dutch ggggg"], monkeypatch, exact=False)
    assert "Found dutch (it is not in the answer list) with 1 guess." in text


@pytest.mark.parametrize("back", ["undo", "new", "catch ggggg"])
def test_a_word_outside_the_list_is_forgotten_with_its_clue(back: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """mwclb would tell all of them apart, so it would be proposed if it stayed."""
    words = ["hatch", "watch", "match", "catch", "latch", "batch"]
    text = dialogue(["mwclb bbbbg", "mwclb bbybb", back, "all"], monkeypatch, *words)
    assert "This clue was not taken." in text
    told = re.sub("(took back|note:) mwclb.*", "", text.partition("This clue was not taken.")[2])
    assert "mwclb" not in told


def test_a_rejected_word_does_not_change_the_game() -> None:
    from tests.test_strategies import game_of

    helper = Helper(game_of(WORDS))
    digest = words_digest(helper.game.guesses)
    for clue in (Clue("zzzzz", 242), Clue("zzzzz", 0)):
        assert helper.illegal([clue]) == []
        if clue.response:
            with pytest.raises(PlayError, match="no answer at all gives this response"):
                helper.turn([clue])
        else:
            assert len(helper.turn([clue]).answers) == len(WORDS)
    assert words_digest(helper.game.guesses) == digest
    assert helper.turn([]).board.game is helper.game
