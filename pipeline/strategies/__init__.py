"""The players: heuristics and rankings."""
