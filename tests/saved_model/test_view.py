"""The objects of a SavedModel, with functions and traces."""

import reflow as tf


def test_functions_list_their_traces_for_a_saved_model():
    function = tf.function(lambda x: x + 1.0)
    function(tf.constant(1.0))
    assert function._trackable_children("checkpoint") == {}
    assert list(function._trackable_children("savedmodel")) == ["trace_0"]
