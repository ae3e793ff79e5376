"""Programs of `tf.TensorArray`."""

import numpy as np

from tests.function.control_table import program

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@program(X, grad=2)
def array_write_stack(tf, x):
    ta = tf.TensorArray(tf.float32, 3)
    for i in range(3):
        ta = ta.write(i, x[i] * x[i])
    return ta.stack()


@program(X, grad=1)
def array_unstack_read(tf, x):
    ta = tf.TensorArray(tf.float32, 3).unstack(x * x)
    return ta.read(2), ta.read(0), ta.size()


@program(X, grad=2)
def array_gather(tf, x):
    ta = tf.TensorArray(tf.float32, 3).unstack(x * x)
    return ta.gather([2, 0])


@program(X, grad=2)
def array_scatter(tf, x):
    ta = tf.TensorArray(tf.float32, 4)
    return ta.scatter([3, 1, 0], x * x).gather([0, 1, 3])


@program(X, grad=1)
def array_scatter_then_write(tf, x):
    return tf.TensorArray(tf.float32, 4).scatter([3, 1, 0], x * x).write(2, x[0]).stack()


@program([1.0, 2.0, 3.0, 4.0, 5.0], grad=2)
def array_split_concat(tf, x):
    ta = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x * x, [2, 0, 3])
    return ta.concat(), ta.read(2)


@program([1.0, 2.0, 3.0], grad=2)
def array_concat_written(tf, x):
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
    return ta.write(0, x * x).write(1, x[:1]).concat()


@program(X, grad=1)
def array_concat_matrices(tf, x):
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None, 2])
    return ta.write(0, x).write(1, x[:1]).concat()


@program(X)
def array_size_dynamic(tf, x):
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    ta = ta.write(0, x[0]).write(2, x[2]).write(1, x[1])
    return ta.stack(), ta.size()


@program(2, X)
def array_size_tensor(tf, n, x):
    ta = tf.TensorArray(tf.float32, size=n)
    return ta.write(0, x[0]).write(1, x[2]).stack(), ta.size()


@program(X)
def array_element_shape(tf, x):
    ta = tf.TensorArray(tf.float32, 2, element_shape=[None])
    return ta.write(0, x[0]).write(1, x[1]).stack()


@program(X, text=False)
def array_element_shape_violated(tf, x):
    return tf.TensorArray(tf.float32, 2, element_shape=[3]).write(0, x[0]).stack()


@program(X, text=False)
def array_shape_mismatch(tf, x):
    return tf.TensorArray(tf.float32, 2).write(0, x[0]).write(1, x).stack()


@program(X, text=False)
def array_infer_shape_off_stack(tf, x):
    return tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, x[0]).write(1, x[0, :1]).stack()


@program(X)
def array_infer_shape_off_read(tf, x):
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, x[0]).write(1, x[0, :1])
    return ta.read(0), ta.read(1)


@program(5, X, text=False)
def array_write_out_of_bounds(tf, i, x):
    return tf.TensorArray(tf.float32, 2).write(i, x[0]).stack()


@program(-1, X, text=False)
def array_write_negative(tf, i, x):
    return tf.TensorArray(tf.float32, 2).write(i, x[0]).stack()


@program(5, X, text=False)
def array_read_out_of_bounds(tf, i, x):
    return tf.TensorArray(tf.float32, 3).unstack(x).read(i)


@program(X, text=False)
def array_wrong_dtype(tf, x):
    return tf.TensorArray(tf.int32, 2).write(0, x[0]).stack()


@program(X)
def array_read_twice(tf, x):
    ta = tf.TensorArray(tf.float32, 3).unstack(x)
    return ta.read(0), ta.read(0)


@program(X)
def array_read_twice_kept(tf, x):
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    return ta.read(0), ta.read(0)


@program(X, text=False)
def array_write_twice(tf, x):
    return tf.TensorArray(tf.float32, 1).write(0, x[0]).write(0, x[1]).stack()


@program(X)
def array_unwritten_zeros(tf, x):
    return tf.TensorArray(tf.float32, 3).write(1, x[0]).stack()


@program(X)
def array_unwritten_read(tf, x):
    return tf.TensorArray(tf.float32, 3, element_shape=[2]).write(1, x[0]).read(0)


@program(X, text=False)
def array_unwritten_unknown_shape(tf, x):
    return tf.TensorArray(tf.float32, 3).read(0)


@program(1)
def array_empty_stack(tf, n):
    return tf.TensorArray(tf.float32, 0, element_shape=[2]).stack()


@program(1, text=False)
def array_empty_stack_unknown(tf, n):
    return tf.TensorArray(tf.float32, 0).stack()


@program(1, instead={"eager": None})
def array_empty_concat(tf, n):
    return tf.TensorArray(tf.float32, 0, element_shape=[None, 2]).concat()


@program(["a", "bc"])
def array_strings(tf, s):
    return tf.TensorArray(tf.string, 2).unstack(s).write(0, "z").stack()


@program(X, grad=1)
def array_identity(tf, x):
    return tf.TensorArray(tf.float32, 3).unstack(x * x).identity().stack()


@program(X, instead={"eager": None})
def array_facts(tf, x):
    ta = tf.TensorArray(tf.float32, 3, dynamic_size=True, colocate_with_first_write_call=False, tensor_array_name="n")
    assert ta.dynamic_size is True and ta.dtype == tf.float32 and ta.element_shape.rank is None
    ta = ta.unstack(x)
    assert ta.element_shape.as_list() == [2]
    return ta.write(4, x[0]).size()


@program(np.array([[1, 2], [3, 4]], np.int64))
def array_int64(tf, x):
    return tf.TensorArray(tf.int64, 2).unstack(x).gather([1])


@program(np.array([[1 + 2j, 3], [1j, 4]], np.complex64), grad=1)
def array_complex(tf, x):
    return tf.TensorArray(tf.complex64, 2).unstack(x * x).stack()


@program(X, grad=1, eager=False)
def array_dropped_write(tf, x):
    """In a function the second write is lost with its result; eager arrays remember it."""
    ta = tf.TensorArray(tf.float32, 2, element_shape=[2])
    ta = ta.write(0, x[0] * x[0])
    ta.write(1, x[1] * x[1])
    return ta.stack()


@program(X, grad=2)
def array_gradient_of_two_reads(tf, x):
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    return ta.read(0) * ta.read(0) * ta.read(1)


@program(X, grad=1)
def array_stack_and_read(tf, x):
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x * x)
    return ta.stack() * 2.0, ta.read(1), ta.gather([1, 1])


@program(X, text=False)
def array_unstack_too_long(tf, x):
    return tf.TensorArray(tf.float32, 2).unstack(x).stack()


@program(X, text=False)
def array_split_wrong_lengths(tf, x):
    return tf.TensorArray(tf.float32, 2).split(x, [1, 1]).stack()


@program(X)
def array_ragged_rows(tf, x):
    """Rows of different lengths, put together again."""
    ta = tf.TensorArray(tf.float32, 3, infer_shape=False, element_shape=[None])
    for i in range(3):
        ta = ta.write(i, x[i, : i % 2 + 1])
    return tf.RaggedTensor.from_row_lengths(ta.concat(), [1, 2, 1])


@program(X)
def array_in_nested_function(tf, x):
    ta = tf.TensorArray(tf.float32, 3)

    @tf.function(autograph=False)
    def fill(x):
        return ta.unstack(x).stack() if tf.executing_eagerly() else tf.TensorArray(tf.float32, 3).unstack(x).stack()

    return fill(x)
