"""skipping.py -- report a test that cannot run here."""
import os
import sys


def require(name, reason):
    """Print what is missing; exit with an error if CREDENCE_REQUIRE_DATA is set."""
    print(f"SKIP {name}: {reason}", flush=True)
    if os.environ.get("CREDENCE_REQUIRE_DATA"):
        sys.exit(f"{name}: {reason}, required by CREDENCE_REQUIRE_DATA")


def skip(name, reason):
    """The same, and end the test."""
    require(name, reason)
    sys.exit(0)
