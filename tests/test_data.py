"""The shipped word lists are the pinned ones, in canonical form, and stand in the known relations."""

import hashlib
import re
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parent.parent / "data"
REMOVED_2022 = {"agora", "fibre", "lynch", "pupal", "slave", "wench"}
LISTS = {
    "original_guesses": (12972, "498f38211e3bafbfd6cc824ed10537a974d502377aa92459d06ff6a5b6110bb8"),
    "original_answers": (2315, "5209b35f823f8b80f0404f863bd80df06d6a966c6eb1016d69f38badc6eed5d0"),
    "nyt_guesses": (14855, "a7898cd20f36686d4c5b43ece226c36eb41a701df36da35bd18e21af41cfead4"),
    "nyt2022_answers": (2309, "b8f8854e42a0dd46dfa13f42453620e17abc1114b9c0eef5cab8d6b2b2ad04be"),
    "nyt2023_answers": (3158, "761b933d6047bfcc0d529baf8c0be03df788d69b4acfdd78ed020f65aa47d3fc"),
    "seed000_words": (9330, "5e675af2bec63b0c37b1a8d12ee926fa03955d4cc2004abd43aebb5117b52b9a"),
}
every_list = pytest.mark.parametrize("name", LISTS)


def content(name: str) -> bytes:
    return (DATA / f"{name}.txt").read_bytes()


def words(name: str) -> list[str]:
    return content(name).decode("utf-8").split()


@every_list
def test_number_of_words(name: str) -> None:
    assert len(words(name)) == LISTS[name][0]


@every_list
def test_digest(name: str) -> None:
    assert hashlib.sha256("\n".join(sorted(words(name))).encode()).hexdigest() == LISTS[name][1]


@every_list
def test_sorted_and_unique(name: str) -> None:
    assert words(name) == sorted(set(words(name)))


@every_list
def test_five_lower_case_letters(name: str) -> None:
    assert [word for word in words(name) if not re.fullmatch("[a-z]{5}", word)] == []


@every_list
def test_one_word_a_line_with_final_newline(name: str) -> None:
    assert content(name) == "".join(f"{word}\n" for word in words(name)).encode()


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("original_answers", "original_guesses"),
        ("original_guesses", "nyt_guesses"),
        ("nyt2023_answers", "nyt_guesses"),
        ("seed000_words", "original_guesses"),
        ("original_answers", "seed000_words"),
    ],
)
def test_subset(part: str, whole: str) -> None:
    assert set(words(part)) <= set(words(whole))


def test_nyt2022_answers_are_the_original_ones_without_six() -> None:
    original = set(words("original_answers"))
    assert original >= REMOVED_2022
    assert set(words("nyt2022_answers")) == original - REMOVED_2022


def test_nyt2023_answers_need_the_nyt_guesses() -> None:
    assert len(set(words("nyt2023_answers")) - set(words("original_guesses"))) == 15


def test_nyt2022_answers_that_are_no_longer_answers() -> None:
    assert len(set(words("nyt2022_answers")) - set(words("nyt2023_answers"))) == 8
