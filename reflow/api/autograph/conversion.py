"""Conversion of functions for AutoGraph: rewriting, loading, calling, and errors that show the user's code.

This is the only file that uses `diastatic-malt`, a library of passes, which are combined here. Three things differ from
TensorFlow's converter:

- Converted code is compiled from its syntax tree under the *user's* file name and line numbers. Tracebacks, debuggers
  and the source of graph nodes are right without translation, and no temporary files are written.
- `assert` on tensors is always converted, with any message.
- The exception that leaves a converted function is the original object, with the user's lines before its message.

Conversions are cached per code object and options. Ten lines with loops and branches take about 40 ms (TensorFlow:
twice that), ten straight lines 1 ms, a cached one 8 µs; a call that needs no conversion costs 1 µs.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import types
import unittest
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Self

from malt.converters import (
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    directives,
    functions,
    lists,
    logical_expressions,
    return_statements,
    slices,
    variables,
)
from malt.core import converter, unsupported_features_checker
from malt.impl import api as malt_api
from malt.lang import directives as malt_directives
from malt.operators import py_builtins as malt_builtins
from malt.pyct import anno, errors, inspect_utils, naming, origin_info, parser, templates, transformer, transpiler

from reflow.api.autograph import builtin_functions, function_source, list_idioms, statements, status
from reflow.api.autograph.errors import GENERATED
from reflow.api.autograph.status import ControlStatusCtx, Status
from reflow.api.control import functional, vectorized
from reflow.core import nest
from reflow.core.context import state
from reflow.core.fork import new_lock
from reflow.core.logging import warn
from reflow.core.scope import Scope
from reflow.core.tensor import is_tensor
from reflow.function.function import Function
from reflow.graph.graph import Graph
from reflow.ops.dispatch import run

#: modules (and what is below them) whose functions are called as they are
NEVER_CONVERTED = frozenset(
    (
        "reflow", "jax", "jaxlib", "malt", "tensorflow", "keras", "tf_keras", "tensorflow_probability",
        "tensorflow_datasets", "numpy", "scipy", "pandas", "matplotlib", "PIL", "absl", "collections", "copy",
        "cProfile", "inspect", "ipdb", "linecache", "mock", "pathlib", "pdb", "posixpath", "pstats", "re",
        "threading", "urllib", "logging", "functools", "contextlib", "abc", "enum", "typing", "dataclasses",
        "builtins", "pytest", "_pytest",
    )
)
FACTORIES = ("outer_factory", "inner_factory")


ConversionError = malt_api.ConversionError


def options(
    optional_features: Any = None, user_requested: bool = False, recursive: bool = True
) -> converter.ConversionOptions:
    """malt's record of what to convert, from features of `tf.autograph.experimental.Feature`."""
    if optional_features is not None:
        given = (
            optional_features if isinstance(optional_features, (list, tuple, set, frozenset)) else (optional_features,)
        )
        for feature in given:
            if getattr(feature, "name", None) not in converter.Feature.__members__:
                raise TypeError(f"{feature!r} is not a tf.autograph.experimental.Feature")
        optional_features = tuple(converter.Feature[f.name] for f in given)
    return converter.ConversionOptions(
        recursive=recursive, user_requested=user_requested, optional_features=optional_features
    )


# --- rewriting


class _Directives(directives.DirectivesTransformer):
    """Knows our `set_loop_options` as malt's."""

    def visit_Name(self, node: Any) -> Any:
        return _as_malt_directive(super().visit_Name(node))

    def visit_Attribute(self, node: Any) -> Any:
        return _as_malt_directive(super().visit_Attribute(node))


def _as_malt_directive(node: Any) -> Any:
    if anno.getanno(node, directives.STATIC_VALUE, default=None) is status.set_loop_options:
        anno.setanno(node, directives.STATIC_VALUE, malt_directives.set_loop_options)
    return node


class _Asserts(converter.Base):
    """`assert test, message` to an operator; malt's own pass takes only constant messages."""

    def visit_Assert(self, node: Any) -> Any:
        self.generic_visit(node)
        if node.msg is None:
            return templates.replace("ag__.assert_stmt(test)", test=node.test)
        return templates.replace("ag__.assert_stmt(test, lambda: message)", test=node.test, message=node.msg)


