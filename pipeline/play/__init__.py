"""The table: a helper at the terminal, games to watch, analysis of finished ones."""
