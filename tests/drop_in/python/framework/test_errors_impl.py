"""Status codes and classes of errors."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import errors_impl


def test_codes():
    assert errors_impl.exception_type_from_error_code(3) is tf.errors.InvalidArgumentError
    assert errors_impl.error_code_from_exception_type(tf.errors.NotFoundError) == 5
    assert errors_impl.error_code_from_exception_type(ValueError) == 2
    with pytest.raises(KeyError):
        errors_impl.exception_type_from_error_code(99)