class _ConditionalExpressions(conditional_expressions.ConditionalExpressionTransformer):
    """Knows expressions inside expressions, which malt's (and TensorFlow's) leaves alone."""

    def visit_IfExp(self, node: Any) -> Any:
        return super().visit_IfExp(self.generic_visit(node))


def _handlers(node: Any) -> list:
    """The `except ... as name:` clauses."""
    return [x for x in ast.walk(node) if isinstance(x, ast.ExceptHandler) and x.name is not None]


def _returns_at_end(node: Any) -> bool:
    """Whether the only `return` (or none) is the last statement, so that nothing needs to be done about it."""
    returns = [x for x in ast.walk(node) if isinstance(x, ast.Return)]
    inner = any(isinstance(x, ast.FunctionDef) and x is not node for x in ast.walk(node))
    return isinstance(node, ast.FunctionDef) and not inner and (not returns or returns == node.body[-1:])


class Transpiler(malt_api.PyToPy):
    """malt's passes with our operators."""

    def get_transformed_name(self, node: Any) -> str:
        return "tf__" + transpiler.GenericTranspiler.get_transformed_name(self, node)

    def get_extra_locals(self) -> dict[str, Any]:
        return {"ag__": operators()}

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        uses = ctx.user.options.uses
        if (
            function_source.is_straight(node)
            and not uses(converter.Feature.LISTS)
            and not uses(converter.Feature.EQUALITY_OPERATORS)
        ):
            scope = ctx.namer.new_symbol("fscope", ())
            return function_source.straight(
                node, scope, ctx.user.options.to_ast(), uses(converter.Feature.BUILTIN_FUNCTIONS)
            )
        unsupported_features_checker.verify(node)
        has = {type(x) for x in ast.walk(node)}  # a pass over 10 lines takes 1 to 3 ms: only those with something to do
        if ast.NamedExpr in has:  # malt's analyses do not see the name; a piece cut out of the function would lose it
            raise errors.UnsupportedLanguageElementError("assignment expressions (:=) are not supported")
        for handler in _handlers(node):  # malt expects a node here, as TensorFlow's parser makes it
            handler.name = ast.Name(handler.name, ast.Store())
        lone_return = _returns_at_end(node)
        node = self.initial_analysis(node, ctx)
        node = functions.transform(node, ctx)
        if has & {ast.For, ast.While}:
            node = _Directives(ctx).visit(node)
        if ast.Break in has:
            node = break_statements.transform(node, ctx)
        if ast.Assert in has:
            node = _Asserts(ctx).visit(node)
        if has & {ast.Break, ast.Continue}:  # a break becomes a continue first
            node = continue_statements.transform(node, ctx)
        if not lone_return:
            node = return_statements.transform(node, ctx)
        if ctx.user.options.uses(converter.Feature.LISTS):
            node = lists.transform(node, ctx)
            node = slices.transform(node, ctx)
        node = call_trees.transform(node, ctx)
        node = control_flow.transform(node, ctx)
        if ast.IfExp in has:
            node = _ConditionalExpressions(ctx).visit(node)
        node = logical_expressions.transform(node, ctx)
        node = variables.transform(node, ctx)
        for handler in _handlers(node):
            handler.name = handler.name.id
        return node

    def transform_function(self, fn: Any, user_context: Any) -> Any:
        """The `_Factory` for a function, made on first use."""
        key = self.get_caching_key(user_context)
        if self._cache.has(fn, key):
            return self._cache[fn][key]
        with self._cache_lock:
            if not self._cache.has(fn, key):
                node, ctx = self._parsed(fn, user_context)
                self._cache[fn][key] = _Factory(fn, self.transform_ast(node, ctx), ctx, self.get_extra_locals())
            return self._cache[fn][key]

    def _parsed(self, fn: Any, user_context: Any) -> Any:
        """The syntax tree of a function, each node with its place in the user's file; the context for the passes."""
        future_features = inspect_utils.getfutureimports(fn)
        if fn.__name__ == "<lambda>":
            node, source, line, column = function_source.lambda_node(fn)
        else:
            node, source = parser.parse_entity(fn, future_features=future_features)
            line, column = fn.__code__.co_firstlineno, 0
        function_source.check_same_function(node, fn)
        origin_info.resolve(node, source, fn.__code__.co_filename, line, column)
        namespace = inspect_utils.getnamespace(fn)
        namer = naming.Namer(namespace)
        info = transformer.EntityInfo(
            name=namer.new_symbol(self.get_transformed_name(node), ()), source_code=source, source_file="<fragment>",
            future_features=future_features, namespace=namespace,
        )
        return self._erase_arg_defaults(node), transformer.Context(info, namer, user_context)


