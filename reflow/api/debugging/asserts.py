"""`tf.debugging`: checks of values and ranks, and the filter of tracebacks.

Statically known facts are checked immediately; everything else becomes an `Assert` node.
"""

from __future__ import annotations

import contextlib

import numpy as np

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.control import printing
from reflow.api.export import export, export_function, with_sections
from reflow.api.math import arithmetic, reduce, unary
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import EagerTensor, is_tensor
from reflow.eager.tracebacks import Filter
from reflow.ops.convert import convert_to_tensor


def _prefix(message) -> str:
    return f"{message}.  " if message else ""


def _label(x) -> str:
    """How a message names a tensor."""
    return f"shape={x.shape} dtype={x.dtype.name}" if isinstance(x, EagerTensor) else x.name


def _scoped(name: str):
    return state.graph.scope(name) if state.graph is not None else _NO_SCOPE


_NO_SCOPE = contextlib.nullcontext()


# --- comparisons ----------------------------------------------------------------------------------------------------


def _said(message: list, usual: list, data) -> list:
    """The text of a failing node: the message, then what the user passed (in version 1), or else the usual text."""
    return [*message, *(usual if data is None else data)]


def compare(public: str, sign: str, static, x, y, message, summarize, name, data=None):
    """Fail unless `x sign y` holds for all elements. `data`: what a node of a graph says in place of x and y."""
    with _scoped(name or f"assert_{public}"):
        x, y = convert_to_tensor(x), convert_to_tensor(y)  # each on its own: a number has its own dtype
        holds = _OPS[sign](x, y)
        if state.graph is None:
            if not holds._host().all():
                if data is not None:
                    said = _said([message] if message else [], [], data)
                    raise InvalidArgumentError(None, None, "\n".join(str(getattr(d, "_value", d)) for d in said))
                _complain(sign, holds._host(), x, y, message, summarize)
            return None
        a, b = arrange.get_static_value(x), arrange.get_static_value(y)
        usual = [f"Condition x {sign} y did not hold element-wise:", f"x ({_label(x)}) = ", x, f"y ({_label(y)}) = ", y]
        data = _said([message] if message else [], usual, data)
        if a is not None and b is not None and not np.all(static(a, b)):
            raise _known_to_fail(data)
        return printing.assert_(reduce.reduce_all(holds), data, summarize)


def _known_to_fail(data: list) -> InvalidArgumentError:
    """The error while a graph is built, about numbers that are known."""
    lines = [d if isinstance(d, str) else str(arrange.get_static_value(d)) for d in data]
    return InvalidArgumentError(None, None, "\n".join(lines))


_OPS = {
    "==": arithmetic.equal,
    "!=": arithmetic.not_equal,
    "<": arithmetic.less,
    "<=": arithmetic.less_equal,
    ">": arithmetic.greater,
    ">=": arithmetic.greater_equal,
}


def _complain(sign, holds, x, y, message, summarize):
    limit = 3 if summarize is None else (10**9 if summarize < 0 else summarize)
    a, b = x._host(), y._host()
    lines = [*([message] if message else []), f"Condition x {sign} y did not hold."]
    if a.shape == b.shape and a.ndim:
        where = np.argwhere(~holds)
        count = min(limit, len(where))
        lines += [
            f"Indices of first {count} different values:",
            str(where[:count]),
            "Corresponding x values:",
            str(a[~holds][:count]),
            "Corresponding y values:",
            str(b[~holds][:count]),
        ]
    for text, values in (("x", a), ("y", b)):
        flat = values.reshape(-1)
        count = min(flat.size, limit)
        lines += [f"First {count} elements of {text}:", str(flat[:count])]
    raise InvalidArgumentError(None, None, "\n".join(lines))


#: what checks return in a graph whose result is known while it is built
_OR_NONE = ", or None where the check is done already"
_CHECK = """\
Args:
  x: A tensor.
  y: A tensor of the same dtype, broadcast with `x`.
  message: What the error says first.
  summarize: How many elements the error shows; 3 by default, -1 for all.
  name: A name for the operation.

Returns:
  None in eager code; in a graph the operation that checks{or_none}.

Raises:
  InvalidArgumentError: It does not hold.
"""


