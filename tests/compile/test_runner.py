"""Plans are the way functions run, unless something above interprets."""

import numpy as np

import reflow as tf
from reflow.compile import runner
from reflow.core.context import state, swapped
from tests.compile.plans import graph_of, only_region, raw


def test_a_plan_is_made_once():
    graph = graph_of(lambda x: x * 2.0, tf.constant(1.0))
    assert runner.plan_of(graph) is runner.plan_of(graph)


def test_inside_an_interpreted_region_functions_are_interpreted():
    graph = graph_of(lambda x: x * 2.0, tf.constant(1.0))
    with swapped(interpreting=True):
        for _ in range(3):
            assert float(runner.run(graph, raw(graph, tf.constant(2.0)))[0]) == 4.0
    assert not only_region(graph).programs


def test_a_call_leaves_the_callers_tapes_and_graph_alone():
    graph = graph_of(lambda x: x * 2.0, tf.constant(1.0))
    with tf.GradientTape() as tape:
        before = state.graph, state.tapes
        runner.run(graph, raw(graph, tf.constant(2.0)))
        assert (state.graph, state.tapes) == before and tape is not None


def test_to_device_keeps_64_bits():
    array = runner.to_device(np.array([1.0], np.float64))
    assert array.dtype == np.float64
