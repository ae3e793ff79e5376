"""`tensorflow.python.util.tf_stack`: stack traces as values. Code generators rename their frames (*mappers*) or hide
them (*filters*) while a context of theirs is open."""

import dataclasses
import inspect
import linecache
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import SimpleNamespace
from typing import Any

from tensorboard.compat.proto.graph_debug_info_pb2 import GraphDebugInfo

from reflow.drop_in.python.util.traceback_utils import include_frame

EMPTY_DICT: dict = {}
EMPTY_SET: frozenset = frozenset()
_contexts = threading.local()


@dataclasses.dataclass(frozen=True)
class StackFrame:
    """One frame of a stack trace. As a sequence: file, line, function, text of the line."""

    filename: str
    lineno: int
    name: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.filename, self.lineno, self.name, self.line))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

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
    return _trace(sys._getframe(stacklevel), sources, hidden)


def _trace(frame: Any, sources: Mapping, hidden: Set[str]) -> StackTrace:
    return StackTrace([*_frames(frame, sources, hidden)][::-1])


class PyBindSourceMap:
    """A table of frames and what they appear as."""

    def __init__(self) -> None:
        self.frames: dict = {}

    def update_to(self, pairs: Iterable[tuple[tuple[str, int], tuple[str, int, str]]]) -> None:
        """Replace the table by these pairs."""
        self.frames = dict(pairs)


class PyBindFileSet:
    """A set of files whose frames are hidden."""

    def __init__(self) -> None:
        self.files: frozenset[str] = frozenset()

    def update_to(self, files: Iterable[str]) -> None:
        """Replace the set by these files."""
        self.files = frozenset(files)


class GraphDebugInfoBuilder:
    """Collects where the nodes of functions were made into one message, in which each file, frame and trace is once."""

    def __init__(self) -> None:
        self._traces: dict[str, StackTrace] = {}

    def AccumulateStackTrace(self, function: str, op: str, trace: StackTrace) -> None:
        """Add the trace of a node of a function, as `node@function`."""
        self._traces[f"{op}@{function}"] = trace

    def AppendGraphDebugInfo(self, fn_name: str, fn_debug_info: Any) -> None:
        """Add the traces of another message; their names get `@fn_name` unless that is empty."""
        for name, trace in LoadTracesFromDebugInfo(fn_debug_info).items():
            self._traces[f"{name}@{fn_name}" if fn_name else name] = trace

    def Build(self) -> Any:
        """The message, a GraphDebugInfo."""
        files: dict[str, int] = {}
        frames: dict[StackFrame, int] = {}
        traces: dict[StackTrace, int] = {}
        info = GraphDebugInfo()
        for name, trace in self._traces.items():
            info.name_to_trace_id[name] = place = traces.setdefault(trace, len(traces))
            if info.traces_by_id[place].frame_id:
                continue
            for frame in trace:
                number = frames.setdefault(frame, len(frames))
                entry = info.frames_by_id[number]
                entry.file_index = files.setdefault(frame.filename, len(files))
                entry.line, entry.func = frame.lineno, frame.name
                info.traces_by_id[place].frame_id.append(number)
        info.files.extend(files)
        return info


def LoadTracesFromDebugInfo(debug_info: Any) -> dict[str, StackTrace]:
    """The traces in a GraphDebugInfo message, by name."""

    def frame(entry: Any) -> StackFrame:
        return StackFrame(debug_info.files[entry.file_index], entry.line, entry.func)

    found = {name: StackTrace([frame(e) for e in trace.file_line_cols]) for name, trace in debug_info.traces.items()}
    for name, place in debug_info.name_to_trace_id.items():
        numbers = debug_info.traces_by_id[place].frame_id
        found[name] = StackTrace([frame(debug_info.frames_by_id[number]) for number in numbers])
    return found


FrameSummary, StackSummary = StackFrame, StackTrace


def _extract_stack(source_map: PyBindSourceMap, file_set: PyBindFileSet, stacklevel: int = 1) -> StackTrace:
    return _trace(sys._getframe(stacklevel), source_map.frames, file_set.files)


#: what TensorFlow has in C++
_tf_stack = SimpleNamespace(
    PyBindSourceMap=PyBindSourceMap, PyBindFileSet=PyBindFileSet, extract_stack=_extract_stack, StackTrace=StackTrace,
    StackFrame=StackFrame, GraphDebugInfoBuilder=GraphDebugInfoBuilder, LoadTracesFromDebugInfo=LoadTracesFromDebugInfo,
)