@export("debugging.assert_equal", "assert_equal")
@with_sections(_CHECK, or_none=_OR_NONE)
def assert_equal(x, y, message=None, summarize=None, name=None):
    """Fails unless all elements are equal.

    >>> assert_equal([1, 2], [1, 2])
    """
    if state.graph is not None:
        if x is y:
            return None
        with _scoped(name or "assert_equal"):  # TensorFlow opens it twice: the nodes are called `assert_equal_1/Equal`
            pass
    return compare("equal", "==", np.equal, x, y, message, summarize, name)


@export("debugging.assert_none_equal")
@with_sections(_CHECK, or_none=_OR_NONE)
def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Fails unless all elements differ.

    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    return compare("none_equal", "!=", np.not_equal, x, y, message, summarize, name)


def _comparison(sign: str, ufunc, example: int, *names: str):
    kind = names[0].removeprefix("debugging.assert_")

    def function(x, y, message=None, summarize=None, name=None):
        return compare(kind, sign, ufunc, x, y, message, summarize, name)

    shown = f">>> tf.{names[0]}([2, 3], {example})"
    checked = export_function(function, *names, doc=f"Fails unless `x {sign} y` for all elements.", example=shown)
    return with_sections(_CHECK, or_none="")(checked)


assert_less = _comparison("<", np.less, 4, "debugging.assert_less", "assert_less")
assert_less_equal = _comparison("<=", np.less_equal, 3, "debugging.assert_less_equal")
assert_greater = _comparison(">", np.greater, 1, "debugging.assert_greater", "assert_greater")
assert_greater_equal = _comparison(">=", np.greater_equal, 2, "debugging.assert_greater_equal")


def against_zero(public: str, sign: str, x, message, summarize, name, data=None):
    """Fail unless `x sign 0` holds for all elements."""
    with _scoped(name or f"assert_{public}"):
        x = convert_to_tensor(x)
        zero = convert_to_tensor(0, x.dtype)
        holds = _OPS[sign](x, zero)
        what = f"Condition x {sign} 0 did not hold element-wise:"
        if state.graph is None:
            if not holds._host().all():
                flat = x._host().reshape(-1)
                limit = 3 if summarize is None else (flat.size if summarize < 0 else summarize)
                after = "" if sign == "<=" else "\n"  # TensorFlow's text lacks this one
                shown = [str(v) for v in flat[:limit]] + (["..."] if flat.size > limit else [])
                raise InvalidArgumentError(None, None, f"{_prefix(message)}\n{what}{after}x ({_label(x)}) = \n{shown}")
            return None
        texts = [what, f"x ({_label(x)}) = "]
        if sign == "<=":  # one text there too
            texts = ["".join(texts)]
        said = _said([_prefix(message)], [*texts, x], data)
        known = arrange.get_static_value(x)
        if known is not None and not np.all(_SIGNS[sign](known, 0)):
            raise _known_to_fail(said)
        return printing.assert_(reduce.reduce_all(holds), said, summarize)


_SIGNS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


def _sign_check(sign: str, kind: str, what: str, example: list):
    def function(x, message=None, summarize=None, name=None):
        return against_zero(kind, sign, x, message, summarize, name)

    public = f"debugging.assert_{kind}"
    doc = f"Fails unless {what} zero.\n\nArgs:\n  x: A tensor of real numbers."
    checked = export_function(function, public, doc=doc, example=f">>> tf.{public}({example})")
    return with_sections(_CHECK, or_none="")(checked)


assert_positive = _sign_check(">", "positive", "all elements are above", [1.0, 2.0])
assert_negative = _sign_check("<", "negative", "all elements are below", [-1.0, -2.0])
assert_non_negative = _sign_check(">=", "non_negative", "no element is below", [0.0, 2.0])
assert_non_positive = _sign_check("<=", "non_positive", "no element is above", [0.0, -2.0])


