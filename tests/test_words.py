"""Word lists: what is accepted, what is refused and how, what is generated, and the game they make."""

from pathlib import Path

import pytest

from pipeline.game.game import make_game
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule
from pipeline.game.words import WordList, WordListError, read_weights, read_words


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"crane\nslate\n", ("crane", "slate")),
        (b"\xef\xbb\xbfcrane\r\nslate\r\n", ("crane", "slate")),
        (b"  crane \n\n\nslate", ("crane", "slate")),
        ("né\nou\n".encode(), ("né", "ou")),
        ("ne\u0301\nou\n".encode(), ("né", "ou")),  # two code points become one
        (b"12+3=15\n7*8=056\n", ("12+3=15", "7*8=056")),
    ],
)
def test_accepted(tmp_path: Path, content: bytes, words: tuple[str, ...]) -> None:
    assert read_words(written(tmp_path, content)).words == words


def test_upper_case_is_folded_with_a_note(tmp_path: Path) -> None:
    found = read_words(written(tmp_path, b"crane\nSLATE\n"))
    assert found.words == ("crane", "slate")
    assert "SLATE" in found.notes[0]
    assert not read_words(written(tmp_path, b"crane\n")).notes


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"crane\nslat\n", 2, "'slat' has 4 letters, but 'crane'"),
        (b"crane\nslate\nCRANE\n", 3, "'crane' again, it is already in"),
        (b"crane\n\nsl te\n", 3, "one word a line"),
        (b"crane\ncr\xe4ne\n", 2, "UTF-8"),
        (b"abcdefghijk\n", 1, "at most 10"),
        (b"crane\nsla\x00e\n", 2, "control character"),
    ],
)
def test_refused_with_file_line_and_word(tmp_path: Path, content: bytes, line: int, says: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(WordListError) as caught:
        read_words(path)
    assert f"{path}, line {line}: " in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_empty_list(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(WordListError, match="empty"):
        read_words(written(tmp_path, content))


def test_missing_file() -> None:
    with pytest.raises(WordListError, match=r"no/such\.txt: no such file; .*mastermind"):
        word_list("no/such.txt")


def test_own_file_comes_before_the_shipped_one(tmp_path: Path) -> None:
    written(tmp_path, b"mine\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "list.txt").write_text("theirs\n")
    (tmp_path / "data" / "other.txt").write_text("other\n")
    assert word_list("list.txt", (tmp_path, tmp_path / "data")).words == ("mine",)
    assert word_list("other.txt", (tmp_path, tmp_path / "data")).words == ("other",)


@pytest.mark.parametrize(
    ("source", "number", "some"),
    [
        ("mastermind:4x6", 1296, ["1111", "1122", "6543"]),
        ("mastermind:2x3", 9, ["11", "33"]),
        ("bulls_and_cows:4x10", 5040, ["0123", "9876"]),
        ("primes:5", 8363, ["10007", "17923", "99991"]),
        ("primes:1", 4, ["2", "3", "5", "7"]),
        ("equations:8", 17162, ["48-32=16", "9*8-7=65", "10-5-4=1", "8/2*4=16"]),
    ],
)
def test_generated(source: str, number: int, some: list[str]) -> None:
    words = word_list(source).words
    assert len(words) == len(set(words)) == number
    assert set(some) <= set(words)


def test_equations_hold() -> None:
    for equation in word_list("equations:7").words:
        left, _, right = equation.partition("=")
        assert eval(left) == int(right), equation


def test_primes_are_prime() -> None:
    found = {int(word) for word in word_list("primes:3").words}
    assert found == {n for n in range(100, 1000) if all(n % d for d in range(2, n))}


@pytest.mark.parametrize(
    "source", ["mastermind:4", "mastermind:11x2", "mastermind:x", "bulls_and_cows:4x3", "primes:9"]
)
def test_generator_refuses(source: str) -> None:
    with pytest.raises(WordListError, match=source):
        word_list(source)


def lists(guesses: str, answers: str) -> tuple[WordList, WordList]:
    return WordList(tuple(guesses.split()), "g.txt"), WordList(tuple(answers.split()), "a.txt")


def test_members_are_where_the_answers_are_guesses() -> None:
    game = make_game(*lists("aa bb cc", "cc aa"), Rule.WORDLE, max_guesses=6)
    assert game.members.tolist() == [2, 0]
    assert game.weights == (1, 1)
    assert (game.length, game.solved, game.is_weighted) == (2, 8, False)


def test_answers_that_are_no_guesses() -> None:
    with pytest.raises(WordListError, match=r"a\.txt: 2 answers are not in g\.txt: dd, ee; .*game\.add_answers=true"):
        make_game(*lists("aa bb", "dd aa ee"), Rule.WORDLE)
    game = make_game(*lists("aa bb", "dd aa ee"), Rule.WORDLE, add_answers=True)
    assert game.guesses == ("aa", "bb", "dd", "ee")
    assert game.members.tolist() == [2, 0, 3]


def test_lists_of_two_lengths() -> None:
    with pytest.raises(WordListError, match="both lists need one length"):
        make_game(*lists("aa bb", "aaa"), Rule.WORDLE)


def test_weights(tmp_path: Path) -> None:
    given = read_weights(written(tmp_path, b"aa 3\nBB\t1\n\n"))
    assert given == {"aa": 3, "bb": 1}
    game = make_game(*lists("aa bb", "bb aa"), Rule.WORDLE, weights=given)
    assert game.weights == (1, 3)
    assert game.is_weighted
    with pytest.raises(WordListError, match=r"'bb' is not in a\.txt"):
        make_game(*lists("aa bb", "aa"), Rule.WORDLE, weights=given)


@pytest.mark.parametrize("content", [b"aa\n", b"aa 0\n", b"aa -1\n", b"aa 1.5\n", b"aa 1\naa 2\n", b"a\xe4 1\n"])
def test_bad_weights_name_the_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(WordListError, match=r"list\.txt, line [12]"):
        read_weights(written(tmp_path, content))
