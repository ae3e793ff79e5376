"""Type dispatch for public functions: `tf.experimental.dispatch_for_api` and related functions.

A *dispatch target* is a function that replaces a public function, its *API*, for arguments of certain types. A wrapper
around each public function would cost every call about 0.2 µs. So an API gets a new body when its first target is
registered, and stays the same object, which may have been imported already. The new body looks for arguments of types
unknown to Reflow and tries the targets in the order of registration; if none accepts the call, the old body runs.
"""

from __future__ import annotations

import collections.abc
import contextlib
import functools
import inspect
import itertools
import sys
import threading
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.export import LISTENERS, TABLE, Made, export, with_sections
from reflow.api.type_checkers import (
    MakeInstanceChecker,
    MakeListChecker,
    MakeUnionChecker,
    PySignatureChecker,
    PyTypeChecker,
)
from reflow.core.dtypes import DType
from reflow.core.name_scope import name_scope
from reflow.core.tensor import EagerTensor

#: argument types for which no target can exist: a call with only these skips the targets
_PLAIN = frozenset((EagerTensor, int, float, str, bytes, bool, complex, type(None), np.ndarray, DType))

#: what a target returns that leaves the call to others
NOT_MINE = object()


def copy_of(function: Made) -> Made:
    """Another function with the same body."""
    assert isinstance(function, types.FunctionType)
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__qualname__, copy.__doc__ = (
        function.__kwdefaults__, function.__qualname__, function.__doc__
    )
    vars(copy).update(vars(function))
    return typing.cast(Made, copy)


class Api:
    """A function with targets.

    `original` is what runs if none of them wants the call: the function as it was, unless given.
    """

    def __init__(self, function: Callable[..., Any], original: Callable[..., Any] | None = None) -> None:
        self.function = function
        self.original = copy_of(function) if original is None else original
        self.signature = inspect.signature(function)
        self.parameters = list(self.signature.parameters)
        self.targets: list[Callable[[tuple, dict], Any]] = []

    def call(self, args: tuple, kwargs: dict) -> Any:
        """What a target returns that wants the call, else what the function itself does."""
        if not _PLAIN.issuperset(map(type, args)) or kwargs and not _PLAIN.issuperset(map(type, kwargs.values())):
            for target in self.targets:
                result = target(args, kwargs)
                if result is not NOT_MINE:
                    return result
        return self.original(*args, **kwargs)

    def argument(self, args: tuple, kwargs: dict, position: int) -> Any:
        """The argument for a parameter, or its default."""
        if position < len(args):
            return args[position]
        name = self.parameters[position]
        return kwargs.get(name, self.signature.parameters[name].default)

    def arguments(self, args: tuple, kwargs: dict) -> list:
        """The arguments for all parameters."""
        return [self.argument(args, kwargs, position) for position in range(len(self.parameters))]


#: the text of a function that calls its `Api`, and what stands above it: so tracebacks show the lines of this file
_ABOVE = "\n" * (sys._getframe().f_lineno + 1)
_FORWARD = """\
def around({names}):
    def forward(*args, **kwargs):
        return _api.call(args, kwargs)
        {names}
    return forward
"""


@functools.cache
def _forwarding(free: tuple[str, ...]) -> types.CodeType:
    """The code of a function that calls its `Api`, the global `_api`. It names the free variables of the function that
    it is given to, because Python reads their cells when a frame's locals are asked for, and crashes where the code
    does not load them."""
    around: dict[str, Any] = {}
    exec(compile(_ABOVE + _FORWARD.format(names=", ".join(free)), __file__, "exec"), around)
    return around["around"](*free).__code__


def _forward(function: types.FunctionType, api: Api) -> None:
    """Give a function the body that calls its `Api`.

    That body finds it by a name in the function's own module, and not among its defaults: Keras 2 saves the code of a
    layer's function without them, and runs it with the names of that module.
    """
    places = (function.__globals__, vars(sys.modules[function.__module__]))
    candidates = (f"_api_of_{function.__name__}{i or ''}" for i in itertools.count())
    name = next(name for name in candidates if not any(name in names for names in places))
    code = _forwarding(function.__code__.co_freevars)
    code = code.replace(co_names=tuple(name if n == "_api" else n for n in code.co_names))
    # in this order, so that a call in another thread finds the old body or a whole new one
    for names in places:
        names[name] = api
    function.__code__ = code
    function.__defaults__ = None


_APIS: dict[Any, Api] = {}
#: function -> the signatures for which targets were registered by `dispatch_for_api`
SIGNATURES: dict[Any, list[dict]] = {}


