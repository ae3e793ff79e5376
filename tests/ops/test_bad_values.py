"""Values that TensorFlow refuses or answers with NaN, and that must not take for ever.

Eagerly, and in functions at every call.
"""

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors

raw = tf.raw_ops
NAN, INF = float("nan"), float("inf")


def integers(*values):
    return np.array(values, np.int64)


def ngrams(splits=(0, 2), widths=(2,), pad=0):
    return raw.StringNGrams(
        data=["a", "b"],
        data_splits=np.array(splits, np.int64),
        separator="",
        ngram_widths=list(widths),
        left_pad="l",
        right_pad="r",
        pad_width=pad,
        preserve_short_sequences=False,
    )


def sparse(op, prefix, row, **more):
    return getattr(raw, op)(
        **{f"{prefix}indices": integers([row, 0]), f"{prefix}values": [1.0], f"{prefix}shape": integers(2, 2)}, **more
    )


def edit_distance(row):
    facts = {"indices": integers([row, 0]), "values": [1], "shape": integers(2, 2)}
    both = {f"{side}_{name}": value for side in ("hypothesis", "truth") for name, value in facts.items()}
    return raw.EditDistance(**both)


def handle():
    return raw.TensorListReserve(element_shape=[2], num_elements=2, element_dtype=tf.float32)


