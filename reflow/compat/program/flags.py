"""`tf.compat.v1.flags`: Abseil's flags, parsed from the command line on first access.

`tf.compat.v1.app.run` parses them earlier. `DEFINE_…` also accept the original argument names.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from absl import flags as _absl
from absl.flags import *  # noqa: F403  # the module is theirs but for what follows

_RENAMED = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class _FlagValuesWrapper:
    """Abseil's flags, parsed on first access if they have not been."""

    def __getattr__(self, name: str) -> Any:
        if not _absl.FLAGS.is_parsed() and not name.startswith("_"):
            found = getattr(type(_absl.FLAGS), name, None)
            if found is None:
                _absl.FLAGS(sys.argv)
        return getattr(_absl.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_absl.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl.FLAGS, name)

    def __dir__(self) -> list[str]:
        return dir(_absl.FLAGS)

    def __getitem__(self, name: str) -> Any:
        return _absl.FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        _absl.FLAGS[name] = flag

    def __len__(self) -> int:
        return len(_absl.FLAGS)

    def __iter__(self) -> Any:
        return iter(_absl.FLAGS)

    def __contains__(self, name: str) -> bool:
        return name in _absl.FLAGS

    def __call__(self, argv: Any, known_only: bool = False) -> list[str]:
        return _absl.FLAGS(argv, known_only)


def _with_old_names(define: Any) -> Any:
    """A function that defines a flag, and takes the older names of its arguments too."""

    @functools.wraps(define)
    def call(*args: Any, **kwargs: Any) -> Any:
        return define(*args, **{_RENAMED.get(name, name): value for name, value in kwargs.items()})

    return call


FLAGS: Any = _FlagValuesWrapper()  # type: ignore[no-redef]
DEFINE_string, DEFINE_float, DEFINE_integer = map(
    _with_old_names, (_absl.DEFINE_string, _absl.DEFINE_float, _absl.DEFINE_integer)
)
DEFINE_bool = DEFINE_boolean = _with_old_names(_absl.DEFINE_boolean)