@export("debugging.assert_near")
@with_sections(_CHECK, or_none=_OR_NONE)
def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Fails unless `|x - y| <= atol + rtol * |y|` elementwise.

    Args:
      x: A tensor of floats or complex numbers.
      rtol: The relative tolerance; by default ten times the dtype's epsilon.
      atol: The absolute tolerance; by default the same.

    >>> tf.debugging.assert_near([1.0], [1.0 + 1e-7])
    """
    return near(x, y, rtol, atol, message, summarize, name)


def near(x, y, rtol, atol, message, summarize, name, data=None):
    """`assert_near`, with what a node of a graph says in place of x and y."""
    with _scoped(name or "assert_near"):
        x = convert_to_tensor(x)
        y = convert_to_tensor(y, x.dtype)
        real = x.dtype.real_dtype
        step = 10 * 2.0**-8 if real is dtypes.bfloat16 else 10 * np.finfo(real.np_dtype).eps
        rtol = convert_to_tensor(step if rtol is None else rtol, real, name="rtol")
        atol = convert_to_tensor(step if atol is None else atol, real, name="atol")
        difference = unary.abs(arithmetic.subtract(x, y))
        bound = arithmetic.add(atol, arithmetic.multiply(rtol, unary.abs(y)))
        holds = reduce.reduce_all(arithmetic.less_equal(difference, bound))
        what = f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}"
        usual = [what, f"x ({_label(x)}) = ", x, f"y ({_label(y)}) = ", y]
        return printing.assert_(holds, _said([_prefix(message)], usual, data), summarize)


# --- numbers --------------------------------------------------------------------------------------------------------


_FINITE = """\
Args:
  {tensor}: A tensor of floats.
  message: What the error says first.
  name: A name for the operation.

Returns:
  The tensor itself.

Raises:
  InvalidArgumentError: An element is infinite or NaN.
"""


@export("debugging.check_numerics")
@with_sections(_FINITE, tensor="tensor")
def check_numerics(tensor, message, name=None):
    """Fails if a tensor has an infinite or NaN element.

    >>> tf.debugging.check_numerics([1.0, 2.0], "bad gradient").numpy().tolist()
    [1.0, 2.0]
    """
    return call("CheckNumerics", (convert_to_tensor(tensor),), {"message": message}, name)


@export("debugging.assert_all_finite")
@with_sections(_FINITE, tensor="x")
def assert_all_finite(x, message, name=None):
    """Fails unless all elements of a tensor are finite.

    >>> tf.debugging.assert_all_finite(tf.constant([1.0, 2.0]), "not finite").numpy().tolist()
    [1.0, 2.0]
    """
    return check_numerics(x, message, name)


# --- shapes ---------------------------------------------------------------------------------------------------------


def _rank_check(x, rank, message, name, fits, words: str, dynamic, scope: str, data, summarize):
    with _scoped(name or scope):
        if not isinstance(x, (SparseTensor, RaggedTensor)):
            x = convert_to_tensor(x)
        known = x.shape.rank
        label = getattr(x, "name", "") if state.graph is not None else ""
        static = arrange.get_static_value(rank) if is_tensor(rank) else np.asarray(rank)
        if static is not None and np.ndim(static):
            raise ValueError("Rank must be a scalar.")
        if known is not None and static is not None:
            if not fits(known, int(static)):
                raise ValueError(
                    f"{_prefix(message)}Tensor {label} must have rank {words}{int(static)}.  Received rank "
                    f"{known}, shape {x.shape}"
                )
            return None
        rank = convert_to_tensor(rank, dtypes.int32)
        holds = dynamic(arrange.rank(x), rank)
        usual = [f"Tensor {label} must have rank {words}".rstrip(), rank, "Received shape: ", arrange.shape(x)]
        return printing.assert_(holds, _said([_prefix(message)], usual, data), summarize)


def rank_is(x, rank, message, name, data=None, summarize=None):
    return _rank_check(
        x, rank, message, name, lambda a, b: a == b, "", arithmetic.equal, "assert_rank", data, summarize
    )


def rank_at_least(x, rank, message, name, data=None, summarize=None):
    fits, scope = (lambda a, b: a >= b), "assert_rank_at_least"
    return _rank_check(x, rank, message, name, fits, "at least ", arithmetic.greater_equal, scope, data, summarize)


_RANK = """\
Args:
  x: A tensor, ragged or sparse too.
  rank: The number, a scalar.
  message: What the error says first.
  name: A name for the operation.

Returns:
  None in eager code; in a graph the operation that checks, or None where the check is done already.

Raises:
  ValueError: {wrong}, where {it} is known.
  InvalidArgumentError: {wrong}, where {it} is known only when the graph runs.
