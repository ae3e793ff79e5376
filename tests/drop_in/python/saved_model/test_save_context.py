"""`reflow/drop_in/python/saved_model/save_context.py`: functions have traces of their own for a SavedModel."""

import pytest

import reflow as tf
from reflow.drop_in.python.saved_model import save_context


def test_a_block_for_a_saved_model():
    options, f = tf.saved_model.SaveOptions(), tf.function(lambda: tf.constant(1.0))
    f()
    assert not save_context.in_save_context()
    with pytest.raises(ValueError, match="Not in a SaveContext"):
        save_context.get_save_options()
    for _ in range(2):
        with save_context.save_context(options):
            f()
            assert save_context.in_save_context() and save_context.get_save_options() is options
            with pytest.raises(ValueError, match="Already in a SaveContext"), save_context.save_context(options):
                pass
    assert f.experimental_get_tracing_count() == 2
