"""Runs over a table: learning, scoring, checkpoints, and sinks for predictions."""
