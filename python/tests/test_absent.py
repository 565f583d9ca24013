"""Files whose library was left out: an exception that says what to do instead.

A wheel reads none of these files (tests/python/wheel makes sure of it), builds of the tree read most.
"""
from __future__ import annotations

import gzip
import pathlib
import shutil
from collections.abc import Callable

import numpy as np
import pytest
import samples

import credence

SCORES, LABELS = samples.logits()
XRAYS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "cli" / "data" / "xrays"
ARRAYS = "; or read it in Python (numpy.load, h5py, scipy.io, pandas) and pass arrays"
SAMPLES = "; or read it in Python (numpy, pandas, PIL) and pass arrays: credence.Dataset(samples, labels)"


def compressed(folder: pathlib.Path) -> str:
    np.savez_compressed(folder / "rows.npz", scores=SCORES, labels=LABELS)
    return str(folder / "rows.npz")


def packed(folder: pathlib.Path) -> str:
    table = np.column_stack([LABELS, SCORES])
    with gzip.open(folder / "rows.csv.gz", "wt") as file:
        np.savetxt(file, table, "%.17g", ",", header="label," + ",".join(f"s{k}" for k in range(SCORES.shape[1])),
                   comments="")
    return str(folder / "rows.csv.gz")


@pytest.mark.parametrize("write", [compressed, packed])
def test_compressed(tmp_path: pathlib.Path, write: Callable[[pathlib.Path], str]) -> None:
    path = write(tmp_path)
    try:
        found = credence.evaluate(path, resamples=0)
    except credence.UnsupportedError as error:
        assert str(error).startswith(path) and "lean build" in str(error) and str(error).endswith(ARRAYS)
    else:
        expected = credence.evaluate(SCORES, LABELS, resamples=0)
        assert found["nll"].value == pytest.approx(expected["nll"].value, rel=1e-6)


@pytest.mark.parametrize("name, head", [("x.h5", b"\x89HDF\r\n\x1a\n"),
                                        ("x.mat", b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM")])
def test_formats(tmp_path: pathlib.Path, name: str, head: bytes) -> None:
    """Of these files there are only the first bytes: where the format can be read, they are damaged."""
    (tmp_path / name).write_bytes(head)
    with pytest.raises((credence.UnsupportedError, credence.InputError), match=name) as caught:
        credence.evaluate(tmp_path / name)
    assert isinstance(caught.value, credence.InputError) or str(caught.value).endswith(ARRAYS)


def test_images(tmp_path: pathlib.Path) -> None:
    shutil.copytree(XRAYS, tmp_path / "xrays")
    try:
        data = credence.Dataset(f"folder:{tmp_path / 'xrays'}#train")
        assert data[:1][0].shape == (1, *data.shape)
    except credence.UnsupportedError as error:
        assert "libpng" in str(error) and str(error).endswith(SAMPLES)
