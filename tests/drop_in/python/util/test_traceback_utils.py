"""Tracebacks without the library's own frames."""

import traceback

import pytest

import reflow as tf
from reflow.drop_in.python.util import traceback_utils


def frames_of(function):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function()
    return [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_a_decorated_function_hides_the_librarys_frames():
    @traceback_utils.filter_traceback
    def product():
        """A product that fails."""
        return tf.matmul([[1.0, 2.0]], [[1.0]])

    assert (product.__name__, product.__doc__) == ("product", "A product that fails.")
    shown = frames_of(product)
    assert shown[1:3] == ["error_handler", "product"] and len(shown) == 4  # and the frame that raised it
    tf.debugging.disable_traceback_filtering()
    try:
        assert len(frames_of(product)) > 4
    finally:
        tf.debugging.enable_traceback_filtering()


def test_which_files_are_shown():
    assert traceback_utils.include_frame("/home/me/train.py") and traceback_utils.include_frame("<frozen runpy>")
    assert not traceback_utils.include_frame(tf.__file__)
