"""Programs of loops: `tf.while_loop` with all of its arguments."""

import collections

import numpy as np

from tests.function.control_table import program, sink

Pair = collections.namedtuple("Pair", "a b")


@program(5, 2.0, grad=2)
def while_power(tf, n, x):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, tf.constant(1.0)))


@program(3.0, grad=2)
def while_data_dependent(tf, x):
    """The number of iterations depends on a float."""
    return tf.while_loop(lambda y: y < 100.0, lambda y: [y * x], [x])


@program([0.5, 2.0], grad=2)
def while_newton(tf, x):
    return tf.while_loop(
        lambda y: tf.reduce_max(tf.abs(y * y - x)) > 1e-3, lambda y: [(y + x / y) / 2.0], [tf.ones_like(x)]
    )


@program(0, 2.0, grad=2)
def while_never(tf, n, x):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, x))


@program(100, 2.0, grad=1)
def while_maximum_iterations(tf, n, x):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, x), maximum_iterations=4)


@program(3, 2.0, grad=1)
def while_maximum_tensor(tf, n, x):
    return tf.while_loop(lambda y: True, lambda y: [y * x], [x], maximum_iterations=n)


@program(3)
def while_maximum_zero(tf, n):
    return tf.while_loop(lambda i: i < n, lambda i: [i + 1], [0], maximum_iterations=0)


@program(2.0, grad=1)
def while_structure(tf, x):
    def body(i, s):
        return i + 1, {"a": s["b"][0], "b": [s["a"] * x, Pair(s["b"][1].b, s["b"][1].a * x)]}

    return tf.while_loop(lambda i, s: i < 4, body, (0, {"a": x, "b": [x * 2.0, Pair(x, x * x)]}))


@program(2.0)
def while_namedtuple(tf, x):
    out = tf.while_loop(lambda a, b: a < 3.0, lambda a, b: Pair(a + 1.0, b * x), Pair(tf.constant(0.0), x))
    assert isinstance(out, (Pair, tuple))
    return out


@program(3, instead={"eager": None})
def while_bare(tf, n):
    """One loop variable, given bare and returned bare."""
    return tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])


@program(3)
def while_nested_single(tf, n):
    return tf.while_loop(lambda v: v[0] < n, lambda v: [(v[0] + 1, v[1] * 2)], [(tf.constant(0), tf.constant(1))])


@program([1.0, 2.0], grad=1)
def while_growing(tf, x):
    return tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, tf.concat([y, x], 0)),
        (tf.constant(0), x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )


@program([1.0, 2.0])
def while_growing_without_invariant(tf, x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, x], 0)), (0, x))


@program([1.0, 2.0], text=False, instead={"function": "ValueError"})
def while_bad_invariant(tf, x):
    return tf.while_loop(
        lambda y: True, lambda y: [y], [x], shape_invariants=[tf.TensorShape([3])], maximum_iterations=1
    )


@program([1.0, 2.0], grad=1)
def while_rank_invariant(tf, x):
    return tf.while_loop(
        lambda y: tf.size(y) < 8,
        lambda y: [tf.concat([y, y * 2.0], 0)],
        [x],
        shape_invariants=[tf.TensorSpec(None, tf.float32)],
    )


@program([[1.0, 2.0], [3.0, 4.0]])
def while_ragged(tf, x):
    r = tf.RaggedTensor.from_row_lengths(x, [1, 0, 1])
    return tf.while_loop(lambda i, r: i < 2, lambda i, r: (i + 1, r * 2.0), (0, r))


@program([1.0, 2.0])
def while_growing_ragged(tf, x):
    r = tf.RaggedTensor.from_row_lengths(x, [1, 1])
    return tf.while_loop(
        lambda i, r: i < 2,
        lambda i, r: (i + 1, tf.RaggedTensor.from_row_splits(tf.repeat(r.values, 2), r.row_splits * 2)),
        (0, r),
        shape_invariants=(tf.TensorShape([]), tf.RaggedTensorSpec([2, None], tf.float32)),
    )


@program([[1.0, 0.0], [0.0, 4.0]])
def while_sparse(tf, x):
    s = tf.sparse.from_dense(x)
    return tf.while_loop(
        lambda i, s: i < 2, lambda i, s: (i + 1, tf.sparse.map_values(lambda v: v * 2.0, s)), (0, s)
    )


@program([1.0, 2.0, 3.0], grad=2)
def while_tensor_array(tf, x):
    ta = tf.TensorArray(tf.float32, 3)
    _, ta = tf.while_loop(lambda i, ta: i < 3, lambda i, ta: (i + 1, ta.write(i, x[i] * x[i])), (0, ta))
    return ta.stack()


@program([1.0, 2.0, 3.0], grad=1)
def while_two_arrays(tf, x):
    ta, out = tf.TensorArray(tf.float32, 3).unstack(x), tf.TensorArray(tf.float32, 3)

    def body(i, acc, out):
        acc = acc * ta.read(i)
        return i + 1, acc, out.write(2 - i, acc)

    _, acc, out = tf.while_loop(lambda i, *_: i < 3, body, (0, tf.constant(1.0), out))
    return acc, out.stack()


