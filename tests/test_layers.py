"""Who may import whom. Arrows point one way, from the entry points down to the game."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENTRY = "__main__"
ALLOWED = {  # layer -> the layers it may import, besides itself
    ENTRY: {"config", "stages", "search", "strategies", "export", "play", "runtime", "game"},
    "config": {"strategies", "game"},
    "stages": {"search", "strategies", "export", "runtime", "game", "checker"},
    "play": {"search", "strategies", "export", "runtime", "game"},
    "search": {"game"},
    "strategies": {"game"},
    "export": {"game"},
    "runtime": {"__init__"},  # the version of the package
    "game": set(),
    "checker": set(),
    "__init__": set(),
}
ONLY_IN = {  # library -> the places that may know it
    "hydra": {"pipeline/__main__.py", "pipeline/config.py"},
    "omegaconf": {"pipeline/__main__.py", "pipeline/config.py"},
    "ray": {"pipeline/runtime/ray_host.py"},
    "numba": {"pipeline/game", "pipeline/search", "pipeline/strategies", "pipeline/checker.py"},
}


def imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else str(node.module)


def offences(path: str, source: str) -> list[str]:
    """What this file of the package imports and may not; `path` is relative to the repository."""
    is_entry = Path(path).name == "__main__.py"  # also that of pipeline/play
    layer = ENTRY if is_entry else Path(path).parts[1].removesuffix(".py")
    found = []
    for name in imports(source):
        library, _, rest = name.partition(".")
        if library == "pipeline":
            target = rest.partition(".")[0] or "__init__"
            if target != layer and target not in ALLOWED[layer]:
                found.append(f"{path} imports {name}")
        elif not library:
            found.append(f"{path} has a relative import")
        elif library in ONLY_IN and not any(
            path == place or path.startswith(f"{place}/") for place in ONLY_IN[library]
        ):
            found.append(f"{path} imports {name}")
    return found


@pytest.mark.parametrize("path", sorted(str(p.relative_to(ROOT)) for p in (ROOT / "pipeline").rglob("*.py")))
def test_layers(path: str) -> None:
    assert offences(path, (ROOT / path).read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("pipeline/game/rules.py", "from pipeline.runtime.store import locked"),
        ("pipeline/runtime/stage.py", "import pipeline.game.words"),
        ("pipeline/search/bounds.py", "from pipeline.strategies import ranking"),
        ("pipeline/stages/rank.py", "def f():\n    from pipeline.config import Config"),
        ("pipeline/stages/rank.py", "import ray"),
        ("pipeline/runtime/stage.py", "import ray.util"),
        ("pipeline/stages/rank.py", "from numba import njit"),
        ("pipeline/runtime/store.py", "from omegaconf import OmegaConf"),
        ("pipeline/game/rules.py", "from . import words"),
        ("pipeline/play/helper.py", "from pipeline.config import shipped_game"),
        ("pipeline/play/__main__.py", "import hydra"),
        ("pipeline/checker.py", "from pipeline.game.rules import Rule"),
    ],
)
def test_a_forbidden_import_is_found(path: str, line: str) -> None:
    assert offences(path, line)
