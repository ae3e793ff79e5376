"""The package's source files as syntax trees, parsed once for all tests of a process that read them (parsing all takes seconds)."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from tests import ROOT

PACKAGE = ROOT / "reflow"


@functools.cache
def files() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


@functools.cache
def tree(file: Path) -> ast.Module:
    """The syntax tree of a file; whoever gets it only reads it."""
    return ast.parse(file.read_text(), str(file))
