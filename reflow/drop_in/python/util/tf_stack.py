"""`tensorflow.python.util.tf_stack`: stack traces as values. Code generators rename their frames (*mappers*) or hide
them (*filters*) while a context of theirs is open."""

import inspect
import linecache
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from reflow.drop_in.python.util.traceback_utils import include_frame

EMPTY_DICT: dict = {}
EMPTY_SET: frozenset = frozenset()
_contexts = threading.local()


class StackFrame(NamedTuple):
    """One frame of a stack trace."""

    filename: str
    lineno: int
    name: str

    @property
    def line(self) -> str:
        """The text of the line."""
        return linecache.getline(self.filename, self.lineno).strip()

    def __str__(self) -> str:
        return f'File "{self.filename}", line {self.lineno}, in {self.name}'

    def __repr__(self) -> str:
        return str(self)


class StackTrace(Sequence):
    """The frames of a stack, the outermost first."""

    def __init__(self, frames: Sequence[StackFrame]) -> None:
        self._frames = tuple(frames)

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: Any) -> Any:
        return StackTrace(self._frames[index]) if isinstance(index, slice) else self._frames[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StackTrace) and self._frames == other._frames

    def __hash__(self) -> int:
        return hash(self._frames)

    def __str__(self) -> str:
        return "\n".join(map(str, self._frames))

    __repr__ = __str__

    def get_user_frames(self) -> "StackTrace":
        """The frames outside of the library."""
        return StackTrace([frame for frame in self._frames if include_frame(frame.filename)])

    def last_user_frame(self) -> StackFrame:
        """The innermost frame outside of the library, or the innermost of all where there is none."""
        return (self.get_user_frames()._frames or self._frames)[-1]


def _open(kind: str) -> list:
    """The open contexts of this thread, "mappers" or "filters", the outermost first."""
    return vars(_contexts).setdefault(kind, [])


class StackTraceTransform:
    """A context in which stack traces are changed."""

    _kind = ""

    def __enter__(self) -> "StackTraceTransform":
        _open(self._kind).append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _open(self._kind).remove(self)

    def update(self) -> None:
        """Called by contexts whose answer has changed. Traces ask each time, so there is nothing to do."""


class StackTraceMapper(StackTraceTransform):
    """A context in which frames appear under other files, lines and names."""

    _kind = "mappers"

    def get_effective_source_map(self) -> Mapping[tuple[str, int], tuple[str, int, str]]:
        """{(file, line): (file, line, function)} for this context and those around it."""
        raise NotImplementedError("subclasses need to override this")


class SentinelMapper(StackTraceMapper):
    """The mapper around all others."""

    def get_effective_source_map(self) -> Mapping:
        return EMPTY_DICT


class StackTraceFilter(StackTraceTransform):
    """A context in which the frames of some files are hidden."""

    _kind = "filters"

    def get_filtered_filenames(self) -> Set[str]:
        """The files whose frames are hidden by this context and those around it."""
        raise NotImplementedError("subclasses need to override this")


class SentinelFilter(StackTraceFilter):
    """The filter around all others."""

    def get_filtered_filenames(self) -> Set[str]:
        return EMPTY_SET


class CurrentModuleFilter(StackTraceFilter):
    """Hides the frames of the module that opens this context."""

    def __init__(self) -> None:
        outer = _open(self._kind)
        around = outer[-1].get_filtered_filenames() if outer else EMPTY_SET
        caller = inspect.currentframe().f_back  # type: ignore[union-attr]
        self._filenames = frozenset({*around, caller.f_code.co_filename})  # type: ignore[union-attr]

    def get_filtered_filenames(self) -> Set[str]:
        return self._filenames


def _frames(frame: Any, sources: Mapping, hidden: Set[str]) -> Iterator[StackFrame]:
    while frame is not None:
        code, line = frame.f_code, frame.f_lineno
        if code.co_filename not in hidden:
            yield StackFrame(*sources.get((code.co_filename, line), (code.co_filename, line, code.co_name)))
        frame = frame.f_back


def extract_stack(stacklevel: int = 1) -> StackTrace:
    """The stack of the caller, or of what is `stacklevel` calls further out."""
    mappers, filters = _open("mappers"), _open("filters")
    sources = mappers[-1].get_effective_source_map() if mappers else EMPTY_DICT
    hidden = filters[-1].get_filtered_filenames() if filters else EMPTY_SET
    found = [*_frames(sys._getframe(stacklevel), sources, hidden)]
    return StackTrace(found[::-1])
