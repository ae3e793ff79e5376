"""`tensorflow.python.autograph.impl.api`: the rewriter of functions, to be given other rewriting steps in a subclass."""

from malt.impl.api import PyToPy

from reflow.api.autograph import conversion
from reflow.api.autograph.conversion import converted_call as converted_call


class PyToTF(PyToPy):
    """Rewrites a function so that its statements are calls of Reflow's operators. A subclass says by which steps (`transform_ast`)."""

    def get_extra_locals(self):
        return {"ag__": conversion.operators()}


def is_autograph_artifact(entity) -> bool:
    """Whether a callable is called as it is: converted already, or never to be converted."""
    return hasattr(entity, "autograph_info__")
