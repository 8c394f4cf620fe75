"""Graphviz source of a tree; drawn as SVG and PDF where graphviz is installed."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from pipeline.game.tree import Tree

DRAWN = ("svg", "pdf")
SECONDS = 60


def write(tree: Tree) -> str:
    """One box per node: the guess, how many answers are left; edges carry the response."""
    lines = [
        "digraph tree {",
        '  graph [rankdir=LR, nodesep=0.05, ranksep=0.6, fontname="monospace"];',
        '  node [shape=box, style=rounded, margin="0.08,0.03", height=0.2, fontname="monospace", fontsize=10];',
        '  edge [fontname="monospace", fontsize=8, arrowsize=0.4];',
    ]
    for node in range(len(tree)):
        left = f" ({tree.sizes[node]})" if tree.below[node] else ""
        bold = ", style=bold" if tree.finds[node] else ""
        lines.append(f"  n{node} [label={quoted(tree.word(node) + left)}{bold}];")
        if node:
            lines.append(f"  n{tree.parents[node]} -> n{node} [label={quoted(tree.text(int(tree.responses[node])))}];")
    return "\n".join([*lines, "}", ""])


def quoted(text: str) -> str:
    """A DOT string: quotes and backslashes escaped, and & so that no character entity is read into a word."""
    escaped = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def drawn(source: str) -> dict[str, bytes]:
    """The pictures by their kind; none where graphviz is missing, fails or takes too long."""
    program = shutil.which("dot")
    if program is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        pictures = {kind: Path(folder) / f"tree.{kind}" for kind in DRAWN}
        outputs = [part for kind, path in pictures.items() for part in (f"-T{kind}", "-o", str(path))]
        try:
            subprocess.run([program, *outputs], input=source.encode(), check=True, capture_output=True, timeout=SECONDS)
            return {kind: path.read_bytes() for kind, path in pictures.items()}
        except (subprocess.SubprocessError, OSError):
            return {}