def support(function: Callable[..., Any], original: Callable[..., Any]) -> Api:
    """Let a function that is not ours have targets.

    It calls the `Api` itself, which runs `original` if no target wants the call.
    """
    api = _APIS[function] = Api(function, original)
    return api


def api_of(function: Any) -> Api:
    """The targets of a public function; ValueError if it cannot have any.

    A wrapper may name its function in `_wraps_api`.
    """
    function = getattr(function, "_wraps_api", function)
    if function not in _APIS:
        if not isinstance(function, types.FunctionType) or not _is_ours(function):
            raise ValueError(f"{function} does not support dispatch.")
        api = _APIS[function] = Api(function)
        function.__signature__ = api.signature  # type: ignore[attr-defined]
        _forward(function, api)
    return _APIS[function]


def _is_ours(function: types.FunctionType) -> bool:
    return function.__module__.split(".")[0] == __name__.split(".")[0]


# --- which calls a target wants ---------------------------------------------------------------------------------------


def _checker(annotation: Any) -> PyTypeChecker:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return MakeUnionChecker(_checker(part) for part in parts)
    if origin in (list, collections.abc.Sequence) and len(parts) == 1:
        return MakeListChecker(_checker(parts[0]))
    if not isinstance(annotation, type):
        raise ValueError(
            f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: type "
            "objects,  List[...], and Union[...]"
        )
    return MakeInstanceChecker(annotation)


def _signature_checker(api: Api, signature: dict) -> PySignatureChecker:
    if not isinstance(signature, dict):
        raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
    result = []
    for name, annotation in signature.items():
        if isinstance(name, int) and 0 <= name < len(api.parameters):
            name = api.parameters[name]
        if name not in api.parameters:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        result.append((api.parameters.index(name), _checker(annotation)))
    return PySignatureChecker(result)


def _fitted(target: Callable, wanted: inspect.Signature) -> Callable:
    """A function with the wanted parameters, whatever their defaults. One that lacks `name` runs in a scope of that
    name if a call gives it one; one of any arguments takes all.

    Raises:
      ValueError: the function has other parameters.
    """
    own = list(inspect.signature(target).parameters.values())
    if [p.kind for p in own] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return target
    unnamed = "name" in wanted.parameters and all(p.name != "name" and p.kind is not p.VAR_KEYWORD for p in own)
    given = [*own, wanted.parameters["name"]] if unnamed else own
    if [(p.name, p.kind) for p in given] != [(p.name, p.kind) for p in wanted.parameters.values()]:
        found, expected = (
            "(" + ", ".join(str(p.replace(annotation=p.empty)) for p in parameters) + ")"
            for parameters in (given, wanted.parameters.values())
        )
        raise ValueError(f"Dispatch function's signature {found} does not match API's signature {expected}.")
    if not unnamed:
        return target

    def named(*args, **kwargs):
        bound = wanted.bind(*args, **kwargs)
        name = bound.arguments.pop("name", None)
        with contextlib.nullcontext() if name is None else name_scope(name):
            return target(*bound.args, **bound.kwargs)

    return named


@export("experimental.dispatch_for_api")
def dispatch_for_api(api, *signatures):
    """Decorates a function that replaces a public function if the arguments have the given types.

    Args:
      api: The public function.
      *signatures: Dictionaries from parameter names to types, `Union[...]` and `List[...]` of types; without any, the
        function's annotations. At least one argument must be of a non-tensor type.

    Returns:
      A decorator, which registers the function and returns it unchanged.

    Raises:
      ValueError: `api` is not a public function, a signature names a parameter that it does not have, or the decorated
        function has other parameters.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[Masked]})
    ... def concat_masked(values, axis, name="concat"):
    ...     return Masked(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))
    >>> tf.concat([Masked([1], [True]), Masked([2], [False])], 0).mask.numpy().tolist()
    [True, False]
    """
    registered = api_of(api)
    given = [_signature_checker(registered, signature) for signature in signatures]

    def decorate(target):
        run = _fitted(target, registered.signature)
        wanted = given or [_signature_checker(registered, _annotations(target))]

        def attempt(args, kwargs):
            all_args = registered.arguments(args, kwargs)
            fits = any(checker.CheckCanonicalizedArgs(all_args) for checker in wanted)
            return run(*args, **kwargs) if fits else NOT_MINE

        registered.targets.append(attempt)
        told = list(signatures) or [_annotations(target)]
        known = SIGNATURES.setdefault(api, [])
        known.extend(told)

        def take_back():
            registered.targets.remove(attempt)
            known[:] = [signature for signature in known if not any(signature is mine for mine in told)]

        _UNDO.setdefault(target, []).append(take_back)
        return target

    return decorate


