"""`tensorflow.python.util.traceback_utils`: tracebacks without the library's own frames."""

import functools
import pathlib
import types

from reflow.api.debugging.asserts import is_traceback_filtering_enabled

_EXCLUDED_PATHS = (str(pathlib.Path(__file__).parents[3]),)


def include_frame(fname) -> bool:
    """Whether a filtered traceback shows the frames of a file: those of the library itself it does not."""
    return not fname.startswith(_EXCLUDED_PATHS)


def _process_traceback_frames(tb):
    """A traceback without the library's frames. The innermost frame, which raised the error, always stays."""
    frames = []
    while tb is not None:
        frames.append(tb)
        tb = tb.tb_next
    kept = None
    for frame in reversed(frames):
        if kept is None or include_frame(frame.tb_frame.f_code.co_filename):
            kept = types.TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return kept


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
