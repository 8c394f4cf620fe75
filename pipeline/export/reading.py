"""A tree from a file of any format we know, told by its name and content; bounded in size, never executed."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from pipeline.export import csv_tree, domsleee, json_tree, olson, table, text
from pipeline.export.nested import loaded
from pipeline.game.game import Game
from pipeline.game.tree import Tree, TreeError

MAX_BYTES = 2**26  # more than a nested tree of any game that fits the solver
WRITTEN_ONLY = (".html", ".dot", ".svg", ".pdf")


def read_tree(path: Path | str, game: Game) -> Tree:
    """The tree of a file of this machine."""
    path = Path(path)
    return tree_of(str(path), path.stat().st_size if path.is_file() else 0, path.read_bytes, game)


def tree_of(name: str, size: int, read: Callable[[], bytes], game: Game) -> Tree:
    """Raises TreeError with the file's name and what is wrong with it, on the lists of this game."""
    suffix = PurePosixPath(name).suffix.lower()
    try:
        if suffix in WRITTEN_ONLY:
            raise TreeError("is for people and cannot be read back; give tree.parquet, tree.json, tree.txt or tree.csv")
        if Path(name).exists() and not Path(name).is_file():
            raise TreeError("not a regular file")
        if size > MAX_BYTES:
            raise TreeError(f"{size:,} bytes are too many for a tree; at most {MAX_BYTES:,}")
        if suffix == ".parquet":
            return table.read(game, read())
        return parsed(game, read().decode("utf-8-sig"), suffix)
    except OSError as error:
        raise TreeError(f"{name}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise TreeError(f"{name}: not UTF-8 text") from None
    except TreeError as error:
        raise TreeError(f"{name}: {error}") from None


def parsed(game: Game, content: str, suffix: str) -> Tree:
    if suffix == ".csv":
        return csv_tree.read(game, content)
    if content.startswith(olson.PREFIX):
        return olson.read(game, content)
    if not content.lstrip().startswith("{") or suffix == ".txt":
        return text.read(game, content)
    value = loaded(content)
    if "format" in value:
        return json_tree.from_value(game, value)
    return olson.from_value(game, value) if "map" in value else domsleee.from_value(game, value)
