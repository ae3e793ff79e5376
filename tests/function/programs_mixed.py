"""Programs that mix what XLA can do with what it cannot: strings, dynamic shapes, iterators, effects."""

from tests.function.control_table import program, sink

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@program([1.0, -2.0, 3.0, -4.0], grad=2)
def mask_and_sum(tf, x):
    y = tf.exp(x * 0.5) * x
    return tf.reduce_sum(tf.boolean_mask(y, x > 0.0) ** 2) + tf.reduce_mean(y)


@program([1.0, -2.0, 3.0, -4.0], grad=2)
def mask_rows(tf, x):
    m = tf.stack([x, x * x], 1)
    return tf.tanh(tf.boolean_mask(m, x > 0.0)) * 2.0


@program([1.0, 0.0, 3.0], grad=2)
def where_and_gather(tf, x):
    i = tf.where(x * 2.0 > 1.0)
    return tf.gather_nd(tf.sin(x) * x, i) * 3.0


@program([3, 1, 3, 2, 1], [1.0, 2.0, 3.0, 4.0, 5.0], grad=2)
def unique_segments(tf, n, x):
    values, place = tf.unique(n)
    return values, tf.math.unsorted_segment_sum(x * x, place, tf.size(values))


@program([3, 1, 3, 2, 1])
def unique_counts(tf, n):
    return tf.unique_with_counts(n * 2)


@program([1.0, 2.0, 3.0, 4.0], [2, 0, 2], grad=1)
def ragged_sums(tf, x, lengths):
    r = tf.RaggedTensor.from_row_lengths(tf.exp(x), lengths)
    return tf.reduce_sum(r * r, axis=1) * 2.0


@program([1.0, 2.0, 3.0, 4.0], [2, 0, 2], grad=1)
def ragged_to_dense(tf, x, lengths):
    r = tf.RaggedTensor.from_row_lengths(tf.sin(x), lengths)
    return tf.cos(r.to_tensor(0.5)) * 2.0


@program(["ab", "c", "def"], [1.0, 2.0, 3.0], grad=2)
def strings_and_numbers(tf, s, x):
    n = tf.cast(tf.strings.length(s), tf.float32)
    y = tf.sin(x) * n
    return tf.strings.join([s, tf.strings.as_string(tf.cast(n * 2.0, tf.int32))]), tf.reduce_sum(y * y) + y


@program(["1.5", "2.5"], [1.0, 2.0], grad=1)
def string_to_number(tf, s, x):
    return tf.strings.to_number(s) * x * x


@program([1.0, 2.0], grad=1)
def python_in_the_middle(tf, x):
    a = tf.tanh(x) * 3.0
    b = tf.py_function(lambda v: v * v, [a], tf.TensorSpec([2], tf.float32))
    c = tf.numpy_function(lambda v: v + 1, [tf.exp(b)], tf.float32)
    return tf.reduce_sum(b * a), tf.sqrt(c)


@program([1.0, 2.0], state=lambda tf: {"v": tf.Variable(1.0), "w": tf.Variable(5.0)})
def effects_in_order(tf, s, x):
    v, w = s["v"], s["w"]
    tf.print("1", v, output_stream=sink())
    v.assign_add(tf.reduce_sum(x))
    tf.print("2", v, w, output_stream=sink())
    w.assign(v * 2.0)
    tf.debugging.assert_greater(w, 0.0)
    tf.print("3", v, w, output_stream=sink())
    v.assign(w - v)
    tf.print("4", v, output_stream=sink())
    return v + w


@program([1.0, 2.0], state=lambda tf: {"v": tf.Variable(1.0), "w": tf.Variable(5.0)})
def assert_between_writes(tf, s, x):
    s["v"].assign_add(1.0)
    tf.debugging.assert_less(s["v"], 3.5, message="v")
    s["w"].assign(s["v"] * tf.reduce_sum(x))
    return s["w"] + 0.0


@program(3, state=lambda tf: {"v": tf.Variable(0)}, like_eager=True)
def python_and_variables(tf, s, n):
    s["v"].assign_add(n)
    a = tf.py_function(lambda: s["v"] * 2, [], tf.TensorSpec([], tf.int32))
    s["v"].assign_add(a)
    return s["v"] + 0, a


@program(4)
def iterator_inside(tf, n):
    total = tf.constant(0, tf.int64)
    for x in iter(tf.data.Dataset.range(4)) if tf.executing_eagerly() else []:
        total += x
    if not tf.executing_eagerly():
        iterator = iter(tf.data.Dataset.range(4))
        for _ in range(4):
            total += next(iterator)
    return total + tf.cast(n, tf.int64)


@program(4)
def dataset_reduce_inside(tf, n):
    d = tf.data.Dataset.range(5).map(lambda x: x * x)
    return d.reduce(tf.constant(0, tf.int64), lambda a, b: a + b) * tf.cast(n, tf.int64)


@program([1.0, 2.0, 3.0, 4.0, 5.0], 3, grad=1)
def dynamic_range(tf, x, n):
    return tf.reduce_sum(tf.cast(tf.range(n), tf.float32) * x[:n] * x[:n])


@program([[1.0, 2.0], [3.0, 4.0]], [2, 1], grad=1)
def dynamic_reshape_and_tile(tf, x, times):
    return tf.tile(x * x, times), tf.reshape(x, tf.concat([[-1], times[1:]], 0))


@program([1.0, -1.0, 2.0, -3.0], grad=1)
def mask_in_loop(tf, x):
    def body(i, y):
        kept = tf.boolean_mask(y, y < 100.0)
        return i + 1, y * 2.0 + tf.reduce_sum(kept) * 0.1

    return tf.while_loop(lambda i, y: i < 3, body, (0, x))


@program([1.0, -1.0, 2.0], True, grad=1)
def mask_in_branch(tf, x, p):
    return tf.cond(p, lambda: tf.reduce_sum(tf.boolean_mask(x * x, x > 0.0)), lambda: tf.reduce_sum(x))


@program(["b", "a", "c"])
def table_lookup(tf, s):
    made = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2], tf.string, tf.int32)
    table = tf.lookup.StaticHashTable(made, -1)
    return table.lookup(s) * 2


@program([5.0, 1.0, 4.0], 2, grad=1, open_shapes=False)
def dynamic_top_k(tf, x, k):
    v, i = tf.math.top_k(x * x, k)
    return v, i


@program([[1.0, 0.0], [0.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]], grad=1)
def sparse_matmul(tf, x, y):
    s = tf.sparse.from_dense(tf.constant([[1.0, 0.0], [0.0, 3.0]]))
    return tf.sparse.sparse_dense_matmul(s, y * y) + x


@program([3.0, 1.0, 2.0], grad=2)
def nested_functions(tf, x):
    @tf.function(autograph=False)
    def inner(y):
        i = tf.where(y > 1.5)[:, 0]
        return tf.gather(y * y * y, i)

    return tf.reduce_sum(inner(x * 2.0)) + inner(x)[0]


@program([1.0, 2.0], grad=1, state=lambda tf: {"v": tf.Variable([2.0, 3.0])})
def read_write_gradient(tf, s, x):
    before = s["v"] * x
    s["v"].assign(s["v"] * 1.0)
    return before * s["v"]
