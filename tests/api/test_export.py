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


def test_functions_of_a_family_share_sections_of_their_texts():
    sections = "Args:\n  axis: The axis.\n\nReturns:\n  The {what}.\n\nRaises:\n  ValueError: There is no axis.\n"

    @export.with_sections(sections, what="sum")
    def total(x, axis):
        """Adds numbers.

        Args:
          x: Numbers.

        Raises:
          TypeError: No numbers.

        >>> total([1], 0)
        1
        """

    @export.with_sections(sections, what="norm")
    def norm(axis):
        """Measures."""

    assert total.__doc__ == (
        "Adds numbers.\n\nArgs:\n  x: Numbers.\n  axis: The axis.\n\nReturns:\n  The sum.\n\n"
        "Raises:\n  TypeError: No numbers.\n  ValueError: There is no axis.\n\n>>> total([1], 0)\n1\n"
    )
    assert norm.__doc__.strip() == (
        "Measures.\n\nArgs:\n  axis: The axis.\n\nReturns:\n  The norm.\n\nRaises:\n  ValueError: There is no axis."
    )


def test_shared_arguments_stand_in_the_order_of_the_signature():
    sections = "Args:\n  x, y: Numbers,\n    of one type.\n  axis: The axis.\n  name: A name.\n"

    @export.with_sections(sections)
    def norm(x, y, order, name):
        """Measures.

        Args:
          order: The order.
          name: No name.
        """

    assert norm.__doc__.strip() == (
        "Measures.\n\nArgs:\n  x, y: Numbers,\n    of one type.\n  order: The order.\n  name: No name."
    )


def test_shared_arguments_of_classes_are_those_of_their_init():
    class Kind(type):
        def __call__(cls, *args, **kwargs):
            return super().__call__(*args, **kwargs)

    @export.with_sections("Args:\n  size: How large.\n")
    class Thing(metaclass=Kind):
        """Has a size."""

        def __init__(self, size):
            self.size = size

    assert Thing(3).size == 3
    assert (Thing.__doc__ or "").strip() == "Has a size.\n\nArgs:\n  size: How large."


def test_the_table_is_the_namespace():
    assert export.TABLE["math.add"] is inspect.unwrap(tf.math.add) is inspect.unwrap(tf.add)  # `keras.Input` wraps them
