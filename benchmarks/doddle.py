"""The same tree by another program: doddle 1.6.0, a beam search, in a virtual environment of its own."""

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / ".doddle"  # ignored by git
PACKAGES = ("doddle==1.6.0", "numpy<1.27")
SCRIPT = """
import json, time
from doddle import Doddle
started = time.process_time()
scores = Doddle().tree_search("SALET").histogram
print(json.dumps({"seconds": time.process_time() - started, "histogram": {int(k): int(v) for k, v in scores.items()}}))
"""


def salet_tree() -> tuple[float, int]:
    """(CPU-seconds, total) of doddle's tree of salet."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    run = subprocess.run([str(python), "-c", SCRIPT], check=True, capture_output=True, text=True)
    result = json.loads(run.stdout.splitlines()[-1])
    return result["seconds"], sum(int(turn) * count for turn, count in result["histogram"].items())
