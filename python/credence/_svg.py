"""Figures as text that notebooks show and that can be saved as a picture."""
from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from typing import Any

from . import _inputs
from ._errors import SystemCallError, UnsupportedError, UsageError


class SVG(str):
    """A figure: its SVG text, which is shown as a picture in notebooks.

    It suits light and dark backgrounds, and has a title and a description for screen readers. Equal
    data gives equal text. It is a str of all its markup, which ``print(figure)`` writes too; at a prompt,
    and with ``repr``, it is a line with its title.

    Examples
    --------
    >>> import credence
    >>> figure = credence.plot.reliability([[0.8, 0.2], [0.6, 0.4]], [0, 1], resamples=0)
    >>> figure
    <SVG 'Reliability diagram of predictions'>
    >>> figure.startswith("<svg")
    True
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        title = self.partition("<title")[2].partition(">")[2].partition("</title>")[0]
        return f"<SVG {title!r}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure.

        Parameters
        ----------
        path
            Its extension chooses the format: .svg, or .pdf or .png, which are converted by the program
            rsvg-convert, or else by the package cairosvg.

        Raises
        ------
        UnsupportedError
            For .pdf and .png, if neither is installed.
        """
        suffix = os.path.splitext(_inputs.path_text(path))[1].lower()
        if suffix == ".svg":
            data = self.encode()
        elif suffix in (".pdf", ".png"):
            data = _converter(path)(self.encode(), suffix[1:])
        else:
            raise UsageError(f"{os.fspath(path)}: a figure is written to .svg, .pdf or .png")
        _inputs.write(path, data)


def _zoom(format: str) -> int:
    """PNG at twice the nominal resolution."""
    return 2 if format == "png" else 1


def _by_program(svg: bytes, format: str) -> bytes:
    import subprocess  # here, and shutil below: `import credence` stays short
    done = subprocess.run(["rsvg-convert", "-f", format, "-z", str(_zoom(format))], input=svg, capture_output=True,
                          check=False)
    if done.returncode:
        raise SystemCallError(f"rsvg-convert: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _by_package(svg: bytes, format: str) -> bytes:
    package: Any = importlib.import_module("cairosvg")
    converted: bytes = getattr(package, f"svg2{format}")(bytestring=svg, scale=_zoom(format))
    return converted


def _converter(path: str | os.PathLike[str]) -> Callable[[bytes, str], bytes]:
    import shutil
    if shutil.which("rsvg-convert"):
        return _by_program
    if importlib.util.find_spec("cairosvg"):
        return _by_package
    raise UnsupportedError(f"{os.fspath(path)}: PDF and PNG need the program rsvg-convert (of the package "
                           "librsvg2-bin) or the Python package cairosvg; install one, or write .svg")
