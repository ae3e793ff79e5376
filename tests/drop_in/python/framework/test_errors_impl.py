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


def test_errors_of_codes():
    error = errors_impl._make_specific_exception(None, None, "gone", 5)
    assert type(error) is tf.errors.NotFoundError and error.message == "gone"
    with pytest.warns(UserWarning, match="Unknown error code: 99"):
        assert type(errors_impl._make_specific_exception(None, None, "odd", 99)) is tf.errors.UnknownError
