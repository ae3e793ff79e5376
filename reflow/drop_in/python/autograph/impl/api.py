"""`tensorflow.python.autograph.impl.api`: conversion of functions, and the rewriter,
to be given other rewriting steps in a subclass."""

import functools

from malt.impl.api import AutoGraphError as AutoGraphError
from malt.impl.api import ConversionError as ConversionError
from malt.impl.api import StagingError as StagingError
from malt.impl.api import is_autograph_strict_conversion_mode as is_autograph_strict_conversion_mode

from reflow.api.autograph import conversion
from reflow.api.autograph.conversion import converted_call as converted_call
from reflow.api.autograph.status import ControlStatusCtx, Status
from reflow.api.autograph.status import autograph_artifact as autograph_artifact
from reflow.drop_in import gast_rewriter
from reflow.drop_in.python.autograph.core.ag_ctx import NullCtx


class PyToTF(gast_rewriter.module("impl.api").PyToPy):  # type: ignore[misc]
    """Rewrites a function so that its statements are calls of Reflow's operators.

    A subclass says by which steps (`transform_ast`).
    """

    def get_extra_locals(self):
        return {"ag__": conversion.operators()}


def is_autograph_artifact(entity) -> bool:
    """Whether a callable is called as it is: converted already, or never to be converted."""
    return hasattr(entity, "autograph_info__")


# it has no state
def convert(recursive=False, optional_features=None, user_requested=True, conversion_ctx=NullCtx()):  # noqa: B008
    """A decorator: a function that is converted when it is called, inside the block that `conversion_ctx` makes."""

    def decorator(f):
        options = conversion.options(optional_features, user_requested, recursive)

        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            with conversion_ctx:
                return converted_call(f, args, kwargs, options=options)

        return autograph_artifact(wrapper)

    return decorator


def call_with_unspecified_conversion_status(func):
    """A function that neither asks for the conversion of what it calls nor forbids it."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        with ControlStatusCtx(Status.UNSPECIFIED):
            return func(*args, **kwargs)

    return autograph_artifact(wrapper)
