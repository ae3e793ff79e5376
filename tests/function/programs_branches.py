"""Programs of branches: `tf.cond`, `tf.case`, `tf.switch_case`."""

import collections

from tests.function.control_table import program, sink

Pair = collections.namedtuple("Pair", "a b")


@program(2.0, [1.0, 2.0], grad=2)
def cond_values(tf, p, x):
    return tf.cond(p > 1.0, lambda: x * x * x, lambda: tf.sin(x))


@program(0.5, [1.0, 2.0], grad=1)
def cond_other_side(tf, p, x):
    return tf.cond(p > 1.0, lambda: x * x * x, lambda: tf.sin(x) * p)


@program(1.0, grad=2)
def cond_structure(tf, x):
    return tf.cond(
        x > 0.0,
        lambda: {"a": x, "b": [x * 2.0, Pair(x * x, (x,))]},
        lambda: {"a": -x, "b": [x, Pair(x, (x * 3.0,))]},
    )


@program(1.0)
def cond_python_values(tf, x):
    return tf.cond(x > 0.0, lambda: 1, lambda: 2), tf.cond(x < 0.0, lambda: 1.5, lambda: 2.5)


@program(True)
def cond_none(tf, p):
    out = tf.cond(p, lambda: (None, tf.constant(1)), lambda: (None, tf.constant(2)))
    assert out[0] is None
    return out[1]


@program(True)
def cond_all_none(tf, p):
    assert tf.cond(p, lambda: None, lambda: None) is None or not tf.executing_eagerly()
    return tf.constant(1)


@program(True, [1.0], [1.0, 2.0])
def cond_different_shapes(tf, p, x, y):
    return tf.cond(p, lambda: x, lambda: y)


@program(True, [1.0], [[1.0, 2.0]])
def cond_different_ranks(tf, p, x, y):
    return tf.cond(p, lambda: x, lambda: y)


@program(True, instead={"function": "TypeError"})
def cond_different_structures(tf, p):
    return tf.cond(p, lambda: (tf.constant(1), tf.constant(2)), lambda: tf.constant(1))


@program(True, text=False)
def cond_different_dtypes(tf, p):
    return tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(1.0))


@program(1.0)
def cond_not_callable(tf, x):
    return tf.cond(x > 0.0, 1, lambda: 2)


@program(1.0)
def cond_false_not_callable(tf, x):
    return tf.cond(x > 0.0, lambda: 1, None)


@program(1.0)
def cond_python_bool(tf, x):
    return tf.cond(True, lambda: x, lambda: -x)


@program([True, False], text=False)
def cond_vector_predicate(tf, p):
    return tf.cond(p, lambda: 1, lambda: 2)


@program(3, instead={"function": None})
def cond_integer_predicate(tf, n):
    return tf.cond(n, lambda: 1, lambda: 2)


@program(True, [[1.0, 2.0], [3.0, 4.0]])
def cond_ragged(tf, p, x):
    r = tf.RaggedTensor.from_row_lengths(x, [1, 0, 1])
    return tf.cond(p, lambda: r * 2.0, lambda: r)


@program(False, [[1.0, 0.0], [0.0, 4.0]])
def cond_sparse(tf, p, x):
    s = tf.sparse.from_dense(x)
    return tf.cond(p, lambda: s, lambda: tf.sparse.map_values(lambda v: v * 2.0, s))


@program(True, [1.0, 2.0, 3.0], grad=2)
def cond_tensor_array(tf, p, x):
    ta = tf.TensorArray(tf.float32, 2)
    ta = tf.cond(p, lambda: ta.write(0, x * x).write(1, x), lambda: ta.write(1, x).write(0, x))
    return ta.stack()


@program(True, [1.0, 2.0], [0, 1, 1], grad=2)
def cond_gather(tf, p, x, i):
    return tf.cond(p, lambda: tf.gather(x * x, i), lambda: tf.gather(x, i))


@program(1.5, grad=2)
def cond_nested(tf, x):
    return tf.cond(
        x > 1.0,
        lambda: tf.cond(x > 2.0, lambda: x * 3.0, lambda: x * x * x),
        lambda: tf.cond(x < 0.0, lambda: x, lambda: -x),
    )


@program(2.0, grad=1)
def cond_unused_branch_input(tf, x):
    return tf.cond(x > 0.0, lambda: tf.constant(3.0), lambda: x), x * x


@program(4.0, grad=2)
def cond_where_other_is_nan(tf, x):
    return tf.cond(x > 0.0, lambda: tf.sqrt(x), lambda: tf.math.log(x))


@program(True, state=lambda tf: {"v": tf.Variable(1.0)})
def cond_assigns(tf, s, p):
    tf.cond(p, lambda: s["v"].assign_add(2.0), lambda: s["v"].assign(0.0))
    return s["v"] + 0.0


@program(True, [1.0, 2.0], grad=2, state=lambda tf: {"v": tf.Variable([3.0, 4.0])})
def cond_reads_variable(tf, s, p, x):
    return tf.cond(p, lambda: s["v"] * x * s["v"], lambda: x)


@program(False)
def cond_prints(tf, p):
    def show(text):
        tf.print(text, output_stream=sink())
        return tf.constant(1)

    return tf.cond(p, lambda: show("yes"), lambda: show("no"))


@program(True, text=False)
def cond_assert_in_taken_branch(tf, p):
    def fail():
        tf.debugging.assert_equal(tf.cast(p, tf.int32), 0, message="taken")
        return 1

    return tf.cond(p, fail, lambda: 2)


