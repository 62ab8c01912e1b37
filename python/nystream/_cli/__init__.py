"""The command ``nystream``."""

from nystream._cli.main import main

__all__ = ["main"]
