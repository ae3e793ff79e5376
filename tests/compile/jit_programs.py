"""Functions with `jit_compile=True`: what TensorFlow's XLA accepts, gives and refuses. Each takes floats `x` and
integers `i`.

`tools/golden/jit_programs.py` records what TensorFlow does with them. Left out is where its XLA gives wrong numbers:
the last element of what a mask leaves, arrays that grow, shapes that do not fit what a mask leaves. This file imports
neither TensorFlow nor Reflow.
"""

X = [3.0, -1.0, 2.0, -1.0, 0.0]
I = [3, 1, 2, 1, 0]  # noqa: E741
PROGRAMS: dict = {}


def program(function):
    """Register a program: of `tf`, the two arguments, and variables of one and of two elements."""
    PROGRAMS[function.__name__] = function
    return function


def _until(tf, n, x, change):
    """A loop whose variable changes its size."""
    shapes = (tf.TensorShape([]), tf.TensorShape([None]))
    return tf.while_loop(lambda k, y: k < n, lambda k, y: (k + 1, change(y)), (0, x), shape_invariants=shapes)[1]


@program
def unique(tf, x, i, one, two):
    return tf.unique(x)


@program
def unique_counts(tf, x, i, one, two):
    return tf.unique_with_counts(i)


@program
def where(tf, x, i, one, two):
    return tf.where(x > 0.0)


@program
def where_then(tf, x, i, one, two):
    return tf.gather(x, tf.where(x > 0.0)[:, 0]) * 2.0


@program
def where_shape(tf, x, i, one, two):
    return tf.shape(tf.where(x > 0.0))


@program
def mask(tf, x, i, one, two):
    return tf.boolean_mask(x, x > 0.0)


@program
def mask_grad(tf, x, i, one, two):
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.reduce_sum(tf.boolean_mask(x, x > 0.0) ** 2)
    return t.gradient(y, x)


@program
def mask_matmul(tf, x, i, one, two):
    m = tf.boolean_mask(x, x > 0.0)
    return tf.matmul(m[:, None], m[None, :])


@program
def mask_argmax(tf, x, i, one, two):
    return tf.argmax(tf.boolean_mask(x, x > 0.0))


@program
def mask_scatter(tf, x, i, one, two):
    return tf.tensor_scatter_nd_update(x, tf.where(x > 0.0), tf.boolean_mask(x, x > 0.0) * 2.0)


@program
def mask_empty(tf, x, i, one, two):
    return tf.boolean_mask(x, x > 10.0), tf.reduce_max(tf.boolean_mask(x, x > 10.0))


@program
def mask_2d_d(tf, x, i, one, two):
    m = tf.reshape(x[:4], [2, 2])
    return tf.boolean_mask(m, m > 0.0)


@program
def mask_assign(tf, x, i, one, two):
    one.assign(tf.reduce_sum(tf.boolean_mask(x, x > 0.0)))
    return one.read_value()


@program
def mask_add_mask(tf, x, i, one, two):
    return tf.boolean_mask(x, x > 0.0) + tf.boolean_mask(x, x < 0.0)


@program
def mask_softmax(tf, x, i, one, two):
    return tf.nn.softmax(tf.boolean_mask(x, x > 0.0))


@program
def unique_v2(tf, x, i, one, two):
    return tf.raw_ops.UniqueV2(x=i, axis=[0])


@program
def reshape_unique(tf, x, i, one, two):
    u = tf.unique(i)[0]
    return tf.reshape(u, [tf.shape(u)[0], 1])


@program
def zeros_unique(tf, x, i, one, two):
    return tf.zeros([tf.size(tf.unique(i)[0])])


@program
def range_unique(tf, x, i, one, two):
    return tf.range(tf.size(tf.unique(i)[0]))


@program
def dyn_partition(tf, x, i, one, two):
    return tf.dynamic_partition(x, tf.cast(x > 0.0, tf.int32), 2)


@program
def dyn_stitch_d(tf, x, i, one, two):
    return tf.dynamic_stitch([i], [x])


@program
def sets(tf, x, i, one, two):
    return tf.raw_ops.ListDiff(x=i, y=[1])


@program
def sparse_to_dense(tf, x, i, one, two):
    return tf.sparse.to_dense(tf.sparse.SparseTensor([[0], [2]], x[:2], [4]))


@program
def sparse_from_dense(tf, x, i, one, two):
    return tf.sparse.from_dense(x).values


@program
def setdiff(tf, x, i, one, two):
    return tf.sets.difference(i[None], tf.constant([[1]])).values


@program
def range_dyn(tf, x, i, one, two):
    return tf.range(i[0])


@program
def zeros_float(tf, x, i, one, two):
    return tf.zeros([tf.cast(x[0], tf.int32)])


@program
def zeros_var(tf, x, i, one, two):
    return tf.zeros([tf.cast(one, tf.int32) + 1])