"""


def _rank_assertion(check, doc, wrong, it, example, *names):
    def function(x, rank, message=None, name=None):
        return check(x, rank, message, name)

    doc = f"{doc}\n\n{_RANK.format(wrong=wrong, it=it)}"
    return export_function(function, *names, doc=doc, example=example)


assert_rank = _rank_assertion(
    rank_is, "Fails unless a tensor has a given number of axes.", "The rank is another", "it",
    ">>> assert_rank([[1]], 2)", "debugging.assert_rank", "assert_rank",
)
assert_rank_at_least = _rank_assertion(
    rank_at_least, "Fails unless a tensor has at least a given number of axes.", "There are fewer axes", "their number",
    ">>> tf.debugging.assert_rank_at_least([[1, 2]], 1)", "debugging.assert_rank_at_least",
)


@export("debugging.assert_rank_in")
@with_sections(_RANK, wrong="The rank is another", it="it")
def assert_rank_in(x, ranks, message=None, name=None):
    """Fails unless a tensor's number of axes is one of several.

    Args:
      ranks: The numbers, a list of scalars.

    >>> tf.debugging.assert_rank_in([[1, 2]], [1, 2])
    """
    return rank_in(x, ranks, message, name)


def rank_in(x, ranks, message, name, data=None, summarize=None):
    with _scoped(name or "assert_rank_in"):
        x = x if isinstance(x, (SparseTensor, RaggedTensor)) else convert_to_tensor(x)
        known = x.shape.rank
        wanted = tuple(arrange.get_static_value(r) if is_tensor(r) else np.asarray(r) for r in ranks)
        if any(w is not None and np.ndim(w) for w in wanted):
            raise ValueError("Rank must be a scalar.")
        label = getattr(x, "name", "") if state.graph is not None else ""
        if known is not None and all(w is not None for w in wanted):
            numbers = tuple(int(w) for w in wanted)
            if known not in numbers:
                raise ValueError(
                    f"{_prefix(message)}Tensor {label} must have rank in {numbers}.  Received rank {known}, "
                    f"shape {x.shape}"
                )
            return None
        tensors = [convert_to_tensor(r, dtypes.int32) for r in ranks]
        rank = arrange.rank(x)
        holds = reduce.reduce_any(arrange.stack([arithmetic.equal(rank, t) for t in tensors]))
        usual = [f"Tensor {label} must have rank in", *tensors, "Received shape: ", arrange.shape(x)]
        return printing.assert_(holds, _said([_prefix(message)], usual, data), summarize)


#: what the docstrings of the checks have in common that Python makes, in a graph too
PYTHON_CHECK = """\
Args:
  tensor: A tensor.
  message: What the error says first.
  name: Has no effect.

Returns:
  None.
"""


@export("debugging.assert_scalar")
@with_sections(PYTHON_CHECK)
def assert_scalar(tensor, message=None, name=None):
    """Fails unless a tensor is known to have no axes.

    Raises:
      ValueError: It has axes, or may have.

    >>> tf.debugging.assert_scalar(tf.constant(1))
    """
    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank != 0:
        which = "" if isinstance(tensor, EagerTensor) else f" for {tensor.name}"
        raise ValueError(f"{_prefix(message)}Expected scalar shape{which}, saw shape: {tensor.shape}.")


# --- tracebacks -----------------------------------------------------------------------------------------------------


def _traceback_switch(name, on, doc):
    def switch():
        Filter.on = on

    example = f">>> tf.{name}()\n>>> tf.debugging.is_traceback_filtering_enabled()\n{on}"
    back = "" if on else "\n>>> tf.debugging.enable_traceback_filtering()"
    return export_function(switch, name, doc=f"{doc}\n\nReturns:\n  None.", example=example + back)


enable_traceback_filtering = _traceback_switch(
    "debugging.enable_traceback_filtering", True,
    "Hides the library's own frames from the tracebacks of `tf.function`s, and the errors of kernels behind those of\n"
    "ops. (Keras has its own switch.)",
)
disable_traceback_filtering = _traceback_switch(
    "debugging.disable_traceback_filtering", False, "Shows all frames in tracebacks, and the errors behind errors."
)


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Tells whether the library's own frames are hidden.

    Returns:
      A bool, True at first.

    >>> is_traceback_filtering_enabled()
    True
    """
    return Filter.on