@program(4, [1.0, 2.0], grad=1)
def while_dynamic_array(tf, n, x):
    ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    _, ta = tf.while_loop(
        lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, x * tf.cast(i, tf.float32))), (0, ta)
    )
    return ta.stack()


@program([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]], grad=2)
def while_matmul(tf, x, w):
    return tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.linalg.matvec(w, h))), (0, x))


@program(3, [1.0, 2.0], grad=2)
def while_nested(tf, n, x):
    def outer(i, y):
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), (0, y))
        return i + 1, z + y

    return tf.while_loop(lambda i, y: i < n, outer, (0, x))


@program(4, [0.5, 2.0], grad=2)
def while_with_cond(tf, n, x):
    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: tf.sin(y))

    return tf.while_loop(lambda i, y: i < n, body, (0, x))


@program(1.7, grad=2)
def cond_with_while(tf, x):
    def loop():
        return tf.while_loop(lambda y: y < 20.0, lambda y: [y * x], [x])[0]

    return tf.cond(x > 1.0, loop, lambda: x)


@program(3, 2.0, grad=1, state=lambda tf: {"v": tf.Variable(3.0)})
def while_reads_variable(tf, s, n, x):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * s["v"]), (0, x))


@program(3, state=lambda tf: {"v": tf.Variable(1.0)})
def while_assigns(tf, s, n):
    def body(i):
        s["v"].assign_add(tf.cast(i, tf.float32))
        return [i + 1]

    return tf.while_loop(lambda i: i < n, body, [0]), s["v"] * 2.0


@program(3, state=lambda tf: {"v": tf.Variable(1.0)})
def while_condition_reads_variable(tf, s, n):
    def body(i):
        s["v"].assign(s["v"] * 2.0)
        return [i + 1]

    return tf.while_loop(lambda i: s["v"] < 10.0, body, [n])


@program(3)
def while_prints(tf, n):
    def body(i):
        tf.print("step", i, output_stream=sink())
        return [i + 1]

    return tf.while_loop(lambda i: i < n, body, [0])


@program(5, state=lambda tf: {"v": tf.Variable(0)}, text=False)
def while_assert_stops(tf, s, n):
    def body(i):
        s["v"].assign_add(1)
        tf.debugging.assert_less(i, 3, message="too far")
        return [i + 1]

    return tf.while_loop(lambda i: i < n, body, [0])


@program(3, 2.0, grad=1)
def while_swap_memory(tf, n, x):
    return tf.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, x), swap_memory=True, parallel_iterations=1, name="loop"
    )


@program(3, 2.0, grad=1, eager=False)
def while_no_back_prop(tf, n, x):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, x), back_prop=False), x


@program(3)
def while_condition_not_callable(tf, n):
    return tf.while_loop(1, lambda i: [i + 1], [n])


@program(3)
def while_body_not_callable(tf, n):
    return tf.while_loop(lambda i: i < 3, 1, [n])


@program(3)
def while_bad_parallel_iterations(tf, n):
    return tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [n], parallel_iterations=0)


@program(3)
def while_without_variables(tf, n):
    return tf.while_loop(lambda: n < 3, lambda: [], [])


@program(3, text=False)
def while_wrong_number_of_results(tf, n):
    return tf.while_loop(lambda i, j: i < 5, lambda i, j: [i + 1], [n, n])


@program(0, text=False)
def while_wrong_dtype(tf, n):
    return tf.while_loop(lambda i: i < 5, lambda i: [tf.cast(i, tf.float32) + 1.0], [n], maximum_iterations=1)


@program(0, text=False)
def while_vector_condition(tf, n):
    return tf.while_loop(lambda i: tf.stack([i < 2, i < 3]), lambda i: [i + 1], [n])


@program(np.array([3, 4], np.int64))
def while_int64_rows(tf, x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (tf.constant(0, tf.int64), x))


@program([1.0, 2.0, 3.0, 4.0])
def while_shrinking(tf, x):
    return tf.while_loop(
        lambda y: tf.size(y) > 1, lambda y: [y[1:] + y[:-1]], [x], shape_invariants=[tf.TensorShape([None])]
    )


@program(["a", "b"])
def while_strings(tf, x):
    return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, tf.strings.join([s, x])), (0, x))


@program(3)
def while_random(tf, n):
    return tf.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, y + tf.random.stateless_uniform([2], [i, 1])), (0, tf.zeros([2]))
    )


@program(np.array([1 + 2j, 0.5j], np.complex64), grad=1)
def while_complex(tf, z):
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * z), (0, z))


@program([0.1, 0.2, 0.3], [0.5, -0.5], grad=2)
def while_intermediates_of_unknown_shape(tf, x, w):
    """An intermediate whose shape changes from one iteration to the next."""

    def body(i, acc):
        part = tf.tanh(x[: i + 1])
        return i + 1, acc * w + tf.reduce_sum(part * part)

    return tf.while_loop(lambda i, acc: i < 3, body, (0, w))
