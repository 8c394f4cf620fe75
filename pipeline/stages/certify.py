"""Stage `certify`: of all lemmas of the search those that the result needs, and with them certificate/."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.game.game import Game
from pipeline.game.tree import DecisionTree
from pipeline.runtime.place import Place, local_copy
from pipeline.runtime.progress import Progress
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import Executor, Finished, Shared, Stage, StageError, Task, run_stage
from pipeline.runtime.store import read_parts, tables
from pipeline.search.bounds import INFEASIBLE, useful_guesses
from pipeline.search.solver import Solver
from pipeline.search.trim import Lemmas, Trimmer, joined
from pipeline.stages.openers import MERGED, Bucket, Openers, merge
from pipeline.stages.responses import response_table
from pipeline.stages.searching import Search
from pipeline.stages.summary import NO_PROOF
from pipeline.stages.verify import verdict_on

FORMAT = 1
LEMMAS = pa.schema([("answers", pa.list_(pa.uint16())), ("guesses_left", pa.uint16()), ("lower", pa.int32())])
TREE = pa.schema([("node", pa.int32()), ("parent", pa.int32()), ("response", pa.int32()), ("guess", pa.string())])
Claim = dict[str, Any]


class CertificateError(StageError):
    """The checker did not accept what the search claims: a bug, never a result."""


def certify(
    search: Search, done: Finished | None, responses: Finished, verify: str, executor: Executor, progress: Progress
) -> None:
    """certificate/ and the checker's verdict in result.json; without a proof, or if it is not wanted, neither."""
    folder = search.outputs / "certificate"
    folder.remove_tree()  # an older one may claim something else
    if done is None or not search.options.certificate or search.options.width is not None:
        return
    solver = Solver(search.game, response_table(search.game, responses), search.options.table_mib)
    claim = claim_of(search.game, search.openers, search.scope)
    stage = certify_stage(claim, solver, done, progress)
    certified = run_stage(stage, search.outputs, SerialExecutor(), progress)
    digest = write_certificate(folder, claim, solver, certified)
    status, verdict = "not checked", "not checked: verify=none"
    if verify != "none":
        with local_copy(folder) as copy:
            status, verdict = verdict_on(copy, digest, verify, search.outputs, executor, progress)
    search.certificate = {"status": status, "verdict": verdict, "digest": digest}
    search.write_result()
    if status in NO_PROOF:
        raise CertificateError(f"{folder}: {verdict}")
    progress.say(f"certificate: {verdict}")


def claim_of(game: Game, openers: Openers, scope: str) -> Claim:
    """What has been proven, as the checker reads it; a lower of None is INFEASIBLE."""
    incumbent, lower = openers.incumbent(), openers.lower()
    listed = ([incumbent] if incumbent else []) if scope == "all" else list(openers)
    entries = [
        {"opener": o.word, "lower": None if o.lower >= INFEASIBLE else o.lower, "upper": o.upper} for o in listed
    ]
    return {
        "format": FORMAT,
        "rule": str(game.rule),
        "mode": "normal",
        "max_guesses": game.max_guesses,
        "scope": scope,
        "lower": None if lower >= INFEASIBLE else lower,
        "upper": incumbent.upper if incumbent else None,
        "opener": incumbent.word if incumbent else None,
        "openers": entries,
    }


def certify_stage(claim: Claim, solver: Solver, search: Finished, progress: Progress) -> Stage:
    def shared() -> Shared:
        return {"solver": solver, "parts": search.parts, "claim": claim, "say": progress.say}

    tasks = [Task("lemmas", {})]
    return Stage("certify", 1, {"claim": claim}, (search.fingerprint,), lambda: [tasks], run, shared)


def run(task: Task, shared: Shared) -> pa.Table:
    """The lemmas that the claim needs, in order."""
    solver, claim = shared["solver"], shared["claim"]
    noted = [*part_lemmas(shared["parts"]), *bucket_lemmas(solver, shared["parts"])]
    given = joined([*noted, last_lemma(solver, claim)] if claim["scope"] == "all" else noted)
    trimmer = Trimmer(solver.engine, given)
    everything, left = np.arange(len(solver.game.answers)), guesses_left(solver.game)
    if claim["scope"] == "all":
        trimmer.need_lemma(everything, left)
    for entry in claim["openers"]:
        lower = INFEASIBLE if entry["lower"] is None else entry["lower"]
        trimmer.need_guess(everything, solver.index_of(entry["opener"]), left, lower)
    table = lemma_table(trimmer.trimmed())
    once = len(trimmer.lemmas.left)
    shared["say"](f"certificate: {len(given.left):,} lemmas noted, {once:,} different, {table.num_rows:,} needed")
    return table


def guesses_left(game: Game) -> int:
    """The guesses as a number: without a cap one more than can matter, for an opener that tells nothing."""
    return len(game.answers) + 1 if game.max_guesses is None else game.max_guesses


