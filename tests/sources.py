"""The package's source files as syntax trees, parsed once for all tests of a process that read them (parsing all takes
seconds)."""

from __future__ import annotations

import ast
import functools
import gc
from pathlib import Path

from tests import ROOT

PACKAGE = ROOT / "reflow"


@functools.cache
def files() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


@functools.cache
def tree(file: Path) -> ast.Module:
    """The syntax tree of a file; whoever gets it only reads it."""
    # millions of nodes, none of them garbage: looking through them again and again takes as long as parsing
    gc.disable()
    try:
        return ast.parse(file.read_text(), str(file))
    finally:
        gc.enable()


@functools.cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree."""
    return tuple(ast.walk(tree))
