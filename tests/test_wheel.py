"""The wheel: complete, and at work far from the checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT, check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_every_source_list_and_config_is_inside(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    sources = [path for kind in ("py", "html", "css", "js") for path in (ROOT / "pipeline").rglob(f"*.{kind}")]
    package = {str(path.relative_to(ROOT)) for path in sources}
    shipped = {
        f"pipeline/{path.relative_to(ROOT)}" for path in [*ROOT.glob("conf/**/*.yaml"), *ROOT.glob("data/*.txt")]
    }
    assert package | shipped <= inside
    assert not [name for name in inside if name.startswith(("tests/", "outputs/"))]


def test_the_console_script_works_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*install, str(target), str(wheel)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(target)}
    where = subprocess.run(
        [sys.executable, "-c", "import pipeline; print(pipeline.__file__)"],
        cwd=tmp_path,
        env=environment,
        check=True,
        text=True,
        capture_output=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(target)
    script = [sys.executable, str(target / "bin" / "wordle-pipeline")]
    arguments = ["executor=serial", "game=wordle_answers", "rank.show=1"]
    run = subprocess.run([*script, *arguments], cwd=tmp_path, env=environment, text=True, capture_output=True)
    assert run.returncode == 0, run.stderr
    assert "2,315 guesses" in run.stdout
    assert (tmp_path / "outputs" / "default" / "rank.parquet").is_file()
