"""What results are made of: values, read-only arrays, and the forms of reports (text, JSON, CSV, Markdown, LaTeX)."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, ClassVar, Protocol, TypeVar

from . import _tables

T = TypeVar("T")


class Facts:
    """A dataclass that equals another one with the same fields; unlike elsewhere, NaN equals NaN here."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def _facts(self) -> tuple[object, ...]:
        return tuple(_fact(getattr(self, field.name)) for field in dataclasses.fields(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Facts) or type(other) is not type(self):
            return NotImplemented
        return self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())


class Number(Facts):
    """Such a dataclass with a field `value`, as which it can be written and computed."""

    value: float

    def __float__(self) -> float:
        return self.value

    def __format__(self, form: str) -> str:
        return format(self.value, form)


def _fact(value: Any) -> object:
    if isinstance(value, list):
        return tuple(_fact(item) for item in value)
    return Facts if value != value else value  # something that NaN equals


def read_only(found: T) -> T:
    """Return an array, or arrays in a dict, list or tuple, as read-only: the object they come from computes with its own.

    If they were writable, the two would disagree.
    """
    if isinstance(found, (dict, list, tuple)):
        for part in found.values() if isinstance(found, dict) else found:
            read_only(part)
    elif hasattr(found, "setflags"):
        found.setflags(write=False)
    return found


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
