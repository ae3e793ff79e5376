"""Lowering: what is known is computed before, what is not becomes JAX; checks are one number."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.compile.lowering import FOLD_LIMIT, Lowering, Ref
from reflow.ops.registry import NeedsValue
from reflow.ops.xp.xla.base import wide_types
from reflow.runtime.schedule import schedule_of
from tests.compile.plans import graph_of, only_region, same_as_interpreted


def jaxpr(graph, *arguments):
    """The program that a graph without state becomes."""
    with wide_types():
        return jax.make_jaxpr(lambda *values: Lowering({}).run_graph(graph, list(values)))(*arguments)


def primitives(graph, *arguments) -> list[str]:
    return [equation.primitive.name for equation in jaxpr(graph, *arguments).eqns]


def test_shape_arithmetic_leaves_nothing_behind():
    """`tf.shape(x)[0] * 2` is known when the program is made: a reshape is all that is left."""
    graph = graph_of(lambda x: tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1]]), tf.TensorSpec([None, 3]))
    assert primitives(graph, np.zeros((2, 3), np.float32)) == ["reshape"]


def test_known_values_are_arrays_and_unknown_ones_tracers():
    graph = graph_of(lambda x: (tf.shape(x), x + 1.0), tf.TensorSpec([None]))
    seen = []

    def trace(x):
        outs = Lowering({}).run_graph(graph, [x])
        seen.extend(map(type, outs))
        return outs[1]

    jax.eval_shape(trace, np.zeros(3, np.float32))
    assert seen[0] is np.ndarray and issubclass(seen[1], jax.core.Tracer)


@pytest.mark.parametrize(("size", "folded"), [(FOLD_LIMIT, True), (FOLD_LIMIT + 1, False)])
def test_large_constants_are_not_folded(size, folded):
    graph = graph_of(lambda x: x + tf.exp(tf.fill([size], 1.0)), tf.TensorSpec([size]))
    assert ("exp" not in primitives(graph, np.zeros(size, np.float32))) is folded


def test_a_static_operand_that_is_not_known_is_asked_for():
    graph = graph_of(lambda x, n: tf.reshape(x, [n, -1]), tf.TensorSpec([6]), tf.TensorSpec([], tf.int32))
    with pytest.raises(NeedsValue) as caught:
        jaxpr(graph, np.zeros(6, np.float32), np.int32(2))
    assert caught.value.instruction.op.name == "Reshape"


def test_the_code_is_the_number_of_the_first_failed_check():
    """Each record's check gets a number; 0: none failed."""
    graph = graph_of(
        lambda x, i, j: (tf.gather(x, i), tf.gather(x, j)),
        tf.TensorSpec([3]), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32),
    )  # fmt: skip

    def code(i, j):
        lowering = Lowering({})
        lowering.run_graph(graph, [np.zeros(3, np.float32), i, j])
        assert len(lowering.checks) == 2
        return lowering.code

    checked = jax.jit(code)
    assert [int(checked(np.int32(i), np.int32(j))) for i, j in ((0, 1), (5, 1), (0, 5), (5, 5))] == [0, 1, 2, 1]


def test_checks_that_the_host_can_do_are_not_in_the_program():
    graph = same_as_interpreted(lambda x, i: tf.gather(x, i), tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 2]))
    (program,) = only_region(graph).programs.values()
    assert program.traced and program.checks == [] and len(program.prechecks) == 1


def test_variables_are_state():
    """A read is an argument of the program, a write one of its results."""
    v = tf.Variable([1.0, 2.0])
    graph = graph_of(lambda x: v.assign_add(x) * 2.0, tf.TensorSpec([2]))
    lowering = Lowering({0: np.float32([1.0, 2.0])})
    with wide_types():
        (out,) = lowering.run_graph(graph, [np.float32([1.0, 1.0]), Ref(0)])
    np.testing.assert_array_equal(lowering.state[0], [2.0, 3.0])
    np.testing.assert_array_equal(out, [4.0, 6.0])


def test_a_scope_does_not_write_into_its_parent():
    outer = Lowering({0: "old"})
    inner = outer.child()
    inner.state[0] = "new"
    assert outer.state[0] == "old" and inner.root is outer and inner.code is outer.code


def test_a_gradient_needs_as_a_value_what_its_op_needs():
    def f(x, axis):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x, axis)
        return tape.gradient(y, x)

    same_as_interpreted(f, tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(1))


def test_identities_are_no_instructions():
    graph = graph_of(lambda x: tf.identity(tf.identity(x) + 1.0), tf.TensorSpec([]))
    assert [i.op.name for i in schedule_of(graph).instructions if i.op.name == "Identity"] == []


def test_operations_have_the_names_of_nodes():
    """A profile says `dense/product`, not `dot_general`."""

    @tf.function(jit_compile=True)
    def layer(x):
        with tf.name_scope("dense"):
            return tf.nn.relu(tf.matmul(x, x, name="product"))

    text = layer.experimental_get_compiler_ir(tf.ones([2, 2]))(stage="optimized_hlo")
    assert "dense/product/dot_general" in text and "dense/Relu/max" in text