@program(False)
def cond_assert_in_other_branch(tf, p):
    def fail():
        tf.debugging.Assert(p, [1])
        return 1

    return tf.cond(p, fail, lambda: 2)


@program(1, [1.0, 2.0], grad=2)
def switch_case_list(tf, i, x):
    return tf.switch_case(i, [lambda: x, lambda: x * x * x, lambda: tf.exp(x)])


@program(7, [1.0, 2.0], grad=1)
def switch_case_default(tf, i, x):
    return tf.switch_case(i, [lambda: x, lambda: x * x], default=lambda: x * x * x)


@program(-1, [1.0, 2.0], grad=1)
def switch_case_last_for_others(tf, i, x):
    return tf.switch_case(i, [lambda: x, lambda: x * x])


@program(1)
def switch_case_dict(tf, i):
    return tf.switch_case(i, {1: lambda: 10, 0: lambda: 20})


@program(0)
def switch_case_pairs(tf, i):
    return tf.switch_case(i, [(1, lambda: 10.0), (0, lambda: 20.0)])


@program(0)
def switch_case_holes(tf, i):
    return tf.switch_case(i, {0: lambda: 10, 2: lambda: 20})


@program(0)
def switch_case_empty(tf, i):
    return tf.switch_case(i, [])


@program(0)
def switch_case_not_callable(tf, i):
    return tf.switch_case(i, [1, 2])


@program(0)
def switch_case_not_a_list(tf, i):
    return tf.switch_case(i, lambda: 1)


@program(0.0)
def switch_case_float_index(tf, i):
    return tf.switch_case(i, [lambda: 1])


@program(0)
def switch_case_bad_key(tf, i):
    return tf.switch_case(i, {"a": lambda: 1})


@program(0)
def switch_case_bad_default(tf, i):
    return tf.switch_case(i, [lambda: 1], default=3)


@program(0, instead={"function": "TypeError"})
def switch_case_different_structures(tf, i):
    return tf.switch_case(i, [lambda: (1, 2), lambda: 1])


@program(1, [1.0, 2.0, 3.0])
def switch_case_different_shapes(tf, i, x):
    return tf.switch_case(i, [lambda: x[:1], lambda: x[:2], lambda: x])


@program(2, state=lambda tf: {"v": tf.Variable(0)})
def switch_case_state(tf, s, i):
    return tf.switch_case(i, [lambda: s["v"].assign(1), lambda: s["v"].assign(2), lambda: s["v"].assign_add(3)])


@program(3.0, grad=2)
def case_first_true(tf, x):
    return tf.case([(x > 5.0, lambda: x), (x > 2.0, lambda: x * x * x), (x > 1.0, lambda: -x)], default=lambda: x * 2.0)


@program(0.0, grad=1)
def case_default(tf, x):
    return tf.case([(x > 5.0, lambda: x), (x > 2.0, lambda: x * x)], default=lambda: x * 7.0)


@program(0.0)
def case_no_default_none_true(tf, x):
    return tf.case([(x > 5.0, lambda: x), (x > 2.0, lambda: x * x)])


@program(3.0)
def case_no_default_last_true(tf, x):
    return tf.case([(x > 5.0, lambda: x), (x > 2.0, lambda: x * x)])


@program(6.0, text=False)
def case_exclusive_violated(tf, x):
    return tf.case([(x > 5.0, lambda: x), (x > 2.0, lambda: x * x)], default=lambda: x, exclusive=True)


@program(6.0, grad=1)
def case_exclusive_kept(tf, x):
    return tf.case([(x > 5.0, lambda: x * x), (x < 2.0, lambda: x)], default=lambda: -x, exclusive=True)


@program(6.0, text=False)
def case_exclusive_violated_no_default(tf, x):
    return tf.case([(x > 5.0, lambda: x), (x > 2.0, lambda: x * x)], exclusive=True)


@program(1.0)
def case_structures(tf, x):
    return tf.case([(x > 5.0, lambda: {"a": x, "b": 1})], default=lambda: {"a": -x, "b": 2})


@program(1.0)
def case_strict_list(tf, x):
    return tf.case([(x > 0.0, lambda: [x])], default=lambda: [x * 2.0], strict=True)


@program(1.0)
def case_single_list(tf, x):
    out = tf.case([(x > 0.0, lambda: [x])], default=lambda: [x * 2.0])
    assert isinstance(out, list) == (not tf.executing_eagerly() or isinstance(out, list))
    return out


@program(1.0)
def case_one_pair(tf, x):
    return tf.case([(x > 0.0, lambda: x * 4.0)])


@program(1.0)
def case_empty(tf, x):
    return tf.case([], default=lambda: x * 4.0)


@program(1.0)
def case_not_pairs(tf, x):
    return tf.case([x > 0.0])


@program(1.0, instead={"eager": "TypeError"})
def case_not_callable(tf, x):
    return tf.case([(x > 0.0, 3)], default=lambda: x)


@program(1.0, instead={"eager": "TypeError"})
def case_bad_predicate(tf, x):
    return tf.case([(x, lambda: 1)], default=lambda: 2)


@program(1.0)
def case_bad_default(tf, x):
    return tf.case([(x > 0.0, lambda: 1)], default=2)


@program(1.0, text=False)
def case_not_a_list(tf, x):
    return tf.case(x, default=lambda: 2)


@program(1.0, instead={"function": None})
def case_dict(tf, x):
    return tf.case({(x > 0.0).ref(): lambda: 1}, default=lambda: 2)
