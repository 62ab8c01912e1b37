"""``python -m nystream`` is the command ``nystream``."""

from nystream._cli import main

if __name__ == "__main__":
    raise SystemExit(main())
