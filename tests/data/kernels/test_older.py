"""What dataset ops of older graphs refuse; their elements go through tests/ops/test_table.py."""

import pytest

import reflow as tf

TYPES = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}


@pytest.mark.parametrize(
    ("op", "arguments", "message"),
    [
        ("MaxIntraOpParallelismDataset", {"max_intra_op_parallelism": -1}, "`max_intra_op_parallelism` must be >= 0"),
        ("PrivateThreadPoolDataset", {"num_threads": -1}, "`num_threads` must be >= 0"),
        (
            "SlidingWindowDataset", {"window_size": 0, "window_shift": 1, "window_stride": 1},
            "must be greater than zero",
        ),
        ("AutoShardDataset", {"num_workers": 2, "index": 2}, "index must be between 0 and 1"),
    ],
)
def test_bad_numbers(op, arguments, message):
    numbers = tf.data.Dataset.range(3)._variant_tensor
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        getattr(tf.raw_ops, op)(input_dataset=numbers, **arguments, **TYPES)


def test_branches_that_give_the_same_elements():
    branch = tf.function(lambda d: d).get_concrete_function(tf.TensorSpec([], tf.variant))
    numbers = tf.data.Dataset.range(3)
    chosen = tf.raw_ops.ChooseFastestBranchDataset(
        input_dataset=numbers._variant_tensor, ratio_numerator=1, ratio_denominator=1, other_arguments=[],
        num_elements_per_branch=2, branches=[branch, branch], other_arguments_lengths=[0, 0], **TYPES,
    )
    assert int(tf.raw_ops.DatasetCardinality(input_dataset=chosen)) == 3


def test_options_of_a_dataset():
    options = tf.data.Options()
    options.deterministic = False
    with_options = tf.data.Dataset.range(3).with_options(options)._variant_tensor
    assert tf.raw_ops.GetOptions(input_dataset=with_options).numpy() == options._serialize()
    assert tf.raw_ops.DummyIterationCounter().dtype == tf.resource
