"""Functions that Keras registers."""

from reflow.drop_in.python.util import keras_deps


def test_functions_are_kept(monkeypatch):
    monkeypatch.setattr(keras_deps, "_functions", {})
    assert keras_deps.get_load_model_function() is None
    keras_deps.register_load_model_function(len)
    keras_deps.register_clear_session_function(print)
    assert keras_deps.get_load_model_function() is len and keras_deps.get_clear_session_function() is print
    assert keras_deps.get_call_context_function() is None and keras_deps.get_get_session_function() is None