class _Factory:
    """Makes converted functions of one code object; each gets its own closure and defaults."""

    def __init__(self, fn: Any, node: Any, ctx: Any, extra_locals: dict[str, Any]) -> None:
        self._name = ctx.info.name
        self._freevars = fn.__code__.co_freevars
        self._extra_locals = extra_locals
        if isinstance(node, ast.Lambda):
            node = ast.Assign(targets=[ast.Name(self._name, ctx=ast.Store())], value=node)
        else:
            node.name = self._name
        self._node = node
        inner, outer = (ctx.namer.new_symbol(n, ()) for n in ("inner_factory", "outer_factory"))
        code = _compiled(
            _in_factory(node, self._name, inner, outer, self._freevars, extra_locals, ctx.info.future_features),
            fn.__code__,
        )
        namespace: dict = {}
        exec(code, namespace)  # noqa: S102 - the converted definition
        self._unbound = namespace[outer]()

    @property
    def source(self) -> str:
        """The converted code, to read."""
        return parser.unparse(self._node, include_encoding_marker=False)

    def instantiate(self, fn: Any) -> Any:
        """The converted form of `fn`."""
        code = self._unbound.__code__
        cells = dict(zip(self._freevars, fn.__closure__ or (), strict=True))
        if set(code.co_freevars) != set(self._freevars):
            raise ValueError(
                f"closure mismatch, requested {self._freevars}, but source function had {code.co_freevars}"
            )
        bound = types.FunctionType(
            code, fn.__globals__, self._name, (), tuple(cells[name] for name in code.co_freevars)
        )
        new = bound(**self._extra_locals)
        if fn.__defaults__:
            new.__defaults__ = fn.__defaults__
        if fn.__kwdefaults__:
            new.__kwdefaults__ = fn.__kwdefaults__
        return new


def _in_factory(
    node: Any, name: str, inner: Any, outer: Any, freevars: Sequence[str], extra_locals: dict[str, Any],
    future_features: Sequence[str],
) -> list:
    """Definitions around a converted one: an outer function with its free names as variables, whose cells are exchanged
    for those of the original, and an inner one with `ag__` as argument.
    """
    lines = [f"from __future__ import {', '.join(future_features)}"] if future_features else []
    lines += [
        f"def {outer}():",
        *(f"    {v} = None" for v in freevars),
        f"    def {inner}({', '.join(extra_locals)}):",
        f"        return {name}",
        f"    return {inner}",
    ]
    module = ast.parse("\n".join(lines))
    module.body[-1].body[-2].body.insert(0, node)  # type: ignore[attr-defined]
    return module.body


def _compiled(nodes: Any, original: types.CodeType) -> types.CodeType:
    """Compile generated definitions as if they stood where the user wrote the original."""
    for node in nodes:
        _locate(node, original.co_firstlineno)
    module = ast.Module(body=nodes, type_ignores=[])
    return _renamed(compile(module, original.co_filename, "exec", dont_inherit=True), original.co_name)


def _locate(node: Any, line: int) -> None:
    """Give every node the line it came from; generated ones that of what surrounds them."""
    origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
    if origin is not None:
        line = origin.loc.lineno
    if "lineno" in node._attributes:
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = 0
    for child in ast.iter_child_nodes(node):
        _locate(child, line)


def _renamed(code: types.CodeType, user_name: str) -> types.CodeType:
    """Pieces that the converter made (`loop_body`, ...) get their function's name, for tracebacks."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            name = constant.co_name
            if name in FACTORIES or GENERATED.match(name) or name.removeprefix("tf__") in (user_name, "lam"):
                name = user_name
            constant = _renamed(constant, name).replace(co_name=name)
        constants.append(constant)
    return code.replace(co_consts=tuple(constants))


_TRANSPILER = Transpiler()


def convert_function(fn: Any, conversion_options: Any) -> Callable[..., Any]:
    """The converted form of a function or method's function."""
    factory = _TRANSPILER.transform_function(fn, converter.ProgramContext(options=conversion_options))
    return factory.instantiate(fn)


