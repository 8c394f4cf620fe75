"""tree.parquet: the table itself, the source of truth that every other format is written from."""

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.game.game import Game
from pipeline.game.rules import shown
from pipeline.game.tree import Tree, TreeError

ROW_BYTES, SPARE_BYTES = 256, 2**16  # a row has numbers of 29 bytes and a word of up to 40
SCHEMA = pa.schema(
    [
        pa.field("node", pa.int32(), nullable=False),
        pa.field("parent", pa.int32(), nullable=False),  # -1 at the root
        pa.field("response", pa.int32(), nullable=False),  # the one that leads here, -1 at the root
        pa.field("guess", pa.string(), nullable=False),
        pa.field("turn", pa.int32(), nullable=False),
        pa.field("answers", pa.int32(), nullable=False),  # how many are left before the guess
        pa.field("total", pa.int64(), nullable=False),  # the guesses they take from here on
        pa.field("is_leaf", pa.bool_(), nullable=False),  # the guess is the only answer left
    ]
)


def table(tree: Tree) -> pa.Table:
    columns = {
        "node": range(len(tree)),
        "parent": tree.parents,
        "response": tree.responses,
        "guess": [tree.word(node) for node in range(len(tree))],
        "turn": tree.turns,
        "answers": tree.sizes,
        "total": tree.totals,
        "is_leaf": [not below for below in tree.below],
    }
    return pa.table({name: pa.array(column, SCHEMA.field(name).type) for name, column in columns.items()}, SCHEMA)


def check_columns(schema: pa.Schema) -> None:
    if not schema.equals(SCHEMA):
        raise TreeError(f"the columns are not those of a tree: {', '.join(SCHEMA.names)}")


def from_table(game: Game, rows: pa.Table) -> Tree:
    """The tree of a table; raises TreeError unless the table is exactly the one of a sound tree."""
    check_columns(rows.schema)
    tree = Tree(game, list(zip(*(rows[name].to_pylist() for name in ("parent", "response", "guess")), strict=True)))
    again = table(tree)
    for name in SCHEMA.names:
        if not again[name].equals(rows[name]):
            raise TreeError(f"column {name} is not what its tree gives on these lists")
    return tree


def read(game: Game, content: bytes) -> Tree:
    """The tree of a Parquet file; what it says of itself is looked at before any of it is unpacked."""
    try:
        check_size(game, pq.ParquetFile(pa.BufferReader(content)), len(content))
        file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=["guess"])  # so that no word is repeated
        return from_table(game, with_words(game, file.read().replace_schema_metadata()))
    except (pa.ArrowException, OSError) as error:
        first = (str(error) or type(error).__name__).splitlines()[0]
        raise TreeError(f"no Parquet file: {shown(first)}") from None


def most_nodes(game: Game) -> int:
    """No tree of the game has more nodes, unless guesses after the opener tell nothing.

    Proof: a node is on the path of an answer, and with a cap no path is longer. Without one: a node that finds no
    answer and tells something has two children, so there are fewer of them than leaves; and every leaf finds an answer.
    """
    return len(game.answers) * (2 if game.max_guesses is None else game.max_guesses)


def check_size(game: Game, file: pq.ParquetFile, size: int) -> None:
    """Raises TreeError unless the file has the columns of a tree, and not more rows or bytes than one has."""
    check_columns(file.schema_arrow)
    rows, groups = file.metadata.num_rows, range(file.metadata.num_row_groups)
    if rows > most_nodes(game):
        raise TreeError(f"{rows:,} rows are too many for a tree of this game; at most {most_nodes(game):,}")
    unpacked = max(size, sum(file.metadata.row_group(group).total_byte_size for group in groups))
    most = SPARE_BYTES + ROW_BYTES * rows
    if unpacked > most:
        raise TreeError(f"{unpacked:,} bytes are too many for {rows:,} rows of a tree; at most {most:,}")


def with_words(game: Game, rows: pa.Table) -> pa.Table:
    """The table with its dictionary of guesses as plain words; raises TreeError at one that is no guess."""
    known = set(game.guesses)
    for chunk in rows["guess"].chunks:
        for word in chunk.dictionary.to_pylist():
            if word not in known:
                raise TreeError(f"{shown(str(word))} is not in the guess list")
    return rows.cast(SCHEMA)
