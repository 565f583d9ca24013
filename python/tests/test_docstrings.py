"""Docstrings: their examples run, they describe every parameter, and they list the tables; the stubs are whole."""
from __future__ import annotations

import ast
import doctest
import functools
import importlib
import importlib.util
import inspect
import os
import pathlib
import pkgutil
import re
import types
from collections.abc import Iterator
from typing import Any

import pytest

import credence
from credence import _core


def modules() -> list[Any]:
    """Return the modules that can be imported here; those of missing libraries are their own tests' matter."""
    found = []
    for info in pkgutil.walk_packages(credence.__path__, "credence."):
        if info.name in ("credence._core", "credence.selftest", "credence.__main__"):
            continue
        try:
            found.append(importlib.import_module(info.name))
        except ImportError:
            continue
    return [credence, *found]


def public(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public functions, classes and methods that a module defines."""
    for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
        item = getattr(module, name)
        if not callable(item) or not getattr(item, "__module__", "").startswith("credence"):
            continue
        if not inspect.isclass(item) or not issubclass(item, (BaseException,)):
            yield f"{module.__name__}.{name}", item
        if inspect.isclass(item):
            for member, value in vars(item).items():
                value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not member.startswith("_") and inspect.isfunction(value):
                    yield f"{module.__name__}.{name}.{member}", value


PUBLIC = {name: item for module in modules() if not module.__name__.rpartition(".")[2].startswith("_")
          for name, item in public(module)}


def described(text: str) -> list[str]:
    """Return the names in the section Parameters of a docstring."""
    lines = text.splitlines()
    if "Parameters" not in lines:
        return []
    names: list[str] = []
    for line, after in zip(lines[lines.index("Parameters") + 2:], [*lines[lines.index("Parameters") + 3:], ""]):
        if after.startswith("---"):
            break
        if line and not line.startswith(" "):
            names += [name.strip().lstrip("*") for name in line.split(":")[0].split(",")]
    return names


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters(name: str) -> None:
    item = PUBLIC[name]
    text = inspect.getdoc(item)
    assert text, f"{name} has no docstring"
    if inspect.isclass(item) and ("__init__" not in vars(item) or "Parameters\n" not in text):
        return  # made by functions, not by users
    signature = inspect.signature(item)
    expected = [each for each in signature.parameters if each not in ("self", "cls")]
    assert sorted(described(text)) == sorted(expected)


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_examples(module: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_tables_are_in_docstrings() -> None:
    for function, kind in ((credence.evaluate, "metrics"), (credence.fit, "methods"),
                           (credence.Calibrator.export, "exports"), (credence.Result.report, "forms"),
                           (credence.Result.figure, "figures")):
        text = function.__doc__ or ""
        for name in credence._tables.table(kind):
            assert f"``{name}``: " in text
        assert "{" not in text.replace('{"', "")


def test_examples_exist() -> None:
    for name, item in PUBLIC.items():
        if inspect.isfunction(item) and "." not in name.removeprefix("credence."):
            assert ">>>" in (item.__doc__ or ""), name


REFERENCE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md"


def line(name: str, item: Any) -> str:
    """Return a row of the reference: a name, the first sentence of its documentation, and its own methods."""
    said = inspect.getdoc(item).partition("\n\n")[0].replace("\n", " ").replace("``", "`").replace("|", "\\|")
    said = re.sub(r":\w+:`~?([\w.]+)`", r"`\1`", said)
    if inspect.ismodule(item):
        return f"| `{name}` | {said} |"
    if not inspect.isclass(item):
        return f"| `{name}()` | {said} |"
    own = {key for base in item.__mro__ if base.__module__.startswith("credence.") for key, value in vars(base).items()
           if not key.startswith("_") and isinstance(value, (types.FunctionType, classmethod, staticmethod, property,
                                                             functools.cached_property))}
    return f"| `{name}` | {said}{'<br>' + ', '.join(f'`{key}`' for key in sorted(own)) if own else ''} |"


def reference() -> str:
    """Return the reference of all public names."""
    kinds = {"Functions": lambda item: inspect.isfunction(item) or inspect.ismodule(item),
             "Classes": lambda item: inspect.isclass(item) and not issubclass(item, BaseException),
             "Exceptions and warnings": lambda item: inspect.isclass(item) and issubclass(item, BaseException)}
    text = ("# Python package\n\nAll names of `credence`, with what is at each object besides its attributes. "
            "`help(credence.evaluate)` shows a whole docstring; the [guide](../guide/python.md) has examples.\n"
            "`credence.sklearn` and `credence.torch` are imported on their own.\n")
    for kind, is_one in kinds.items():
        rows = [line(f"credence.{name}", getattr(credence, name)) for name in credence.__all__
                if is_one(getattr(credence, name))]
        text += f"\n## {kind}\n\n| name | |\n|---|---|\n" + "\n".join(rows) + "\n"
    return text


def test_reference() -> None:
    """The reference has all public names; CREDENCE_BLESS=1 writes it."""
    if os.environ.get("CREDENCE_BLESS"):
        REFERENCE.write_text(reference(), encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == reference()
    assert all(f"`credence.{name}" in reference() for name in credence.__all__)


def test_stubs() -> None:
    """The stubs of the extension name what it has."""
    stub = pathlib.Path(credence.__file__).parent / "_core.pyi"
    tree = ast.parse(stub.read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: {each.name for each in node.body if isinstance(each, ast.FunctionDef)} - {"__init__", "__new__"}
               for node in tree.body if isinstance(node, ast.ClassDef)}
    real = {name: value for name, value in vars(_core).items() if not name.startswith("__")}
    assert functions == {name for name, value in real.items() if not inspect.isclass(value)}
    assert classes == {name: {member for member in vars(value) if not member.startswith("__")}
                       for name, value in real.items() if inspect.isclass(value)}
