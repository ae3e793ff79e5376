"""The nodes of TensorFlow 1's control flow: `Enter`, `Exit`, `NextIteration`, `LoopCond`, `Switch`, `Merge`.

A `Switch` has two outputs, one of which is *dead*: it is not there. A `Merge` hands on the input that is. The others
hand on their input and mark where a loop begins, repeats and ends. No kernel ever sees a dead value: a session converts
such nodes to functional loops and branches (`reflow/graph/frames.py`), and functions refuse `Switch` and `Merge`. In
eager code every value is there, so a dead output is empty and a merge takes its first input, as in TensorFlow.
"""

from __future__ import annotations

import numpy as np

from reflow.core.context import state
from reflow.ops import shape_rules as rules
from reflow.ops.record import NO_GRADIENT
from reflow.ops.registry import op
from reflow.ops.trace_words import rank


def _pass(xp, attrs, inputs, outputs, cts, wanted):
    return cts


def _enter_shape(f):
    """A value that enters as a constant is the same in all iterations; others change, perhaps their shapes too."""
    return [f.shapes[0] if f.attrs.get("is_constant") else None]


def _merge_shape(f):
    """The sizes on which all inputs agree."""
    shapes = f.shapes
    if None in shapes or len({len(s) for s in shapes}) > 1:
        return [None, ()]
    return [tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes, strict=True)), ()]


def _in_plain_graphs(f):
    if state.graph is not None and state.graph.building_function:
        raise NotImplementedError(f"Reflow's functions have no {f.op.name} nodes: use `tf.cond` and `tf.while_loop`.")


def _switch_check(f):
    _in_plain_graphs(f)
    rank(f.shapes[1], 0)


@op("Enter", shape=_enter_shape, grad=_pass, needs=(), dataflow=True)
def enter(xp, data, frame_name, is_constant, parallel_iterations):
    if not frame_name:
        raise ValueError("The Enter must have a frame name.")
    return data


@op("Exit", shape=rules.same, grad=_pass, needs=(), dataflow=True)
def exit_(xp, data):
    return data


@op("NextIteration", shape=rules.same, grad=_pass, needs=(), dataflow=True)
def next_iteration(xp, data):
    return data


@op(
    "LoopCond", shape=rules.same, trace_check=lambda f: rank(f.shapes[0], 0), grad=NO_GRADIENT, dataflow=True,
    lenient=True,
)
def loop_cond(xp, input):
    return input


@op("Switch", shape=lambda f: [f.shapes[0]] * 2, grad=NO_GRADIENT, host=True, trace_check=_switch_check, dataflow=True)
def switch(xp, data, pred):
    dead = np.zeros((0,), data.dtype)
    return (dead, data) if pred else (data, dead)


@op("Merge", shape=_merge_shape, grad=NO_GRADIENT, host=True, trace_check=_in_plain_graphs, dataflow=True)
def merge(xp, inputs):
    return inputs[0], np.int32(0)
