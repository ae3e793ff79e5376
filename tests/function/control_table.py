"""The harness for the control flow programs: the same on TensorFlow, which is recorded, and on Reflow, which is tested.

A program is a function `f(tf, *tensors)`, or `f(tf, state, *tensors)` if it has variables. `observe` runs it in a mode
and says what could be seen: values with dtypes, what was printed, what the variables held, or the error. `gradients`
are those of a fixed weighting of all float outputs, of first order and of second (of the sum of squares of the first).
"""

from __future__ import annotations

import os
import pathlib
import re
import tempfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CALLS = 3  # a function is interpreted, then compiled, then runs what was compiled
SINK = pathlib.Path(tempfile.gettempdir()) / f"reflow_control_programs_{os.getpid()}.txt"


@dataclass
class Program:
    """One line of the table."""

    run: Any
    args: list
    grad: int = 0  # the order up to which it is differentiated
    state: Any = None  # makes the variables: state(tf) -> dict
    eager: bool = True  # whether it can run outside a function
    text: bool = True  # whether the words of an error are compared, beside its class
    open_shapes: bool = True  # whether it is traced with unknown sizes too
    like_eager: bool = False  # TensorFlow leaves the order open in functions; here it is that of eager code
    instead: Any = None  # mode -> the class of our error where TensorFlow's own code stumbles (None: it works here)
    name: str = field(init=False)

    def __post_init__(self):
        self.name = self.run.__name__


PROGRAMS: dict[str, Program] = {}


def program(*args, **options):
    """Register a program with its arguments: Python numbers and lists, or arrays."""

    def register(function):
        assert function.__name__ not in PROGRAMS, function.__name__
        PROGRAMS[function.__name__] = Program(function, [_array(a) for a in args], **options)
        return function

    return register


def _array(value):
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return array.astype(object)
    return (
        array.astype({"float64": np.float32, "int64": np.int32}.get(array.dtype.name, array.dtype))
        if not isinstance(value, np.ndarray) else array
    )


def sink() -> str:
    """Where programs print to."""
    return f"file://{SINK}"


# --- running


class Bench:
    """One program on one library, with fresh variables."""

    def __init__(self, tf, program: Program):
        self.tf, self.program = tf, program
        self.state = program.state(tf) if program.state else None
        self.tensors = [tf.constant(a) for a in program.args]
        SINK.write_text("")

    def call(self, *tensors):
        """The program's result as a flat list of tensors."""
        extra = () if self.state is None else (self.state,)
        result = self.program.run(self.tf, *extra, *tensors)
        flat = self.tf.nest.flatten(result, expand_composites=True)
        return [self.tf.convert_to_tensor(x) for x in flat if x is not None]

    def function(self, body=None, **options):
        return self.tf.function(body or self.call, autograph=False, **options)

    def signature(self, known: bool):
        return [self.tf.TensorSpec(t.shape if known else [None] * t.shape.rank, t.dtype) for t in self.tensors]

    # --- gradients

    def sources(self, tensors):
        return [t for t in tensors if t.dtype.is_floating or t.dtype.is_complex] + list(
            v for v in (self.state or {}).values() if v.dtype.is_floating
        )

    def loss(self, outputs):
        """A weighting of all float outputs in which none cancels."""
        tf, total = self.tf, []
        for n, out in enumerate(o for o in outputs if o.dtype.is_floating or o.dtype.is_complex):
            out = tf.math.real(out) + tf.math.imag(out) if out.dtype.is_complex else out
            flat = tf.cast(tf.reshape(out, [-1]), tf.float32)
            total.append(tf.reduce_sum(flat * tf.cos(tf.cast(tf.range(tf.size(flat)), tf.float32) * 1.7 + 0.3 + n)))
        return tf.add_n(total)

    def gradients(self, tensors, order: int, call=None):
        """First gradients, or those of the sum of their squares; `call` runs the program (a function, say)."""
        return self.all_gradients(tensors, order, call)[order - 1]

    def all_gradients(self, tensors, order: int, call=None) -> list:
        """The gradients of first order, and of second if wanted."""
        tf, call = self.tf, call or self.call
        sources = self.sources(tensors)
        with tf.GradientTape() as outer:
            if order == 2:
                outer.watch(sources)
            with tf.GradientTape() as tape:
                tape.watch(sources)
                loss = self.loss(call(*tensors))
            first = tape.gradient(loss, sources)
            first = [None if g is None else tf.convert_to_tensor(g) for g in first]
            if order == 1:
                return [first]
            kept = [tf.reduce_sum(g * g) for g in first if g is not None]
            square = tf.add_n([tf.math.real(k) + tf.math.imag(k) if k.dtype.is_complex else k for k in kept])
        second = outer.gradient(square, sources)
        return [first, [None if g is None else tf.convert_to_tensor(g) for g in second]]


# --- what can be seen


def plain(tensor) -> list:
    """A tensor as [dtype, shape, flat values], fit for JSON."""
    array = np.asarray(tensor.numpy())
    values = array.reshape(-1)
    if array.dtype == object or array.dtype.kind in "SU":
        return [tensor.dtype.name, list(array.shape), [bytes(v).decode("latin-1") for v in values]]
    if array.dtype.kind == "c":
        return [tensor.dtype.name, list(array.shape), [[float(v.real), float(v.imag)] for v in values]]
    if array.dtype.kind in "iub":
        return [tensor.dtype.name, list(array.shape), [int(v) for v in values]]
    return [tensor.dtype.name, list(array.shape), [float(v) for v in values]]


def observe(bench: Bench, run, *arguments) -> dict:
    """Values, prints and variables after `run(*arguments)`, or its error."""
    seen: dict = {}
    try:
        seen["values"] = [None if t is None else plain(t) for t in run(*arguments)]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the program does
        seen["error"], seen["text"] = type(error).__name__, core_of(str(error))
    if text := SINK.read_text():
        seen["printed"] = text
        SINK.write_text("")
    if bench.state:
        seen["state"] = [plain(v) for v in bench.state.values()]
    return seen


def core_of(message: str) -> str:
    """The sentence of an error, without the places, names and numbers that differ from run to run."""
    if "[[{{node" in message:  # the line before it is what the kernel said
        message = message.split("\t [[{{node")[0].rstrip("\n").split("\n")[-1]
    message = re.sub(r"\{\{function_node [^}]*\}\} ?", "", message)
    message = re.sub(r" ?\[Op:[^\]]*\]( name: ?\S*)?", "", message)
    message = re.sub(r"in user code:\n.*\n\n    (\w+): ", "", message, flags=re.DOTALL)
    message = re.sub(r"pyfunc_\d+", "pyfunc", message)
    message = re.sub(r'File "[^"]*?([^/"]*)", line \d+', r'File "\1"', message)
    message = re.sub(r"goo\.gle/\w+", "goo.gle", message)  # TensorFlow writes one of several words, by chance
    return re.sub(r"0x[0-9a-f]+", "0x", message).strip()


def static_shapes(bench: Bench, known: bool):
    """The static shapes of the outputs, traced on arguments of known or unknown sizes; None if it cannot be traced."""
    try:
        concrete = bench.function(input_signature=bench.signature(known)).get_concrete_function()
    except Exception:  # noqa: BLE001 - the error is recorded by calling it
        return None
    return [None if t.shape.rank is None else t.shape.as_list() for t in concrete.structured_outputs]
