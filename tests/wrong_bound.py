"""A search with one bound wrong, run with NUMBA_DISABLE_JIT=1: writes the certificate that it believes in.

python -m tests.wrong_bound FOLDER
"""

import sys
from itertools import product
from pathlib import Path

from pipeline.game.game import make_game
from pipeline.game.rules import Rule
from pipeline.game.words import WordList
from pipeline.search import kernel
from pipeline.stages.search import SearchOptions
from tests.certified import certified

WORDS = tuple("".join(word) for word in product("ab", repeat=5))


def main(folder: Path, by: int) -> None:
    right = kernel.split_lower
    kernel.split_lower = lambda n, *rest: right(n, *rest) + by * (n >= 5)
    words = WordList(WORDS, "w")
    certified(
        make_game(words, words, Rule.MASTERMIND, None),
        SearchOptions(("aaabb",), None, 1, None, "buckets", None, 1, True),
        folder,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