def source_of(fn: Any, conversion_options: Any) -> str:
    return _TRANSPILER.transform_function(fn, converter.ProgramContext(options=conversion_options)).source


# --- what generated code sees as `ag__`


class FunctionScope(statements.Run):
    """Surrounds the body of each converted function."""

    def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
        super().__init__()
        self.name, self.options = scope_name, options
        self.callopts = _call_options(options)
        self._around: list[Scope] = [ControlStatusCtx(Status.ENABLED, None)] if options.user_requested else []
        graph = state.graph
        if graph is not None and options.uses(converter.Feature.NAME_SCOPES):
            self._around.append(graph.scope(f"fn{function_name}" if function_name.startswith("_") else function_name))
        #: the plain graph whose effects made inside the result waits for, and how many nodes there were before
        self._effects: tuple[Graph, int] | None = None
        if graph is not None and not graph.building_function and options.uses(converter.Feature.AUTO_CONTROL_DEPS):
            self._effects = graph, len(graph.nodes)

    def _apply(self, entry: Any) -> Self:
        for scope in self._around:
            scope.__enter__()
        return super()._apply(entry)

    def _undo(self, entry: Any, late: bool) -> None:
        super()._undo(entry, late)
        for scope in reversed(self._around):
            scope._leave_all(late)

    def ret(self, value: Any, did_return: bool) -> Any:
        """The result; with `Feature.AUTO_CONTROL_DEPS` it waits for effects of the body, as in `tf.function`."""
        value = super().ret(value, did_return)
        if self._effects is None or value is None:
            return value
        graph, start = self._effects
        with graph.control_dependencies([node for node in graph.nodes[start:] if node.record.must_run]):
            return nest.map_structure(lambda x: run("Identity", x) if is_tensor(x) else x, value)


@functools.cache
def _call_options(scope_options: Any) -> Any:
    return scope_options.call_options()


def with_function_scope(thunk: Callable[[Any], Any], scope_name: str, options: Any) -> Any:
    """The result of `thunk`, the body of a lambda, in a `FunctionScope`."""
    with FunctionScope("lambda_", scope_name, options) as scope:
        return thunk(scope)


@functools.cache
def operators() -> types.SimpleNamespace:
    """The namespace `ag__` of converted code."""
    names: dict = {}
    for module in (statements, builtin_functions, list_idioms):
        names.update({name: getattr(module, name) for name in module.__all__})
    names.update(
        converted_call=converted_call, autograph_artifact=status.autograph_artifact, FunctionScope=FunctionScope,
        with_function_scope=with_function_scope, ConversionOptions=converter.ConversionOptions,
        STD=converter.STANDARD_OPTIONS, Feature=converter.Feature,
    )
    return types.SimpleNamespace(**names)


# --- calling

#: functions and types that have been found to need no conversion
_as_it_is: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_lock = new_lock()


# the name that generated code uses
def converted_call(f: Any, args: Any, kwargs: Any, caller_fn_scope: Any = None, options: Any = None) -> Any:  # noqa: A002
    """Call `f`, converted if it is a user's function."""
    kwargs = kwargs or {}
    if options is None:
        options = caller_fn_scope.callopts
    kind = type(f)
    if kind is types.FunctionType or kind is types.MethodType:
        key = f if kind is types.FunctionType else f.__func__
    elif kind is types.BuiltinFunctionType or kind is type:
        return _call_builtin(f, args, kwargs, caller_fn_scope)
    else:
        key = kind
    if not options.user_requested and _is_known(key):
        return _call_taker(f, args, kwargs) if kind is types.FunctionType and _is_taker(f) else f(*args, **kwargs)
    if status.is_disabled() or hasattr(f, "autograph_info__"):
        return f(*args, **kwargs)
    if isinstance(f, functools.partial):
        return converted_call(f.func, f.args + tuple(args), {**f.keywords, **kwargs}, caller_fn_scope, options)
    if not _is_convertible(f, options):
        if not options.user_requested:
            _remember(key)
        return _call_taker(f, args, kwargs) if kind is types.FunctionType and _is_taker(f) else f(*args, **kwargs)
    return _call_converted(f, key, args, kwargs, options)