def part_lemmas(parts: Sequence[Place]) -> Iterator[Lemmas]:
    """The lemmas that tasks of the search noted."""
    for rows in tables(parts, ["lemmas"]):
        column = rows["lemmas"].combine_chunks()
        answers, left, lower, rests = column.flatten().flatten()
        sizes = answers.value_lengths().to_numpy().astype(np.int64)
        bounds = lower.fill_null(INFEASIBLE).to_numpy().astype(np.int64)
        bounds[bounds > sizes * (sizes + 1) // 2] = INFEASIBLE  # where guesses suffice no answer needs more than n
        yield Lemmas(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            answers.flatten().to_numpy(),
            left.to_numpy().astype(np.int64),
            bounds,
            rests.to_numpy(zero_copy_only=False),
        )


def bucket_lemmas(solver: Solver, parts: Sequence[Place]) -> Iterator[Lemmas]:
    """The lemma of every bucket that was searched in shares: it rests on those of the shares."""
    buckets: dict[tuple[str, int], Bucket] = {}
    for rows in tables(parts, ["opener", *MERGED]):
        for row in rows.filter(pa.compute.is_valid(rows["shares"])).to_pylist():
            merge(buckets.setdefault((row["opener"], row["response"]), Bucket(row["size"])), row)
    for (opener, response), bucket in buckets.items():
        if bucket.is_known:
            answers = np.flatnonzero(solver.responses[solver.index_of(opener)] == response)
            yield one_lemma(answers, guesses_left(solver.game) - 1, bucket.lower)


def last_lemma(solver: Solver, claim: Claim) -> Lemmas:
    """That of all answers, for a claim that speaks of all openers."""
    return one_lemma(np.arange(len(solver.game.answers)), guesses_left(solver.game), claim["lower"])


def one_lemma(answers: np.ndarray, left: int, lower: int | None) -> Lemmas:
    return Lemmas(
        np.array([0, len(answers)]),
        answers.astype(np.uint16),
        np.array([useful_guesses(left, len(answers))]),
        np.array([INFEASIBLE if lower is None else lower]),
        np.ones(1, bool),
    )


def lemma_table(lemmas: Lemmas) -> pa.Table:
    columns = [
        pa.ListArray.from_arrays(lemmas.starts.astype(np.int32), lemmas.members),
        pa.array(lemmas.left.astype(np.uint16)),
        pa.array(lemmas.lower.astype(np.int32), mask=lemmas.lower >= INFEASIBLE),
    ]
    return pa.Table.from_arrays(columns, schema=LEMMAS)


def tree_table(trees: Iterable[DecisionTree]) -> pa.Table:
    """The trees as rows, depth first; a root has parent and response -1."""
    rows: list[dict[str, Any]] = []

    def grow(tree: DecisionTree, parent: int, response: int) -> None:
        node = len(rows)
        rows.append({"node": node, "parent": parent, "response": response, "guess": tree.guess})
        for code, subtree in tree.subtrees.items():
            grow(subtree, node, code)

    for tree in trees:
        grow(tree, -1, -1)
    return pa.Table.from_pylist(rows, schema=TREE)


def write_certificate(folder: Place, claim: Claim, solver: Solver, certified: Finished) -> str:
    """The folder, whole, with claim.json last; returns its digest."""
    trees = [solver.expand(guess=entry["opener"]) for entry in claim["openers"] if entry["upper"] is not None]
    game, lemmas = solver.game, read_parts(certified.parts)
    contents = {
        "answers.txt": "".join(f"{word}\n" for word in game.answers).encode(),
        "guesses.txt": "".join(f"{word}\n" for word in game.guesses).encode(),
        "lemmas.parquet": packed(lemmas, {"answers.list.element": "DELTA_BINARY_PACKED"}),
        "tree.parquet": packed(tree_table(trees), {}),
    }
    files = {}
    for name, content in contents.items():
        (folder / name).write(content)
        files[name] = hashlib.sha256(content).hexdigest()
    named = [files["answers.txt"], files["guesses.txt"], claim["max_guesses"], claim["mode"], claim["rule"]]
    whole = {**claim, "files": files, "game": hashlib.sha256(canonical(named)).hexdigest(), "digest": ""}
    whole["digest"] = hashlib.sha256(canonical(whole)).hexdigest()
    (folder / "claim.json").write(canonical(whole))
    digest: str = whole["digest"]
    return digest


def canonical(value: object) -> bytes:
    return (json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def packed(table: pa.Table, encodings: dict[str, str]) -> bytes:
    """The table as Parquet; these columns are rising numbers, of which differences take least room."""
    sink = pa.BufferOutputStream()
    others = [name for name in table.schema.names if not any(key.startswith(name) for key in encodings)]
    pq.write_table(
        table, sink, compression="zstd", compression_level=9, use_dictionary=others, column_encoding=encodings or None
    )
    content: bytes = sink.getvalue().to_pybytes()
    return content
