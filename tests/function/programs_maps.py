"""Programs of `tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`."""

import numpy as np

from tests.function.control_table import program, sink

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@program(X, grad=2)
def map_rows(tf, x):
    return tf.map_fn(lambda r: r * r * r, x)


@program(X, [1, 2, 3], grad=1)
def map_structure_in(tf, x, n):
    return tf.map_fn(lambda e: e[0] * tf.cast(e[1]["n"], tf.float32), (x, {"n": n}), fn_output_signature=tf.float32)


@program(X, grad=1)
def map_structure_out(tf, x):
    return tf.map_fn(
        lambda r: {"s": tf.reduce_sum(r * r), "r": (r, tf.size(r))},
        x,
        fn_output_signature={"s": tf.float32, "r": (tf.float32, tf.int32)},
    )


@program(X)
def map_dtype_argument(tf, x):
    return tf.map_fn(lambda r: tf.cast(tf.reduce_sum(r), tf.int32), x, dtype=tf.int32)


@program([1, 2, 3])
def map_signature_spec(tf, n):
    return tf.map_fn(lambda k: tf.ones([2]) * tf.cast(k, tf.float32), n, fn_output_signature=tf.TensorSpec([2]))


@program([1, 2, 3])
def map_to_ragged(tf, n):
    return tf.map_fn(lambda k: tf.range(k), n, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))


@program([1, 2, 3])
def map_to_ragged_ragged(tf, n):
    return tf.map_fn(
        lambda k: tf.RaggedTensor.from_row_lengths(tf.range(k), [1, k - 1]),
        n,
        fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32),
    )


@program([1.0, 2.0, 3.0, 4.0])
def map_over_ragged(tf, x):
    r = tf.RaggedTensor.from_row_lengths(x, [3, 0, 1])
    return tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.float32)


@program([1.0, 2.0, 3.0, 4.0])
def map_ragged_to_ragged(tf, x):
    r = tf.RaggedTensor.from_row_lengths(x, [3, 0, 1])
    return tf.map_fn(lambda row: row * 2.0, r)


@program([1.0, 2.0, 3.0, 4.0])
def map_over_ragged_of_ragged(tf, x):
    r = tf.RaggedTensor.from_nested_row_lengths(x, [[2, 1], [3, 0, 1]])
    return tf.map_fn(
        lambda row: tf.reduce_sum(row, axis=1), r, fn_output_signature=tf.RaggedTensorSpec([None], tf.float32)
    )


