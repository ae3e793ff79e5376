"""`tensorflow.python.util.traceback_utils`: tracebacks without the library's own frames."""

import functools

from reflow.api.debugging.asserts import is_traceback_filtering_enabled
from reflow.eager.tracebacks import OURS, without_ours

_EXCLUDED_PATHS = (OURS,)


def include_frame(fname) -> bool:
    """Whether a filtered traceback shows the frames of a file: those of the library itself it does not."""
    return not fname.startswith(_EXCLUDED_PATHS)


def _process_traceback_frames(tb):
    """A traceback without the library's frames. The innermost frame, which raised the error, always stays."""
    return without_ours(tb)


def filter_traceback(fn):
    """Decorates a function: errors pass it without the library's frames, unless
    `tf.debugging.disable_traceback_filtering` was called."""

    @functools.wraps(fn)
    def error_handler(*args, **kwargs):
        if not is_traceback_filtering_enabled():
            return fn(*args, **kwargs)
        filtered = None
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            filtered = _process_traceback_frames(error.__traceback__)
            raise error.with_traceback(filtered) from None
        finally:
            del filtered  # the frames would keep themselves alive

    return error_handler
