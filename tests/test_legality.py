"""Hard and strict mode: cases that people argued about, and random games against the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.game.game import Game, make_game
from pipeline.game.legality import Legality, Mode, ModeError
from pipeline.game.rules import Rule, response_rows
from pipeline.game.words import WordList
from tests import naive

words = st.lists(st.text("abc", min_size=3, max_size=3), min_size=2, max_size=12, unique=True)


def game_of(guesses: list[str], rule: Rule = Rule.WORDLE) -> Game:
    listed = WordList(tuple(guesses), "test")
    return make_game(listed, listed, rule)


def is_allowed(word: str, *history: str, mode: Mode = Mode.HARD) -> bool:
    """After a history such as "serve.bybbg"."""
    played = [step.split(".") for step in history]
    game = game_of(list(dict.fromkeys([guess for guess, _ in played] + [word])))
    index = {guess: g for g, guess in enumerate(game.guesses)}
    allowed = Legality(game, mode).allowed((index[guess], game.rule.parse(text, 5)) for guess, text in played)
    return index[word] in allowed


@pytest.mark.parametrize(
    ("word", "history", "legal"),
    [
        ("geese", ["serve.bybbg"], True),  # two e's, one of them last
        ("those", ["serve.bybbg"], False),  # one e only
        ("geeks", ["serve.bybbg"], False),  # two e's, none of them last
        ("pagle", ["tarse.bgbby"], True),  # a yellow may change its place or stay: here e was last and is again
        ("candy", ["cecum.gbybb"], False),  # of two c's shown only one is used
        ("cynic", ["cecum.gbybb"], True),
        ("cacti", ["crane.gbybb"], True),  # the answer is cacao:
        ("caput", ["crane.gbybb", "cacti.gggbb"], False),  # two c's are shown by now
        ("cacao", ["crane.gbybb", "cacti.gggbb"], True),
        ("serve", ["serve.bybbg"], True),  # the last guess again is legal
        ("stare", ["crown.bgbbb"], False),
        ("crown", ["slate.bbbbb"], True),  # greys impose nothing,
        ("slate", ["slate.bbbbb"], True),  # not even on the same letters
    ],
)
def test_official_hard_mode(word: str, history: list[str], legal: bool) -> None:
    assert is_allowed(word, *history) == legal


def test_strict_mode_also_respects_greys_and_yellow_places() -> None:
    assert not is_allowed("slate", "slate.bbbbb", mode=Mode.STRICT)
    assert not is_allowed("pagle", "tarse.bgbby", mode=Mode.STRICT)
    assert is_allowed("bigly", "dilly.bgbgg", mode=Mode.STRICT)


def test_normal_mode_allows_everything() -> None:
    assert is_allowed("stare", "crown.bgbbb", mode=Mode.NORMAL)


@pytest.mark.parametrize("rule", [Rule.NAIVE, Rule.MASTERMIND, Rule.BULLS_AND_COWS])
def test_hard_mode_needs_the_wordle_rule(rule: Rule) -> None:
    with pytest.raises(ModeError, match="needs the rule wordle"):
        Legality(game_of(["abc", "abd"], rule), Mode.HARD)


@given(words, st.data())
def test_modes_equal_their_definitions(guesses: list[str], data: st.DataObject) -> None:
    answer = data.draw(st.sampled_from(guesses))
    played = data.draw(st.lists(st.sampled_from(range(len(guesses))), max_size=3))
    for rule in (Rule.WORDLE, Rule.NAIVE, Rule.MASTERMIND):
        game = game_of(guesses, rule)
        table = response_rows(rule, guesses, guesses)
        history = [(g, int(table[g, guesses.index(answer)])) for g in played]
        strict = Legality(game, Mode.STRICT).allowed(history)
        wanted = [w for w in guesses if all(naive.strict_legal(w, guesses[g], answer, rule) for g in played)]
        assert [guesses[g] for g in strict] == wanted
        assert answer in wanted
    game = game_of(guesses)
    table = response_rows(Rule.WORDLE, guesses, guesses)
    history = [(g, int(table[g, guesses.index(answer)])) for g in played]
    hard = Legality(game, Mode.HARD).allowed(history)
    wanted = [w for w in guesses if all(naive.hard_legal(w, guesses[g], answer) for g in played)]
    assert [guesses[g] for g in hard] == wanted
    assert set(Legality(game, Mode.STRICT).allowed(history).tolist()) <= set(np.asarray(hard).tolist())
