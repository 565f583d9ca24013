"""The version of the package."""
import credence


def test_version() -> None:
    assert credence.version()[0].isdigit()
