"""Functions read from a SavedModel."""

import numpy as np
import pytest

import reflow as tf
from tests.saved_model.models import Signed


def test_loaded_functions_keep_their_input_signature(tmp_path):
    tf.saved_model.save(Signed(), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.named.input_signature == (tf.TensorSpec([]), tf.TensorSpec([2]))
    assert loaded.named(np.array(1.5), [1, 2])["z"].numpy() == 3.0  # cast, as before saving
    with pytest.raises(TypeError, match=r"Can not cast 3.0 to Literal\[2.0\]"):
        loaded.named(1.0, [1.0, 2.0], by=3.0)
    assert loaded.many(2.0, np.array([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


def test_loaded_functions_do_not_warn_about_retracing(tmp_path, caplog):
    module = tf.Module()
    module.double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    for _ in range(6):  # six functions with one body: each traces once
        assert tf.saved_model.load(tmp_path).double([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]
    assert not caplog.records


def test_a_signature_called_with_other_arguments_says_what_it_takes(tmp_path):
    module = tf.Module()
    module.double = tf.function(lambda x: {"y": 2 * x}, input_signature=[tf.TensorSpec([None], name="x")])
    tf.saved_model.save(module, tmp_path, signatures=module.double)
    serve = tf.saved_model.load(tmp_path).signatures["serving_default"]
    start = (
        r"(?s)Binding inputs to tf.function failed due to `{}`.*for signature: \(\*, x: "
        r"TensorSpec.*Fallback to flat signature .*: {}"
    )
    with pytest.raises(
        TypeError, match=start.format("missing a required argument: 'x'", r"\S+\(x\) missing required arguments: x.")
    ):
        serve()
    with pytest.raises(
        TypeError,
        match=start.format("got an unexpected keyword argument 'z'", r"\S+\(x\) got unexpected keyword arguments: z"),
    ):
        serve(x=tf.constant([1.0]), z=tf.constant([1.0]))
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="input #0.zero-based. was expected to be a float tensor but is a int32 tensor",
    ):
        serve(x=tf.constant([1]))


def test_a_loaded_function_knows_the_names_of_its_arguments(tmp_path):
    root = tf.Module()
    root.f = tf.function(lambda x, y: {"sum": x + y}).get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([2]))
    tf.saved_model.save(root, str(tmp_path))
    parameters = tf.saved_model.load(str(tmp_path)).f.function_type.parameters
    assert [(name, p.kind is p.POSITIONAL_OR_KEYWORD) for name, p in parameters.items()] == [("x", True), ("y", True)]
    assert parameters["x"].type_constraint == tf.TensorSpec([], name="x")
