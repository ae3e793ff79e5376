"""How often a loop runs, found before it runs."""

import numpy as np
import pytest

import reflow as tf
from reflow.compile import loop_counts
from tests.compile.plans import graph_of

UNKNOWN = object()  # where the lowering has a tracer


def loop_of(cond, body, *start, **options):
    """(cond, body, first values, positions that change) of a loop, as the lowering has them. Floats are not known."""
    values = [np.asarray(s) for s in start]
    specs = [tf.TensorSpec(v.shape, v.dtype) for v in values]
    graph = graph_of(lambda *xs: tf.while_loop(cond, body, xs, **options), *specs)
    (node,) = [n for n in graph.nodes if "While" in n.record.name]
    given = dict(zip([t.name for t in graph.inputs], values, strict=True))
    first = [given[t.name] if t.name in given else t.op.attrs["value"] for t in node.inputs]
    inputs, outputs = node.attrs["body"].inputs, node.attrs["body"].outputs
    changing = [i for i, (a, b) in enumerate(zip(inputs, outputs, strict=True)) if a._id != b._id]
    return node.attrs["cond"], node.attrs["body"], [UNKNOWN if v.dtype.kind == "f" else v for v in first], changing


def i32(x):
    return np.asarray(x, np.int32)


@pytest.mark.parametrize(("start", "limit", "step", "trips"), [(0, 5, 1, 5), (0, 5, 2, 3), (5, 5, 1, 0), (9, 5, 1, 0)])
def test_a_counter_is_run_on_the_host(start, limit, step, trips):
    parts = loop_of(lambda i, n: i < n, lambda i, n: (i + step, n), i32(start), i32(limit))
    count = loop_counts.count_iterations(*parts)
    assert count.trips == trips
    counter = next(i for i, v in enumerate(parts[2]) if v.ndim == 0 and v == start and i in parts[3])
    assert list(count.sequences[counter]) == list(range(start, start + trips * step, step))
    assert count.finals[counter] == start + trips * step


def test_what_is_not_known_is_not_counted():
    cond, body, values, changing = loop_of(lambda i, n: i < n, lambda i, n: (i + 1, n), i32(0), i32(5))
    limit = next(i for i, v in enumerate(values) if v == 5)
    unknown = [UNKNOWN if i == limit else v for i, v in enumerate(values)]
    assert loop_counts.count_iterations(cond, body, unknown, changing) is None


def test_a_condition_on_data_is_not_counted_but_bounded():
    """`maximum_iterations` is the counted half of the condition."""
    parts = loop_of(lambda y: y < 100.0, lambda y: [y * 2.0], np.float32(1.0), maximum_iterations=7)
    assert loop_counts.count_iterations(*parts) is None
    assert loop_counts.bound_iterations(*parts) == 7


def test_endless_loops_are_given_up(monkeypatch):
    monkeypatch.setattr(loop_counts, "LIMIT", 10)
    parts = loop_of(lambda i: i >= 0, lambda i: [i * 0], i32(0))
    assert loop_counts.count_iterations(*parts) is None


def test_depends_sees_through_arithmetic_and_stops_at_state():
    v = tf.Variable(1.0)
    graph = graph_of(lambda x, y: (x * 2.0 + 1.0, x + v), tf.TensorSpec([]), tf.TensorSpec([]))
    pure, stateful = graph.outputs
    assert loop_counts.depends(graph, [pure]) == {0}
    assert loop_counts.depends(graph, [stateful]) is None


def test_host_values_runs_a_slice():
    graph = graph_of(lambda x, y: x * 2.0 + 1.0, tf.TensorSpec([]), tf.TensorSpec([]))
    (value,) = loop_counts.host_values(graph, {0: np.float32(3.0)}, graph.outputs)
    assert value == 7.0
