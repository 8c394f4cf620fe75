"""Exact solutions of Wordle-like games, as a checkpointed batch pipeline."""

__version__ = "0.1.0"
