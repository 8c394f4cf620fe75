"""The work: one file per stage, in reading order: ingest, responses, rank."""
