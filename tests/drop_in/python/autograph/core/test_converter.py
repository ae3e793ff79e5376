"""The rewriter's options."""

from reflow.drop_in.python.autograph.core import converter


def test_options():
    options = converter.ConversionOptions(recursive=True, user_requested=True)
    assert options.user_requested and converter.STANDARD_OPTIONS.recursive


def test_features_are_those_of_tf_function():
    options = converter.ConversionOptions(optional_features=converter.Feature.NAME_SCOPES)
    assert options.uses(converter.Feature.NAME_SCOPES) and not options.uses(converter.Feature.LISTS)
