"""load.py -- imports programs of tools/ and bench/, which have no .py extension, as modules."""
import importlib.machinery
import importlib.util
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def load(path):
    sys.dont_write_bytecode = True
    name = os.path.basename(path).replace("-", "_")
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
