"""The trees of `gast` under the names of the module `ast`: the `ast` of malt in `gast_rewriter`."""

from __future__ import annotations

import ast
from typing import Any

import gast
from gast import *  # noqa: F403


def arg(arg: str, annotation: Any = None) -> gast.Name:
    """A parameter of a function."""
    return gast.Name(arg, gast.Param(), annotation, None)


def unparse(node: Any) -> str:
    """The code of a tree, in which optional fields may be missing."""
    for part in gast.walk(node):
        for field in part._fields:
            if not hasattr(part, field):
                setattr(part, field, [] if field == "type_params" else None)
    return ast.unparse(gast.gast_to_ast(node))
