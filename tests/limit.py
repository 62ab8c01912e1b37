"""Runs a command, and ends it with all that it started when its time is over.

Usage: python tests/limit.py SECONDS COMMAND...

Tests in Rust have no limits of their own, and `timeout` is not on every system.
"""

import os
import signal
import subprocess
import sys


def run(seconds: float, command: list[str]) -> int:
    """The exit status of the command; 124, as that of `timeout`, if it took longer."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(seconds)
    except KeyboardInterrupt:
        return 130
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)} took more than {seconds:g} s", file=sys.stderr)
        return 124
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    sys.exit(run(float(sys.argv[1]), sys.argv[2:]))
