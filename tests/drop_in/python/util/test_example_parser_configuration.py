"""The message of ops that parse examples: recorded from TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.drop_in.python.util import example_parser_configuration

FEATURES = {
    "x": tf.io.FixedLenFeature([1], tf.float32, 33.0),
    "y": tf.io.FixedLenFeature([2], tf.string),
    "z": tf.io.VarLenFeature(tf.string),
}


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        yield session


def check(config, op):
    assert sorted(config.feature_map) == ["x", "y", "z"]
    x, y = (config.feature_map[key].fixed_len_feature for key in "xy")
    assert (x.dtype, x.values_output_tensor_name, [dim.size for dim in x.shape.dim]) == (1, f"{op}:3", [1])
    assert list(x.default_value.float_val) == [33.0]
    assert (
        (y.dtype, y.values_output_tensor_name, [dim.size for dim in y.default_value.tensor_shape.dim])
        == (7, f"{op}:4", [0])
    )
    z = config.feature_map["z"].var_len_feature
    names = [z.indices_output_tensor_name, z.values_output_tensor_name, z.shapes_output_tensor_name]
    assert (z.dtype, names) == (7, [f"{op}:0", f"{op}:1", f"{op}:2"])


def test_version_2_of_the_op(session):
    serialized = tf.compat.v1.placeholder(tf.string, [None])
    op = tf.io.parse_example(serialized, FEATURES)["x"].op
    check(example_parser_configuration.extract_example_parser_configuration(op, session), "ParseExample/ParseExampleV2")
    ragged = tf.io.parse_example(serialized, FEATURES | {"r": tf.io.RaggedFeature(tf.int64)})["x"].op
    with pytest.raises(ValueError, match="Ragged features are not yet supported"):
        example_parser_configuration.extract_example_parser_configuration(ragged, session)


def test_version_1_of_the_op(session):
    parsed = tf.raw_ops.ParseExample(
        serialized=tf.compat.v1.placeholder(tf.string, [None]), names=[], sparse_keys=["z"], dense_keys=["x", "y"],
        dense_defaults=[tf.constant([33.0]), tf.constant([], tf.string)], sparse_types=[tf.string],
        dense_shapes=[[1], [2]],
    )  # fmt: skip
    config = example_parser_configuration.extract_example_parser_configuration(parsed.dense_values[0].op, session)
    check(config, "ParseExample")


def test_other_ops_are_refused(session):
    with pytest.raises(ValueError, match="Expected `ParseExample` object. Received type: Const"):
        example_parser_configuration.extract_example_parser_configuration(tf.constant(1).op, session)
