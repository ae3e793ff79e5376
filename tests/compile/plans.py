"""What tests of the compiler look at: a function's graph, its plan, and the instructions in the plan's steps."""

from __future__ import annotations

import numpy as np

import reflow as tf
from reflow.compile.partition import HostStep
from reflow.compile.region import Region
from reflow.compile.runner import plan_of
from reflow.runtime.interpret import interpret


def graph_of(function, *arguments):
    """The graph of a Python function, traced for these arguments."""
    return tf.function(function, autograph=False).get_concrete_function(*arguments).graph


def raw(graph, *arguments) -> list:
    """What a graph takes: the values of its arguments, then of its captures."""
    return [t._value for t in map(tf.convert_to_tensor, arguments)] + [t._value for t in graph.external_captures]


def steps_of(graph) -> list[tuple[str, list[str]]]:
    """The plan's steps: ("host" or "program", the names of their ops)."""
    steps = plan_of(graph).steps
    return [("host" if isinstance(s, HostStep) else "program", [i.op.name for i in s.instructions]) for s in steps]


def regions_of(graph) -> list[Region]:
    return [step for step in plan_of(graph).steps if isinstance(step, Region)]


def only_region(graph) -> Region:
    (region,) = regions_of(graph)
    return region


def same_as_interpreted(function, *arguments, calls: int = 3):
    """Run a function until it is compiled; every call must give what interpretation gives. Returns the graph."""
    graph = graph_of(function, *arguments)
    values = raw(graph, *arguments)
    expected = interpret(graph, values)
    for _ in range(calls):
        for got, want in zip(graph.run(values), expected, strict=True):
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, atol=1e-6)
    return graph
