"""Benchmarks of the search kernel, in CPU-seconds: `python -m benchmarks`."""