@program
def slice_var(tf, x, i, one, two):
    return x[: tf.cast(one, tf.int32) + 1]


@program
def slice_dyn(tf, x, i, one, two):
    return x[: i[0]]


@program
def repeat_dyn(tf, x, i, one, two):
    return tf.repeat(x, i)


@program
def seqmask(tf, x, i, one, two):
    return tf.sequence_mask(i)


@program
def onehot_dyn(tf, x, i, one, two):
    return tf.one_hot(i, i[0] + 1)


@program
def unsorted_dyn(tf, x, i, one, two):
    return tf.math.unsorted_segment_sum(x, i, i[0] + 1)


@program
def bincount_len(tf, x, i, one, two):
    return tf.math.bincount(i, minlength=5, maxlength=5)


@program
def split_dyn(tf, x, i, one, two):
    return tf.split(x, [i[0], i[2]])


@program
def confusion_dyn(tf, x, i, one, two):
    return tf.math.confusion_matrix(i, i)


@program
def assert_pos(tf, x, i, one, two):
    tf.debugging.assert_positive(x)
    return x + 1.0


@program
def assert_dep(tf, x, i, one, two):
    with tf.control_dependencies([tf.debugging.assert_less(x, 0.0)]):
        return tf.identity(x)


@program
def plain_assert(tf, x, i, one, two):
    tf.Assert(x[0] < 0.0, [x])
    return x


@program
def checknum(tf, x, i, one, two):
    return tf.debugging.check_numerics(x / 0.0, "bad")


@program
def assert_finite(tf, x, i, one, two):
    tf.debugging.assert_all_finite(x / 0.0, "bad")
    return x


@program
def cond_assert(tf, x, i, one, two):
    if x[0] > 0.0:
        tf.debugging.assert_negative(x)
    return x


@program
def loop_assert(tf, x, i, one, two):
    for _ in tf.range(2):
        tf.debugging.assert_negative(x)
    return x


@program
def assert_in_called(tf, x, i, one, two):
    @tf.function
    def g(a):
        tf.debugging.assert_negative(a)
        return a

    return g(x)


@program
def printing(tf, x, i, one, two):
    tf.print(x)
    return x


@program
def cond_print(tf, x, i, one, two):
    if x[0] > 0.0:
        tf.print(x)
    return x


@program
def loop_print(tf, x, i, one, two):
    for k in tf.range(2):
        tf.print(k)
    return x


@program
def pyfunc(tf, x, i, one, two):
    return tf.py_function(lambda a: a + 1, [x], tf.float32)


@program
def numpyfunc(tf, x, i, one, two):
    return tf.numpy_function(lambda a: a + 1, [x], tf.float32)


@program
def strings(tf, x, i, one, two):
    return tf.strings.as_string(x)


@program
def string_const(tf, x, i, one, two):
    return tf.constant("a")


@program
def string_len(tf, x, i, one, two):
    return tf.strings.length("abc")


@program
def two_bad(tf, x, i, one, two):
    tf.print(x)
    return tf.strings.to_number(tf.strings.as_string(x))


@program
def dataset(tf, x, i, one, two):
    s = 0
    for _ in tf.data.Dataset.range(3):
        s += 1
    return s


@program
def unique_str(tf, x, i, one, two):
    return tf.size(tf.unique(tf.strings.as_string(x))[0])


@program
def gather_oob(tf, x, i, one, two):
    return tf.gather(x, i + 4)


@program
def intdiv0(tf, x, i, one, two):
    return i // (i - i)


@program
def scatter_oob(tf, x, i, one, two):
    return tf.tensor_scatter_nd_update(x, [[7]], [1.0])


@program
def xent_grad(tf, x, i, one, two):
    with tf.GradientTape() as t:
        t.watch(x)
        l = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[3, 1], logits=tf.stack([x[:2], x[:2]]))
    return l, t.gradient(l, x)


@program
def check_in_loop(tf, x, i, one, two):
    s = 0.0
    for k in tf.range(10):
        s += tf.gather(x, k + 3)
    return s


@program
def while_list(tf, x, i, one, two):
    ta = tf.TensorArray(tf.float32, 3)
    for k in tf.range(3):
        ta = ta.write(k, x[k])
    return ta.stack()


@program
def while_list_dynsize(tf, x, i, one, two):
    ta = tf.TensorArray(tf.float32, i[0])
    for k in tf.range(i[0]):
        ta = ta.write(k, x[k])
    return ta.stack()


@program
def data_loop_list(tf, x, i, one, two):
    n = tf.cast(tf.reduce_sum(x), tf.int32)
    ta = tf.TensorArray(tf.float32, n)
    for k in tf.range(n):
        ta = ta.write(k, x[k])
    return ta.stack()


@program
def while_grad_dyn(tf, x, i, one, two):
    with tf.GradientTape() as t:
        t.watch(x)
        y = x[0]
        for _ in tf.range(i[0]):
            y = y * y
    return t.gradient(y, x)


