"""Exact solutions of Wordle-like games, as a checkpointed batch pipeline."""

import runpy

__version__ = "0.1.0"


def main() -> None:
    """The console script `wordle-pipeline`: the same as `python -m pipeline`."""
    runpy.run_module("pipeline", run_name="__main__", alter_sys=True)
