"""skipping.py -- what a test says when it cannot run here."""
import os
import sys


def require(name, reason):
    """Say what is missing; where CREDENCE_REQUIRE_DATA is set, that fails the test."""
    print(f"SKIP {name}: {reason}", flush=True)
    if os.environ.get("CREDENCE_REQUIRE_DATA"):
        sys.exit(f"{name}: {reason}, and CREDENCE_REQUIRE_DATA wants it")


def skip(name, reason):
    """The same, and the test ends."""
    require(name, reason)
    sys.exit(0)
