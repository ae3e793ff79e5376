"""`tensorflow.python.data.util.options`: classes of typed options."""

from reflow.data import options
from reflow.data.options import _option


class OptionsBase(options.OptionsBase):
    """A set of typed options, each made by `create_option`; setting an unknown one raises AttributeError."""

    def _set_mutable(self, mutable):
        """Allows changes of the options, or forbids them."""
        object.__setattr__(self, "_mutable", mutable)


def create_option(name, ty, docstring, default_factory=lambda: None):
    """An option for the body of a subclass of `OptionsBase`. `ty` is its type, or a tuple of them."""
    made = _option(name, ty, default_factory)
    return property(made.fget, made.fset, None, docstring)


def merge_options(*options_list):
    """One set of options of several. Where two differ from their default, the later one decides, with a warning."""
    if not options_list:
        raise ValueError("At least one options should be provided")
    first, *others = options_list
    for one in options_list:
        if not isinstance(one, options.OptionsBase):
            raise TypeError(
                "All options to be merged should inherit from `OptionsBase` but found option of type "
                f"{type(one)} which does not."
            )
        if not isinstance(one, type(first)):
            raise TypeError(f"Could not merge incompatible options of type {type(one)} and {type(first)}.")
    merged = first
    for one in others:
        merged = merged._merged(one)
    return merged
