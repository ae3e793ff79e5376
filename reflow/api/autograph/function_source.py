"""Source code of functions for the converter: locating lambdas, and functions too simple to need analysis.

There are three kinds of functions. Those whose bytecode has no call, jump or nested function run as they are. In
straight-line functions only the calls are rewritten (1 ms instead of 20 to 40 for ten lines). The rest goes through
malt's passes.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import re
import types
from typing import Any

from malt.pyct import anno, errors

#: bytecode whose meaning conversion could change
MATTERS = re.compile("CALL|JUMP|FOR_ITER|MAKE_FUNCTION|UNARY_NOT|LOAD_CLOSURE|SEND|YIELD|GET_ITER")
#: syntax that needs malt's passes
CONTROL = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.While,
    ast.Assert,
    ast.BoolOp,
    ast.Not,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.Try,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.NamedExpr,
    ast.Match,
    ast.Delete,
    ast.Nonlocal,
    ast.Global,
)


@functools.lru_cache(4096)
def matters(code: types.CodeType) -> bool:
    """Whether a function could behave differently when converted.

    >>> matters((lambda x: x * x + 1).__code__), matters((lambda x: abs(x)).__code__)
    (False, True)
    """
    return any(MATTERS.search(i.opname) for i in dis.get_instructions(code))


def is_straight(node: Any) -> bool:
    """Whether a function has no control flow, nested functions or name-mangled attributes: one line after the other."""
    if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
        return False
    for part in node.body if isinstance(node.body, list) else [node.body]:
        for x in ast.walk(part):
            if isinstance(x, CONTROL) or (isinstance(x, ast.Compare) and len(x.ops) > 1):
                return False
            if isinstance(x, ast.Attribute) and x.attr.startswith("__") and not x.attr.endswith("__"):
                return False
    return True


class _Calls(ast.NodeTransformer):
    """Calls to `ag__.converted_call`, as malt's pass does: not those that open a `with` block."""

    def __init__(self, scope_name: str, convert_print: bool) -> None:
        self.scope_name, self.convert_print = scope_name, convert_print

    def visit_With(self, node: ast.With) -> ast.AST:
        node.body = [self.visit(x) for x in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func) if isinstance(node.func, (ast.Name, ast.Attribute)) else ""
        if name in ("pdb.set_trace", "ipdb.set_trace", "breakpoint") or (name == "print" and not self.convert_print):
            return node
        args = ast.Tuple(elts=node.args, ctx=ast.Load())
        kwargs = (
            ast.Dict(
                keys=[None if k.arg is None else ast.Constant(k.arg) for k in node.keywords],
                values=[k.value for k in node.keywords],
            )
            if node.keywords
            else ast.Constant(None)
        )
        target = ast.Attribute(ast.Name("ag__", ast.Load()), "converted_call", ast.Load())
        call = ast.Call(target, [node.func, args, kwargs, ast.Name(self.scope_name, ast.Load())], [])
        anno.copyanno(node, call, anno.Basic.ORIGIN)
        return call


def straight(node: Any, scope: str, options: Any, convert_print: bool) -> Any:
    """A function of straight lines, converted."""
    calls = _Calls(scope, convert_print)
    if isinstance(node, ast.Lambda):
        call: Any = ast.parse(f"ag__.with_function_scope(lambda {scope}: 0, {scope!r}, 0)").body[0].value  # type: ignore[attr-defined]
        call.args[0].body, call.args[2] = calls.visit(node.body), options
        node.body = call
        return node
    node.decorator_list = []
    docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
    block: Any = ast.parse(f"with ag__.FunctionScope({node.name!r}, {scope!r}, 0) as {scope}:\n    pass").body[0]
    block.items[0].context_expr.args[2] = options
    block.body = [calls.visit(x) for x in node.body[len(docstring) :]] or block.body
    node.body = [*docstring, block]
    return node


# --- finding the source


def check_same_function(node: Any, fn: Any) -> None:
    """Refuse a syntax tree that is not the function's: the file has changed since it was imported."""
    code, args = fn.__code__, node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    count = code.co_argcount + code.co_kwonlyargcount
    if names != list(code.co_varnames[:count]) or getattr(node, "name", fn.__code__.co_name) != fn.__code__.co_name:
        raise errors.InaccessibleSourceCodeError(
            f"The source found at {code.co_filename}:{code.co_firstlineno} is not that of {fn}: has the file "
            "changed since it was imported?"
        )


def lambda_node(fn: Any) -> tuple[ast.expr, str, int, int]:
    """The syntax tree of a lambda, its source, and its line and column.

    Found by the columns that the bytecode records.
    """
    code = fn.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, fn.__globals__))
    if not text:
        raise errors.InaccessibleSourceCodeError(
            f"Unable to locate the source code of {fn}. Note that functions defined in certain environments, like the "
            "interactive Python shell, do not expose their source code."
        )
    inside = [p for p in code.co_positions() if None not in p and (p[1] > p[0] or p[3] > p[2])]
    found = [x for x in _lambdas(text) if x.lineno == code.co_firstlineno and all(_contains(x.body, p) for p in inside)]
    # nested lambdas: the code of the outer is not in the body of the inner, so it is the inner's
    found = [x for x in found if not any(y is not x and y in ast.walk(x.body) for y in found)]
    if len(found) != 1:
        raise errors.UnsupportedLanguageElementError(
            f"could not parse the source code of {fn}: {len(found)} lambdas stand at its place."
        )
    source = ast.get_source_segment(text, found[0])
    return ast.parse(f"({source})", mode="eval").body, f"({source})", found[0].lineno, found[0].col_offset


@functools.lru_cache(16)
def _lambdas(text: str) -> tuple:
    return tuple(x for x in ast.walk(ast.parse(text)) if isinstance(x, ast.Lambda))


def _contains(body: ast.expr, place: tuple[Any, ...]) -> bool:
    line, end_line, column, end_column = place
    return (body.lineno, body.col_offset) <= (line, column) and (end_line, end_column) <= (
        body.end_lineno,
        body.end_col_offset,
    )
