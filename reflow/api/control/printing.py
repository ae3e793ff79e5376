"""`tf.print` and `tf.Assert`. In a graph they add nodes, which run in program order."""

from __future__ import annotations

import os
import pprint
import sys

from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.api.framework import v1_logging
from reflow.api.strings.formatting import format_tensors
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.sparse import SparseTensor
from reflow.core.tensor import is_tensor
from reflow.ops.convert import convert_to_tensor


def _stream(output_stream) -> str:
    """The name of a stream, as `PrintV2` has it."""
    if output_stream is sys.stdout or output_stream is sys.__stdout__:
        return "stdout"
    if output_stream is sys.stderr or output_stream is sys.__stderr__:
        return "stderr"
    if isinstance(output_stream, str) and output_stream.startswith("file://"):
        return output_stream
    for function, level in ((v1_logging.info, "info"), (v1_logging.warn, "warning"), (v1_logging.error, "error")):
        if output_stream is function:
            return f"log({level})"
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{output_stream}. Supported streams are sys.stdout, "
        "sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the "
        "form of 'file://<filepath>'."
    )


class _Leaf:
    """Stands for a tensor in a structure that is written by `pprint`."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _template(inputs, sep: str, sign: str = "⟦⟧"):
    """The text with a placeholder for each tensor, the placeholder, and the tensors.

    `sign` marks the places until the text is known, and with it which placeholder does not occur in it.
    """
    tensors: list = []
    places = 0

    def leaf(x):
        nonlocal places
        if isinstance(x, SparseTensor):
            tensors.extend([x.indices, x.values, x.dense_shape])
            places += 3
            return f"SparseTensor(indices={sign}, values={sign}, shape={sign})"
        if isinstance(x, RaggedTensor) or (is_tensor(x) and not getattr(x, "_is_composite", False)):
            tensors.append(x if isinstance(x, RaggedTensor) else convert_to_tensor(x))
            places += 1
            return _Leaf(sign)
        return x

    text = sep.join([x if isinstance(x, str) else pprint.pformat(nest.map_structure(leaf, x)) for x in inputs])
    if text.count(sign) != places:  # the user's own text has the sign
        return _template(inputs, sep, sign + sign)
    mark, number = "{}", 0
    while mark in text:
        mark, number = f"{{}}{number}", number + 1
    return text.replace(sign, mark), mark, tensors


@export("print")
def print_(*inputs, **kwargs):
    """Prints tensors and structures of them when the statement runs: in a function, at every call.

    Args:
      *inputs: What to print, in one line.
      **kwargs: `output_stream`: `sys.stderr` by default, `sys.stdout`, a path after `"file://"`, or `info`, `warn` or
        `error` of `tf.compat.v1.logging`. `summarize`: how many elements to show at both ends of each axis, 3 by
        default, -1 for all. `sep` and `end`: what stands between the inputs and at the end. `name`: a name for the
        operation.

    Returns:
      None in eager code, the operation in a graph.

    Raises:
      ValueError: There is another keyword, or no such stream.

    >>> print_("x:", [1, 2], output_stream=sys.stdout)
    x: [1, 2]
    """
    output_stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    stream = _stream(output_stream)
    text = _formatted(inputs, sep, 3 if summarize is None else summarize)
    call("PrintV2", (text,), {"output_stream": stream, "end": end}, name)
    return None if state.graph is None else state.graph.nodes[-1]


def _formatted(inputs, sep, summarize):
    """The line as a string tensor."""
    if (
        len(inputs) == 1
        and getattr(inputs[0], "dtype", None) is dtypes.string
        and getattr(inputs[0], "shape", None) is not None
        and (not isinstance(inputs[0], RaggedTensor) and inputs[0].shape.rank == 0)
    ):
        return convert_to_tensor(inputs[0])
    template, mark, tensors = _template(inputs, sep)
    return format_tensors(template, mark, tensors, summarize)


def _shown(tensor, summarize) -> str:
    """A tensor in the message of an eager `tf.Assert`."""
    flat = tensor.numpy().reshape(-1) if tensor.shape.rank else [tensor.numpy()]
    limit = 3 if summarize is None else (len(flat) if summarize < 0 else summarize)
    texts = [str(v) for v in flat[:limit]]
    if tensor.shape.rank and len(texts) < len(flat):
        texts.append("...")
    return ", ".join(texts)


@export("debugging.Assert", "Assert")
def assert_(condition, data, summarize=None, name=None):
    """Fails with `data` in the message unless `condition` holds.

    Args:
      condition: A scalar bool tensor or a bool.
      data: A list of tensors and texts for the message.
      summarize: How many elements of each to show; 3 by default, -1 for all.
      name: A name for the operation.

    Returns:
      None in eager code, the operation in a graph.

    Raises:
      InvalidArgumentError: `condition` does not hold.
      TypeError: `data` is a tensor.

    >>> assert_(True, ["never seen"])
    """
    if state.graph is None:
        if not condition:
            if is_tensor(data):
                raise TypeError("values must be a sequence.")
            texts = "\n".join(_shown(convert_to_tensor(x), summarize) for x in data)
            raise InvalidArgumentError(None, None, f"Expected '{condition!s}' to be true. Summarized data: {texts}")
        return None
    if is_tensor(data):
        raise TypeError("values must be a sequence.")
    with state.graph.scope(name or "Assert"):
        tensors = [convert_to_tensor(x) for x in data]
        if not tensors:
            raise ValueError("Attr 'T' of 'Assert' Op passed list of length 0 less than minimum 1.")
        attrs = {"T": [t.dtype for t in tensors], "summarize": 3 if summarize is None else summarize}
        call("Assert", (convert_to_tensor(condition, dtype_hint=dtypes.bool_), *tensors), attrs)
    return state.graph.nodes[-1]


Assert = export_value(assert_, "compat.v1.Assert")


@export("no_op")
def no_op(name=None):
    """Does nothing, as an operation for control dependencies.

    Args:
      name: A name for the operation.

    Returns:
      None in eager code, the operation in a graph.

    >>> no_op()
    """
    if state.graph is None:
        return None
    call("NoOp", (), {}, name or "NoOp")
    return state.graph.nodes[-1]


@export("group")
def group(*inputs, **kwargs):
    """Groups inputs into one operation that completes when all of them do.

    Args:
      *inputs: Tensors and operations, also in structures.
      **kwargs: `name`: a name for the operation.

    Returns:
      None in eager code, where all are complete already; the operation in a graph.

    Raises:
      ValueError: There is another keyword.
      TypeError: An input is neither a tensor nor an operation, in a graph.

    >>> group(1, [2])
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    if state.graph is None:
        return None
    wanted = [x for x in nest.flatten(inputs, expand_composites=True) if x is not None]
    for x in wanted:
        if not hasattr(x, "device"):
            raise TypeError(f"'inputs' should be zero or more (nested) Tensors. Received '{x}' with type '{type(x)}'.")
    with state.graph.control_dependencies(wanted):
        return no_op(name or "group_deps")
