"""Classes of typed options."""

import pytest

from reflow.drop_in.python.data.util import options


class Tea(options.OptionsBase):
    cups = options.create_option(name="cups", ty=int, docstring="How many.", default_factory=lambda: 2)
    sugar = options.create_option(name="sugar", ty=float, docstring="How sweet.")


class Party(options.OptionsBase):
    tea = options.create_option(name="tea", ty=Tea, docstring="What there is.")


def test_options():
    tea = Tea()
    assert (tea.cups, tea.sugar, Tea.cups.__doc__) == (2, None, "How many.") and tea == Tea()
    tea.cups = 3
    assert tea.cups == 3 and tea != Tea()
    with pytest.raises(TypeError, match="must be of type <class 'int'>"):
        tea.cups = "3"
    with pytest.raises(AttributeError, match="Cannot set the property milk on Tea."):
        tea.milk = 1
    tea._set_mutable(False)
    with pytest.raises(ValueError, match="has no effect"):
        tea.cups = 4


def test_several_become_one():
    many, sweet = Tea(), Tea()
    many.cups, sweet.sugar = 5, 0.5
    merged = options.merge_options(many, sweet)
    assert (merged.cups, merged.sugar) == (5, 0.5)
    first, second = Party(), Party()
    first.tea, second.tea = many, sweet
    assert options.merge_options(first, second).tea == merged
    for wrong, error in (((), ValueError), ((many, first), TypeError), ((3, 4), TypeError)):
        with pytest.raises(error):
            options.merge_options(*wrong)
