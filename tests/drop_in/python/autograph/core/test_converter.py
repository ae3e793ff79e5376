"""The rewriter's options."""

from reflow.drop_in.python.autograph.core import converter


def test_options():
    options = converter.ConversionOptions(recursive=True, user_requested=True)
    assert options.user_requested and converter.STANDARD_OPTIONS.recursive
