"""`tensorflow.python.framework.error_interpolation`: error messages that say where the nodes they name were made.

A message names nodes by *tags*: `{{node a/b}}`, and `{{function_node f}}` for the function that a node is in.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tensorboard.compat.proto.graph_debug_info_pb2 import GraphDebugInfo

from reflow.drop_in.python.util.traceback_utils import include_frame

_WORD = r"[A-Za-z0-9_.][A-Za-z0-9_.\-/]*?"
_TAG = re.compile(rf"\{{\{{({_WORD}) ({_WORD})\}}\}}")


class _ParseTag(NamedTuple):
    type: str
    name: str


def parse_message(message: str) -> tuple[str, list, list]:
    """(the message without the tags of functions, those tags, the tags of nodes)."""
    tags = [_ParseTag(*found) for found in _TAG.findall(message)]
    functions = [tag for tag in tags if tag.type == "function_node"]
    text = _TAG.sub(lambda found: "" if found[1] == "function_node" else found[0], message)
    return text, functions, [tag for tag in tags if tag.type != "function_node"]


def _summary(lines: Iterable[str], none: str, title: str, prefix: str) -> str:
    lines = [f"{prefix}  {line}" for line in lines]
    return "\n".join([f"{prefix}{title}:", *lines]) if lines else f"{prefix}{none}."


def _compute_device_summary_from_list(name: str, device_assignment_list: Sequence, prefix: str = "") -> str:
    """The `tf.device` blocks around the creation of a node, one a line."""
    return _summary(
        (f"with tf.device({made.obj}): <{made.filename}:{made.lineno}>" for made in device_assignment_list),
        f"No device assignments were active during op '{name}' creation",
        f"Device assignments active during op '{name}' creation", prefix,
    )


def _compute_colocation_summary_from_dict(name: str, colocation_dict: Mapping, prefix: str = "") -> str:
    """The nodes beside which a node was placed, one a line."""
    return _summary(
        (f"with tf.colocate_with({other}): <{at.filename}:{at.lineno}>" for other, at in colocation_dict.items()),
        f"No node-device colocations were active during op '{name}' creation",
        f"Node-device colocations active during op '{name}' creation", prefix,
    )


def _is_framework_filename(filename: str) -> bool:
    """Whether a file is part of the library. A test file never is."""
    return not filename.endswith("_test.py") and ("<embedded" in filename or not include_frame(filename))


def _find_index_of_defining_frame(tb: Sequence) -> int:
    """The place of the innermost frame outside of the library; 0 if there is none."""
    return max((place for place, frame in enumerate(tb) if not _is_framework_filename(frame.filename)), default=0)


def _compute_useful_frames(tb: Sequence, num: int) -> Sequence:
    """At most `num` frames that end two frames inside of the user's innermost."""
    end = min(_find_index_of_defining_frame(tb) + 3, len(tb))
    return tb[max(end - num, 0):end]


def create_graph_debug_info_def(func_named_operations: Iterable[tuple[str, Any]]) -> Any:
    """A GraphDebugInfo message: where operations were made, under `name@function`."""
    info = GraphDebugInfo()
    files: dict[str, int] = {}
    for function, op in func_named_operations:
        if op.traceback is None:
            continue
        trace = info.traces[f"{op.name}@{function}"]
        for frame in _compute_useful_frames(op.traceback, 10):
            trace.file_line_cols.add(
                file_index=files.setdefault(frame.filename, len(files)), line=frame.lineno, func=frame.name,
                code=frame.line or "",
            )
    info.files.extend(files)
    return info


def _build_node_error_message(op: Any) -> str:
    """Where a node was made, as traceback lines."""
    lines = [line for frame in traceback.format_list(op.traceback or []) for line in frame.splitlines() if line.strip()]
    title = f"Detected at node {op.name!r} defined at (most recent call last):"
    return "\n".join([title, *(f"  {line}" for line in lines), f"Node: {op.name!r}"])


def interpolate_graph(message: str, graph: Any) -> str:
    """A message with a traceback for each node that it names; nodes that the graph does not have are left out."""
    text, _, tags = parse_message(message)
    names = {node.name for node in graph.get_operations()}
    nodes = [graph.get_operation_by_name(tag.name) for tag in tags if tag.name in names]
    return "\n".join(["Graph execution error:", "", *map(_build_node_error_message, nodes), text.strip()])