#: what takes back each registration of a function by one of the decorators
_UNDO: dict[Callable, list[Callable[[], Any]]] = {}


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target):
    """Undoes what `dispatch_for_api` or a related function registered for a function.

    Args:
      dispatch_target: The function that was decorated.

    Returns:
      None.

    Raises:
      ValueError: It was not decorated.

    >>> class Length(tf.experimental.ExtensionType):
    ...     metres: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Length)
    ... def of_length(function, x):
    ...     return Length(function(x.metres))
    >>> tf.abs(Length(-2)).metres.numpy().item()
    2
    >>> tf.experimental.unregister_dispatch_for(of_length)
    >>> try:
    ...     tf.abs(Length(-2))
    ... except (TypeError, ValueError):
    ...     print("nobody knows lengths")
    nobody knows lengths
    """
    try:
        undo = _UNDO.pop(dispatch_target)
    except (KeyError, TypeError):
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        ) from None
    for take_back in undo:
        take_back()


def _annotations(target) -> dict:
    hints = {name: hint for name, hint in typing.get_type_hints(target).items() if name != "return"}
    if not hints:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that "
            "has type annotations on its parameters."
        )
    return hints


# --- all elementwise functions at once --------------------------------------------------------------------------------

UNARY = """
    zeros_like ones_like debugging.check_numerics math.abs math.softplus math.sign math.real math.imag math.angle
    math.round cast dtypes.saturate_cast math.sigmoid math.log_sigmoid math.conj math.reciprocal_no_nan math.erfinv
    math.ndtri math.erfcinv math.ceil math.sqrt math.exp math.rsqrt math.acos math.floor bitwise.invert math.acosh
    math.asin math.asinh math.atan math.atanh math.cos math.cosh math.digamma math.erf math.erfc math.expm1
    math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.logical_not math.negative math.nextafter
    math.reciprocal math.rint math.sin math.sinh math.square math.tan math.tanh nn.relu6 nn.leaky_relu nn.gelu
    nn.elu nn.relu nn.selu nn.softsign compat.v1.nn.log_softmax strings.regex_full_match strings.regex_replace
    strings.length
    strings.substr strings.to_number strings.to_hash_bucket strings.as_string io.decode_base64 io.encode_base64
    strings.lower strings.upper strings.unicode_transcode strings.strip strings.to_hash_bucket_fast
    strings.to_hash_bucket_strong strings.unicode_script math.special.dawsn math.special.expint math.special.fresnel_cos
    math.special.fresnel_sin math.special.spence math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e
    math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_j0
    math.special.bessel_j1 math.special.bessel_y0 math.special.bessel_y1 clip_by_value nn.silu image.random_brightness
    image.stateless_random_brightness image.adjust_brightness image.adjust_gamma image.convert_image_dtype
    io.decode_compressed
"""
BINARY = """
    math.divide div math.multiply math.subtract math.scalar_mul math.pow dtypes.complex math.truediv math.divide_no_nan
    math.multiply_no_nan math.mod math.floordiv math.logical_xor math.add math.squared_difference math.equal
    math.not_equal math.xdivy math.xlog1py bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
    bitwise.right_shift math.atan2 math.floormod math.greater math.greater_equal math.less math.less_equal
    math.logical_and math.logical_or math.maximum math.minimum realdiv truncatediv truncatemod math.xlogy math.zeta
    nn.sigmoid_cross_entropy_with_logits
"""
ASSERTS = """
    debugging.assert_equal debugging.assert_none_equal debugging.assert_near debugging.assert_less
    debugging.assert_less_equal debugging.assert_greater debugging.assert_greater_equal
"""


def teach(names: str, target: Callable[[Api, tuple, dict], Any], skip: str = "") -> None:
    """Register a target for every public function with one of these names. See `teach_all`."""
    wanted = frozenset(names.split())
    teach_all(lambda name: name in wanted, target, skip)


def teach_all(wanted: Callable[[str], bool], target: Callable[[Api, tuple, dict], Any], skip: str = "") -> None:
    """Register a target for every public function with a wanted name. A function that has the attribute `skip` needs
    none. `target(api, args, kwargs)` may return `NOT_MINE`."""
    each_api(wanted, lambda api: _add_target(api, target), skip)


def each_api(wanted: Callable[[str], bool], visit: Callable[[Api], None], skip: str = "") -> None:
    """Do something once with every public function with a wanted name, now or when its module is loaded."""
    known: set[Any] = set()

    def register(name: str, thing: Any) -> None:
        by_name = wanted(name) or wanted(name.removeprefix("compat.v1."))  # a name may be meant for version 1 alone
        if not by_name or not isinstance(thing, types.FunctionType) or not _is_ours(thing):
            return
        if thing not in known and not (skip and hasattr(thing, skip)):
            known.add(thing)
            visit(api_of(thing))

    for name, thing in list(TABLE.items()):
        register(name, thing)
    LISTENERS.append(register)


