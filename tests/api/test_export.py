"""Public names: each is given once, by the thing that has it."""

import inspect

import pytest

import reflow as tf
from reflow.api import export


@pytest.fixture
def names(monkeypatch):
    monkeypatch.setattr(export, "TABLE", {})
    monkeypatch.setattr(export, "EXPORTED_BY", {})
    return export.TABLE


def test_a_decorator_gives_all_names(names):
    @export.export("twice", "math.twice")
    def twice(x):
        return 2 * x

    assert names == {"twice": twice, "math.twice": twice} and twice(2) == 4
    assert set(export.EXPORTED_BY.values()) == {__name__}


def test_a_name_is_taken_once(names):
    export.export_value(1, "one")
    with pytest.raises(ValueError, match="tf.one is exported twice"):
        export.export_value(2, "one")


def test_functions_of_a_factory_get_a_name_and_a_text(names):
    function = export.export_function(lambda x: x, "math.same", doc="The same.")
    assert (function.__name__, function.__doc__, names["math.same"]) == ("same", "The same.", function)


def test_the_table_is_the_namespace():
    assert export.TABLE["math.add"] is inspect.unwrap(tf.math.add) is inspect.unwrap(tf.add)  # `keras.Input` wraps them
