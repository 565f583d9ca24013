"""The version of the package."""
import credence


def test_version() -> None:
    assert credence.__version__.split(".")[0].isdigit()
