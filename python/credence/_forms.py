"""What is written in the forms of reports: text, JSON, CSV, Markdown, LaTeX."""
from __future__ import annotations

import json
from typing import Any, Protocol

from . import _tables


class _Writer(Protocol):
    def report(self, form: str, /, **options: Any) -> str: ...


class Reported:
    """An object with reports."""

    def _writer(self) -> _Writer:
        raise NotImplementedError

    @_tables.documented(forms="forms")
    def report(self, form: str = "text", *, digits: int = 0, percent: bool = False) -> str:
        """Return it as text.

        Parameters
        ----------
        form
            One of:

            {forms}
        digits
            Significant digits, 1 to 9; 0: as many as suit the form.
        percent
            Write metrics between 0 and 1 in per cent.

        Returns
        -------
        str
        """
        return self._writer().report(form, digits=digits, percent=percent)

    def to_json(self) -> str:
        """Return it as JSON, as the program writes it for the same rows.

        Returns
        -------
        str
        """
        return self._writer().report("json")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dict; undefined values are None, with a reason.

        Returns
        -------
        dict
        """
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def __repr__(self) -> str:
        return self._writer().report("text").rstrip("\n")
