"""`tensorflow.python.autograph.impl.conversion`: which functions are called as they are."""

import inspect

import malt.impl.conversion as malts
from malt.impl.conversion import cache_allowlisted as cache_allowlisted
from malt.impl.conversion import is_in_allowlist_cache as is_in_allowlist_cache
from malt.impl.conversion import is_unsupported as is_unsupported

from reflow.api.autograph.conversion import NEVER_CONVERTED
from reflow.function.function import Function


def is_allowlisted(o, check_call_override=True, allow_namedtuple_subclass=False) -> bool:
    """Whether a callable is not rewritten: it is TensorFlow's, a library's that needs no rewriting,
    a generator, a named tuple."""
    module = getattr(inspect.getmodule(o), "__name__", "")
    if isinstance(o, Function) or module.partition(".")[0] in NEVER_CONVERTED:
        return True
    return malts.is_allowlisted(o, check_call_override, allow_namedtuple_subclass)
