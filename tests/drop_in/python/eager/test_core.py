"""How a failed op reaches Python."""

import reflow as tf
from reflow.drop_in.python.eager import core


def test_statuses_become_errors():
    status = core._NotOkStatusException("bad", 3)
    assert isinstance(core._status_to_exception(status), tf.errors.InvalidArgumentError)
    assert str(status) == "InvalidArgumentError: bad"
    assert isinstance(core._status_to_exception(core._NotOkStatusException("odd", 99)), tf.errors.UnknownError)