CASES = {
    "fake quant, one bit": (
        lambda: raw.FakeQuantWithMinMaxArgs(inputs=[1.0], num_bits=1), "num_bits must be between 2 and 16"
    ),
    "fake quant, many bits": (
        lambda: raw.FakeQuantWithMinMaxVars(inputs=[1.0], min=0.0, max=1.0, num_bits=2**30),
        "num_bits must be between 2 and 16",
    ),
    "fake quant, per channel": (
        lambda: raw.FakeQuantWithMinMaxVarsPerChannel(inputs=[1.0], min=[0.0], max=[1.0], num_bits=17),
        "num_bits must be between 2 and 16",
    ),
    "fake quant, gradient": (
        lambda: raw.FakeQuantWithMinMaxArgsGradient(gradients=[1.0], inputs=[1.0], num_bits=2**30),
        "num_bits must be between 2 and 16",
    ),
    "stitch": (lambda: tf.dynamic_stitch([[-1, 0]], [[1.0, 2.0]]), "indices[0] is out of range"),
    "parallel stitch": (
        lambda: raw.ParallelDynamicStitch(indices=[[0, -1]], data=[[1.0, 2.0]]),
        "indices[1] is out of range",
    ),
    "unravel": (lambda: tf.unravel_index([99], [2, 2]), "index is out of bound as with dims"),
    "unravel zero": (
        lambda: tf.unravel_index([0], [2, 0]),
        "Input dims cannot contain a dim of zero, but dims contains zero at index 1",
    ),
    "ngrams, zero": (lambda: ngrams(widths=[0]), "ngram_widths must contain positive values"),
    "ngrams, wide": (
        lambda: ngrams(widths=[2**30], pad=-1), "Pad width could lead to integer overflow, got pad_width = 1073741823"
    ),
    "ngrams, first split": (lambda: ngrams(splits=(1, 2)), "First split value must be 0, got 1"),
    "ngrams, split beyond": (lambda: ngrams(splits=(0, 5)), "Invalid split value 5, must be in [0, 2]"),
    "ngrams, splits fall": (lambda: ngrams(splits=(0, 2, 1, 2)), "Invalid split value 1, must be in [2, 2]"),
    "sparse dense add": (
        lambda: sparse("SparseTensorDenseAdd", "a_", -1, b=tf.ones([2, 2])),
        "Sparse tensor has an invalid index on dimension 0: a_indices(0,0) = -1, dense tensor shape: 2 2",
    ),
    "sparse dense product": (
        lambda: sparse("SparseDenseCwiseMul", "sp_", -1, dense=tf.ones([2, 2])),
        "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape",
    ),
    "sparse matrix product": (
        lambda: sparse("SparseTensorDenseMatMul", "a_", -1, b=tf.ones([2, 2])),
        "m (-1) from index[0,0] out of bounds (>=2)",
    ),
    "sparse split": (
        lambda: raw.SparseSplit(
            split_dim=np.int64(0), indices=integers([-1, 0]), values=[1.0], shape=integers(2, 2), num_split=2
        ),
        "Sparse index tuple indices[0, :] = [-1, 0] is out of bounds",
    ),
    "sparse rows": (
        lambda: raw.SparseFillEmptyRows(
            indices=integers([-1, 0]), values=[1.0], dense_shape=integers(2, 2), default_value=0.0
        ),
        "indices(0, 0) is invalid: -1 >= 2",
    ),
    "bucketize": (lambda: raw.Bucketize(input=[1.0, 2.0], boundaries=[3.0, 1.0]), "Expected sorted boundaries"),
    "list": (
        lambda: raw.TensorListLength(input_handle=raw.TensorListResize(input_handle=handle(), size=-1)),
        "TensorListSlice expects size to be non-negative. Got: -1",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused_at_every_call(name):
    """Eagerly, and by a function that is interpreted the first time and compiled the second."""
    call, text = CASES[name]
    function = tf.function(call, autograph=False)
    for run in (call, function, function, function):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            run()
        assert text in str(caught.value)


def test_a_negative_number_of_steps():
    with pytest.raises(errors.InvalidArgumentError, match="Requires start <= limit when delta > 0: 1/-1"):
        tf.linspace(0.0, 1.0, -1)
    with pytest.raises(ValueError, match="Requires start <= limit when delta > 0"):
        tf.function(lambda: tf.linspace(0.0, 1.0, -1))()
    assert tf.linspace(0.0, 1.0, 3).numpy().tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("row", [-1, 9])
def test_edit_distance_outside_of_its_result(row):
    with pytest.raises(errors.InternalError, match="would require writing to outside of the buffer"):
        edit_distance(row)
    assert edit_distance(1).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [tf.string, tf.int32])
def test_reading_a_variable_as_another_dtype(dtype):
    variable = tf.Variable([1.0, 2.0])
    with pytest.raises(
        errors.InvalidArgumentError, match="Trying to read variable with wrong dtype. Expected .* got float"
    ):
        raw.ReadVariableOp(resource=variable.handle, dtype=dtype)


@pytest.mark.parametrize("count", [2**30, 2**62])
def test_a_number_of_partitions(count):
    with pytest.raises(errors.InvalidArgumentError, match="Number of outputs is too big"):
        raw.DynamicPartition(data=[1, 2], partitions=[0, 1], num_partitions=count)


@pytest.mark.parametrize("alpha, expected", [(NAN, NAN), (-1.0, NAN), (-INF, NAN), (INF, INF)])
def test_gamma_of_what_is_no_shape(alpha, expected):
    for samples in (
        tf.random.stateless_gamma([3], [1, 2], alpha=alpha),
        tf.function(lambda: tf.random.stateless_gamma([3], [1, 2], alpha=alpha))(),
        raw.RandomGamma(shape=[3], alpha=alpha, seed=1),
    ):
        np.testing.assert_array_equal(samples.numpy(), [expected] * 3)


def test_bad_parameters_leave_the_others_alone():
    good = tf.random.stateless_gamma([4, 1], [1, 2], alpha=[2.0]).numpy()
    mixed = tf.random.stateless_gamma([4, 2], [1, 2], alpha=[2.0, NAN]).numpy()
    assert np.isfinite(good).all() and np.isfinite(mixed[:, 0]).all() and np.isnan(mixed[:, 1]).all()


def test_poisson_and_binomial_of_what_is_no_rate():
    rates = tf.random.stateless_poisson([4], [1, 2], [NAN, -1.0, INF, 3.0], tf.float32).numpy()
    assert np.isnan(rates[:3]).all() and np.isfinite(rates[3])
    counts = tf.random.stateless_binomial([3], [1, 2], [NAN, INF, 5.0], [0.5, 0.5, 0.5], tf.float32).numpy()
    assert np.isnan(counts[:2]).all() and 0 <= counts[2] <= 5


@pytest.mark.parametrize(
    "call, text",
    [
        # once it ran for hours
        (lambda: tf.math.sobol_sample(2560, 16384000), r"num_results\*dim must be less than 2147483647"),
        (lambda: tf.math.sobol_sample(1, 1, skip=2**31 - 1), r"num_results\+skip must be less than"),
        (lambda: tf.math.sobol_sample(50000, 4), "dim must be at most 21200"),
        (lambda: tf.raw_ops.DataFormatVecPermute(x=[1, 2, 3]), r"1D input must be of size 2 or 4, but got shape \[3\]"),
        (
            lambda: tf.raw_ops.DataFormatVecPermute(x=[1, 2], src_format="NHHC"),
            "must determine a permutation, got NHHC and NCHW",
        ),
        (
            lambda: tf.raw_ops.DataFormatDimMap(x=[0], src_format="ABC", dst_format="CAB"),
            "Source format must be of length 4 or 5",
        ),
    ],
)
def test_values_that_kernels_refuse(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()


def test_the_gradient_of_a_slice_has_the_shape_of_the_slice():
    for dy in ([1.0, 2.0, 3.0], [[1.0, 2.0]], 1.0):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape of dy was \[.*\] instead of \[2\]"):
            tf.raw_ops.StridedSliceGrad(shape=[5], begin=[1], end=[3], strides=[1], dy=tf.constant(dy))