@program
def inner_grad(tf, x, i, one, two):
    n = tf.cast(tf.reduce_sum(x), tf.int32)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x[0]
        for _ in tf.range(n):
            y = y * y
    return t.gradient(y, x)


@program
def while_grad_max(tf, x, i, one, two):
    with tf.GradientTape() as t:
        t.watch(x)
        (y,) = tf.while_loop(lambda y: y < 100.0, lambda y: (y * y,), (x[0],), maximum_iterations=10)
    return t.gradient(y, x)


@program
def while_grad_data(tf, x, i, one, two):
    with tf.GradientTape() as t:
        t.watch(x)
        y = x[0]
        while y < 100.0:
            y = y * y
    return t.gradient(y, x)


@program
def while_grows(tf, x, i, one, two):
    return _until(tf, i[0], x, lambda y: tf.concat([y, [1.0]], 0))


@program
def while_shrinks(tf, x, i, one, two):
    return _until(tf, 2, x, lambda y: y[1:])


@program
def nested_dyn_grad(tf, x, i, one, two):
    with tf.GradientTape() as t:
        t.watch(x)
        s = x[0]
        for a in tf.range(i[0]):
            for b in tf.range(a):
                s *= x[b]
    return t.gradient(s, x)


@program
def loop_zeros_k(tf, x, i, one, two):
    s = 0.0
    for k in tf.range(3):
        s += tf.reduce_sum(tf.ones([k]))
    return s


@program
def loop_slice_k(tf, x, i, one, two):
    s = 0.0
    for k in tf.range(3):
        s += tf.reduce_sum(x[:k])
    return s


@program
def loop_cond_shapes(tf, x, i, one, two):
    s = 0.0
    for k in tf.range(3):
        s += tf.reduce_sum(tf.cond(k > 1, lambda: x, lambda: x[:2]))
    return s


@program
def cond_shapes(tf, x, i, one, two):
    if x[0] > 0.0:
        y = x
    else:
        y = x[:2]
    return y


@program
def cond_shapes2(tf, x, i, one, two):
    return tf.cond(x[0] < 0.0, lambda: x, lambda: x[:2])


@program
def cond_mask(tf, x, i, one, two):
    if x[0] > 0.0:
        y = tf.reduce_sum(tf.boolean_mask(x, x > 0.0))
    else:
        y = 0.0
    return y


@program
def loop_mask(tf, x, i, one, two):
    s = 0.0
    for k in tf.range(2):
        s += tf.reduce_sum(tf.boolean_mask(x, x > tf.cast(k, tf.float32)))
    return s


@program
def mapfn_mask(tf, x, i, one, two):
    return tf.map_fn(lambda a: tf.size(tf.where(x > a)), x, fn_output_signature=tf.int32)


@program
def scan(tf, x, i, one, two):
    return tf.scan(lambda a, b: a + b, x)


@program
def ta_concat(tf, x, i, one, two):
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
    ta = ta.write(0, x[:2])
    ta = ta.write(1, x[:2])
    return ta.concat()


@program
def ta_gather(tf, x, i, one, two):
    ta = tf.TensorArray(tf.float32, 5).unstack(x)
    return ta.gather([0, 2])


@program
def ta_scatter(tf, x, i, one, two):
    ta = tf.TensorArray(tf.float32, 5).scatter([1, 0, 2, 3, 4], x)
    return ta.stack()


@program
def ta_size(tf, x, i, one, two):
    return tf.TensorArray(tf.float32, 5).unstack(x).size()


@program
def ta_unstack_long(tf, x, i, one, two):
    return tf.TensorArray(tf.float32, 2).unstack(x).stack()


@program
def ta_unwritten(tf, x, i, one, two):
    ta = tf.TensorArray(tf.float32, 2)
    ta = ta.write(0, x[0])
    return ta.stack()


@program
def scatter_nd_var(tf, x, i, one, two):
    two.scatter_nd_update([[0]], [5.0])
    return two.read_value()


@program
def trid(tf, x, i, one, two):
    return tf.linalg.tridiagonal_solve(tf.constant([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]), tf.ones([3]))


@program
def is_init(tf, x, i, one, two):
    return tf.raw_ops.VarIsInitializedOp(resource=two.handle)


def observe(tf, function, calls=1) -> list:
    """What each call of a program gives: dtypes and values of the results, or the class of the error."""
    one, two = tf.Variable(1.0), tf.Variable([1.0, 2.0])
    jitted = tf.function(lambda x, i: function(tf, x, i, one, two), jit_compile=True)
    seen: list = []
    for _ in range(calls):
        try:
            results = tf.nest.flatten(jitted(tf.constant(X), tf.constant(I)))
            seen.append([[t.dtype.name, t.numpy().tolist()] for t in results])
        except tf.errors.OpError as error:
            seen.append(type(error).__name__)
    return seen
