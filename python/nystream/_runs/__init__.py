"""What runs over a table: learning, scoring, checkpoints, and where predictions go."""