def rest_bound(api: Api, args: tuple, kwargs: dict, count: int) -> tuple[list, Callable]:
    """The first `count` arguments of a call, and the function of them that is left when all others are fixed."""
    first = api.arguments(args, kwargs)[:count]
    rest = {name: value for name, value in kwargs.items() if name not in api.parameters[:count]}
    if not rest and len(args) <= count:
        return first, api.function
    return first, lambda *values: api.function(*values, *args[count:], **rest)


_HANDLERS: dict[Any, Callable] = {}
#: kind of elementwise functions -> additional functions of this kind, and the targets for all of the kind
_FURTHER: dict[str, list[Callable]] = {}
_ATTEMPTS: dict[str, list[Callable[[Api, tuple, dict], Any]]] = {}


def _add_target(api: Api, target: Callable[[Api, tuple, dict], Any]) -> None:
    api.targets.append(lambda args, kwargs: target(api, args, kwargs))


def further_elementwise(kind: str, function: Callable) -> None:
    """Count a function among the elementwise functions of a kind."""
    api = api_of(function)
    _FURTHER.setdefault(kind, []).append(function)
    for attempt in _ATTEMPTS.get(kind, ()):
        _add_target(api, attempt)


def _elementwise_decorator(kind: str, names: str, annotations: tuple):
    checker = PySignatureChecker(enumerate(map(_checker, annotations)))
    shown = annotations[0] if len(annotations) == 1 else annotations

    def decorate(handler):
        if (kind, shown) in _HANDLERS:
            raise ValueError(
                f"A {kind} dispatch handler ({_HANDLERS[kind, shown]}) has already been registered for {shown}."
            )
        _HANDLERS[kind, shown] = handler
        taken_back = threading.Event()
        _UNDO.setdefault(handler, []).extend([taken_back.set, lambda: _HANDLERS.pop((kind, shown))])

        def attempt(api, args, kwargs):
            if taken_back.is_set():
                return NOT_MINE
            values, function = rest_bound(api, args, kwargs, len(annotations))
            return handler(function, *values) if checker.CheckCanonicalizedArgs(values) else NOT_MINE

        teach(names, attempt)
        _ATTEMPTS.setdefault(kind, []).append(attempt)
        for function in _FURTHER.get(kind, ()):
            _add_target(api_of(function), attempt)
        return handler

    return decorate


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type):
    """Decorates a function that handles all elementwise functions of one argument for a type.

    The handler gets the function that was called, with all but the first argument fixed, and that argument.

    Args:
      x_type: The type of the argument, or a `Union[...]` or `List[...]` of types.

    Returns:
      A decorator, which registers the handler and returns it unchanged.

    Raises:
      ValueError: The type has a handler already, or it is not a type.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def handle(api, x):
    ...     return Masked(api(x.values), x.mask)
    >>> tf.math.square(Masked([3], [True])).values.numpy().tolist()
    [9]
    """
    return _elementwise_decorator("unary elementwise", UNARY, (x_type,))


_BINARY = """\
Args:
  x_type: The type of the first argument, or a `Union[...]` or `List[...]` of types.
  y_type: The type of the second argument.

Returns:
  A decorator, which registers the handler and returns it unchanged.

Raises:
  ValueError: The types have a handler already, or they are not types.
"""


@export("experimental.dispatch_for_binary_elementwise_apis")
@with_sections(_BINARY)
def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """Decorates a function that handles all elementwise functions of two arguments for two types.

    The handler gets the function that was called, with all but the first two arguments fixed, and these two.

    >>> class Metres(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Metres, Metres)
    ... def handle(api, x, y):
    ...     return Metres(api(x.value, y.value))
    >>> tf.add(Metres(1), Metres(2)).value.numpy().item()
    3
    """
    return _elementwise_decorator("binary elementwise", BINARY, (x_type, y_type))


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
@with_sections(_BINARY)
def dispatch_for_binary_elementwise_assert_apis(x_type, y_type):
    """Decorates a function that handles all assertions about two arguments (`tf.debugging.assert_equal`…) for two
    types.

    The handler gets the function that was called, with all but the first two arguments fixed, and these two.

    >>> class Grams(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Grams, Grams)
    ... def handle(api, x, y):
    ...     return api(x.value, y.value)
    >>> tf.debugging.assert_less(Grams(1), Grams(2))
    """
    return _elementwise_decorator("binary elementwise assert", ASSERTS, (x_type, y_type))
