"""`tensorflow.python.util.tf_decorator`: what decorators note about the functions that they make."""

from reflow.api.framework.internal import TFDecorator as TFDecorator
from reflow.api.framework.internal import _as_signature


def fullargspec_to_signature(fullargspec):
    """The `inspect.Signature` that an argspec describes."""
    return _as_signature(fullargspec, bound=False)


def rewrap(decorator_func, previous_target, new_target):
    """Put another function in the place of one that decorators are around.

    The decorators see it as the target that they noted.
    """
    outer = inner = decorator_func
    while inner is not previous_target:
        note = inner if isinstance(inner, TFDecorator) else getattr(inner, "_tf_decorator", None)
        if note is None:
            return
        outer, inner = inner, note.decorated_target
    if outer is inner:
        return
    note = outer if isinstance(outer, TFDecorator) else outer._tf_decorator
    note.decorated_target = new_target
    if not isinstance(outer, TFDecorator):
        outer.__wrapped__ = new_target
