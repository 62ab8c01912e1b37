"""The studies of ``nystream bench``: runs are planned, carried out, and reported."""