def _is_known(key: Any) -> bool:
    try:
        return key in _as_it_is
    except TypeError:  # unhashable
        return False


def _remember(key: Any) -> None:
    try:
        with _lock:
            _as_it_is[key] = True
    except TypeError:
        pass


def _call_builtin(f: Any, args: Any, kwargs: Any, scope: Any) -> Any:
    if f is eval:
        return malt_builtins.eval_in_original_context(f, args, scope)
    if f is super:
        return malt_builtins.super_in_original_context(f, args, scope)
    if f is globals:
        return malt_builtins.globals_in_original_context(scope)
    if f is locals:
        return malt_builtins.locals_in_original_context(scope)
    try:
        overload: Any = builtin_functions.OVERLOADS.get(f)
    except TypeError:
        overload = None
    return (overload or f)(*args, **kwargs)


_TAKERS = frozenset((functional.map_fn, functional.scan, functional.foldl, functional.foldr, vectorized.vectorized_map))


def _is_taker(f: types.FunctionType) -> bool:
    """Whether a function is one of ours (or its version 1 form) whose first argument is a user function."""
    return f in _TAKERS or getattr(f, "__wrapped__", None) in _TAKERS


def _call_taker(f: Any, args: Any, kwargs: Any) -> Any:
    if args:
        args = (status.tf_convert(args[0], status.control_status_ctx()), *args[1:])
    elif "fn" in kwargs:
        kwargs = {**kwargs, "fn": status.tf_convert(kwargs["fn"], status.control_status_ctx())}
    return f(*args, **kwargs)


def _is_convertible(f: Any, conversion_options: Any) -> bool:
    """Whether a callable that is neither marked nor builtin is code of the user that can be rewritten."""
    if isinstance(f, (Function, type)) or not conversion_options.internal_convert_user_code:
        return False
    target = f if isinstance(f, (types.FunctionType, types.MethodType)) else getattr(type(f), "__call__", None)  # noqa: B004
    code = getattr(target, "__code__", None)
    if (
        code is None
        or hasattr(target, "autograph_info__")
        or (inspect.isgeneratorfunction(target) and not conversion_options.user_requested)
        or inspect.iscoroutinefunction(target)
    ):
        return False
    package = (getattr(target, "__module__", None) or "").partition(".")[0]
    if package in NEVER_CONVERTED and not code.co_filename.startswith("<doctest"):
        # what the user asked for by name is converted, except Reflow's own code
        return (
            conversion_options.user_requested
            and package != "reflow"
            and isinstance(f, (types.FunctionType, types.MethodType))
        )
    owner = getattr(f, "__self__", None)
    return not isinstance(owner, unittest.TestCase)


def _call_converted(f: Any, key: Any, args: Any, kwargs: Any, conversion_options: Any) -> Any:
    if isinstance(f, types.MethodType):
        target, args = f.__func__, (f.__self__, *args)
    elif isinstance(f, types.FunctionType):
        target = f
    else:
        target, args = type(f).__call__, (f, *args)
    if not function_source.matters(target.__code__):
        return target(*args, **kwargs)
    try:
        converted = convert_function(target, conversion_options)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a rewrite, the function itself can still run
        if is_strict():
            raise
        _warn_unconverted(f, target, error, conversion_options)
        _remember(key)
        return target(*args, **kwargs)
    return converted(*args, **kwargs)


def is_strict() -> bool:
    """Whether the environment asks for errors about functions that cannot be converted, not for running them as is."""
    return int(os.environ.get("AUTOGRAPH_STRICT_CONVERSION", "0")) > 0


_warned: weakref.WeakSet = weakref.WeakSet()


def _warn_unconverted(f: Any, target: Any, error: Exception, conversion_options: Any) -> None:
    code = target.__code__
    if code in _warned or (code.co_filename == "<string>" and not conversion_options.user_requested):
        return
    _warned.add(code)
    report = ""
    if not isinstance(error, (errors.InaccessibleSourceCodeError, errors.UnsupportedLanguageElementError, OSError)):
        report = "This is a limit of Reflow's converter.\n"
    warn(
        "AutoGraph could not transform %s and will run it as-is.\n%sCause: %s\nTo silence this warning, decorate the "
        "function with @tf.autograph.experimental.do_not_convert",
        f,
        report,
        error,
    )
