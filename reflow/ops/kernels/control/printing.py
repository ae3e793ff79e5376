"""Effects: `Assert`, `PrintV2`, `CheckNumerics`. They run on the host: a plan puts them after the program whose results
they need, so they see committed state and keep their order.
"""

from __future__ import annotations

import logging
import sys

import numpy as np

from reflow.core import errors
from reflow.core.os_errors import os_errors
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.format import flat_summary
from reflow.ops.registry import NO_GRADIENT, also_called, op


@op("Assert", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, jit="omit")
def assert_(_, condition, data, summarize=3):
    if not condition.all():
        shown = " ".join(f"[{flat_summary(d, summarize)}]" for d in data)
        raise errors.InvalidArgumentError(None, None, f"assertion failed: {shown}")
    return ()


_LEVELS = {"log(info)": logging.INFO, "log(warning)": logging.WARNING, "log(error)": logging.ERROR}


def _touches(attrs) -> tuple[str, ...]:
    return () if attrs["output_stream"] in ("stdout", "stderr", *_LEVELS) else ("files",)


@op("PrintV2", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=_touches)
def print_v2(_, input, output_stream="stderr", end="\n", **attrs):
    left = attrs.get("_left")  # how often a node of version 1's `tf.Print` may still print, as a list of one number
    if left is not None:
        left[0] -= 1
        if left[0] < 0:
            return ()
    text = input[()].decode(errors="replace") + end
    if output_stream in _LEVELS:
        logging.getLogger("tensorflow").log(_LEVELS[output_stream], text.rstrip("\n"))
    elif output_stream in ("stdout", "stderr"):
        stream = sys.stdout if output_stream == "stdout" else sys.stderr
        stream.write(text)
        stream.flush()
    elif output_stream.startswith("file://"):
        _append(output_stream[7:], text)
    else:
        valid = " ".join(("stdout", "stderr", *_LEVELS, "file://<path>"))
        raise errors.InvalidArgumentError(
            None, None, f"Unknown output stream: {output_stream}, Valid streams are: {valid}"
        )
    return ()


def _append(path: str, text: str):
    with os_errors(path), open(path, "a") as file:
        file.write(text)


def _numerics_grad(xp, attrs, inputs, outputs, cotangents, wanted):
    return cotangents


def bad_number(tensor) -> str | None:
    """What is wrong with the numbers: "NaN", "Inf", or both, else None."""
    if tensor.dtype.kind not in "fcV" or np.isfinite(tensor).all():
        return None
    kinds = [name for name, test in (("Inf", np.isinf), ("NaN", np.isnan)) if test(tensor).any()]
    return " and ".join(kinds)


@op("CheckNumerics", shape=rules.same, grad=_numerics_grad, host=True, needs=(), effect=True, jit="pass", moves=True)
def check_numerics(_, tensor, message):
    bad = bad_number(tensor)
    if bad:
        raise errors.InvalidArgumentError(None, None, f"{message} : Tensor had {bad} values")
    return tensor


def signed_bad_number(tensor) -> str | None:
    """The kinds of numbers in a tensor that are not finite, with the signs of infinities; None if all are finite."""
    if tensor.dtype.kind not in "fcV" or np.isfinite(tensor).all():
        return None
    if tensor.dtype.kind == "c":
        return bad_number(tensor)
    wide = tensor.astype(np.float32) if tensor.dtype.kind == "V" else tensor
    tests = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("NaN", np.isnan))
    kinds = [name for name, test in tests if test(wide).any()]
    return " and ".join(kinds) if len(kinds) < 3 else "-Inf, +Inf, and NaN"


@op("CheckNumericsV2", shape=rules.same, grad=_numerics_grad, host=True, needs=(), effect=True, moves=True)
def check_numerics_v2(_, tensor, message):
    bad = signed_bad_number(tensor)
    if bad:
        raise errors.InvalidArgumentError(None, None, f"{message} : Tensor had {bad} values")
    return tensor


@op("NoOp", shape=rules.no_outputs, grad=NO_GRADIENT)
def no_op(_):
    return ()


also_called("ControlTrigger", no_op)