@program([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
def map_over_sparse(tf, x):
    return tf.map_fn(lambda s: tf.sparse.reduce_sum(s), tf.sparse.from_dense(x), fn_output_signature=tf.float32)


@program([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
def map_to_sparse(tf, x):
    return tf.map_fn(
        lambda r: tf.sparse.from_dense(r), x, fn_output_signature=tf.SparseTensorSpec([3], tf.float32)
    )


@program(X)
def map_options(tf, x):
    return tf.map_fn(
        lambda r: r + 1.0, x, parallel_iterations=2, back_prop=True, swap_memory=True, infer_shape=True, name="m"
    )


@program([2, 2, 2])
def map_infer_shape_off(tf, n):
    return tf.map_fn(lambda k: tf.ones([k]), n, infer_shape=False, fn_output_signature=tf.float32)


@program([1, 2], text=False)
def map_different_lengths(tf, n):
    return tf.map_fn(lambda k: tf.ones([k]), n, fn_output_signature=tf.float32)


@program(X, text=False)
def map_wrong_dtype(tf, x):
    return tf.map_fn(lambda r: tf.size(r), x)


@program(X, text=False)
def map_wrong_structure(tf, x):
    return tf.map_fn(lambda r: (r, r), x)


@program(1.0, text=False)
def map_scalar(tf, x):
    return tf.map_fn(lambda r: r, x)


@program(1.0, instead={"eager": "TypeError", "function": "TypeError"})
def map_not_callable(tf, x):
    return tf.map_fn(3, x)


@program(1.0)
def map_nothing(tf, x):
    return tf.map_fn(lambda r: r, ())


@program([1.0, 2.0], [1, 2, 3], text=False)
def map_uneven(tf, x, n):
    return tf.map_fn(lambda e: e[0], (x, n), fn_output_signature=tf.float32)


@program(np.zeros((0, 2), np.float32))
def map_empty(tf, x):
    return tf.map_fn(lambda r: r * 2.0, x)


@program(["a", "bc"])
def map_strings(tf, s):
    return tf.map_fn(tf.strings.length, s, fn_output_signature=tf.int32)


@program(X, state=lambda tf: {"v": tf.Variable(1.0)})
def map_with_state(tf, s, x):
    return tf.map_fn(lambda r: s["v"].assign_add(1.0) * r, x)


@program([1, 2, 3])
def map_prints(tf, n):
    def show(k):
        tf.print("k", k, output_stream=sink())
        return k

    return tf.map_fn(show, n)


@program(X, grad=2, state=lambda tf: {"w": tf.Variable([2.0, 3.0])})
def map_variable(tf, s, x):
    return tf.map_fn(lambda r: r * s["w"] * s["w"], x)


@program(X, grad=2)
def map_nested(tf, x):
    return tf.map_fn(lambda r: tf.map_fn(lambda e: e * e * e, r), x)


@program([1.0, 2.0, 3.0], grad=2)
def scan_product(tf, x):
    return tf.scan(lambda a, e: a * e, x)


@program([1.0, 2.0, 3.0], [0.5, 2.0], grad=1)
def scan_initializer(tf, x, start):
    return tf.scan(lambda a, e: a * e, x, start)


@program([1.0, 2.0, 3.0], grad=1)
def scan_reverse(tf, x):
    return tf.scan(lambda a, e: a * e, x, reverse=True)


@program([1.0, 2.0, 3.0], 2.0, grad=1)
def scan_reverse_initializer(tf, x, start):
    return tf.scan(lambda a, e: a * e + 1.0, x, start, reverse=True)


@program([1.0, 2.0, 3.0], [1, 2, 3])
def scan_structures(tf, x, n):
    return tf.scan(
        lambda a, e: {"s": a["s"] + e[0], "c": (a["c"][0] + e[1],)},
        (x, n),
        {"s": tf.constant(0.0), "c": (tf.constant(0),)},
    )


@program([1.0, 2.0, 3.0], [1.0, 1.0, 2.0], grad=1)
def scan_tuple_without_initializer(tf, x, y):
    return tf.scan(lambda a, e: (a[0] * e[0], a[1] + e[1]), (x, y))


@program([1.0, 2.0, 3.0])
def scan_options(tf, x):
    return tf.scan(
        lambda a, e: a + e, x, parallel_iterations=1, back_prop=True, swap_memory=True, infer_shape=False, name="s"
    )


@program([1.0, 2.0], instead={"eager": "TypeError", "function": "TypeError"})
def scan_not_callable(tf, x):
    return tf.scan(3, x)


@program(1.0, text=False, instead={"eager": "ValueError", "function": "ValueError"})
def scan_scalar(tf, x):
    return tf.scan(lambda a, e: a, x)


@program(np.zeros((0,), np.float32), text=False)
def scan_empty(tf, x):
    return tf.scan(lambda a, e: a + e, x, tf.constant(1.0))


@program([1.0, 2.0], text=False)
def scan_changes_dtype(tf, x):
    return tf.scan(lambda a, e: tf.cast(a, tf.int32), x)


@program([1.0, 2.0], text=False)
def scan_changes_structure(tf, x):
    return tf.scan(lambda a, e: (a, e), x)


@program([[0.1, 0.2], [0.3, 0.4]], [[1.0, 0.5], [0.2, 1.0]], grad=2)
def scan_rnn(tf, x, w):
    return tf.scan(lambda h, e: tf.tanh(tf.linalg.matvec(w, h) + e), x, tf.zeros([2]))


@program([1.0, 2.0, 3.0], grad=2)
def foldl_plain(tf, x):
    return tf.foldl(lambda a, e: a * e + e, x)


@program([1.0, 2.0, 3.0], [0.5, 2.0], grad=1)
def foldl_initializer(tf, x, start):
    return tf.foldl(lambda a, e: a * e + e, x, start)


@program([1.0, 2.0, 3.0], grad=1)
def foldr_plain(tf, x):
    return tf.foldr(lambda a, e: a * e + e, x)


@program([1.0, 2.0, 3.0], 2.0, grad=1)
def foldr_initializer(tf, x, start):
    return tf.foldr(lambda a, e: a * e - e, x, start)


@program([1.0, 2.0, 3.0], [1, 2, 3])
def foldl_structures(tf, x, n):
    return tf.foldl(lambda a, e: (a[0] + e["x"], a[1] * e["n"]), {"x": x, "n": n}, (tf.constant(0.0), tf.constant(1)))


@program([1.0, 2.0, 3.0])
def foldr_structures(tf, x):
    return tf.foldr(lambda a, e: [a[0] - e[0], a[1] * e[1]], [x, x])


@program([1.0, 2.0, 3.0])
def fold_options(tf, x):
    options = dict(parallel_iterations=1, back_prop=True, swap_memory=True, name="f")
    return tf.foldl(lambda a, e: a - e, x, **options), tf.foldr(lambda a, e: a - e, x, **options)


@program([1.0, 2.0], instead={"eager": "TypeError", "function": "TypeError"})
def foldl_not_callable(tf, x):
    return tf.foldl(3, x)


@program([1.0, 2.0], instead={"eager": "TypeError", "function": "TypeError"})
def foldr_not_callable(tf, x):
    return tf.foldr(3, x)


@program([1.0, 2.0], grad=1, eager=False)
def fold_no_back_prop(tf, x):
    return tf.foldl(lambda a, e: a * e, x, back_prop=False), x


@program([1.0, 2.0], grad=1, eager=False)
def scan_no_back_prop(tf, x):
    return tf.scan(lambda a, e: a * e, x, back_prop=False), x


@program([1.0, 2.0], grad=1, eager=False)
def map_no_back_prop(tf, x):
    return tf.map_fn(lambda e: e * e, x, back_prop=False), x
