"""The debugging options of `SaveOptions`.

`save_debug_info` writes the file `debug/saved_model_debug_info.pb`, a GraphDebugInfo: for each node of each function,
`node@function`, the source line that created it. `experimental_debug_stripper` removes asserts, prints and numeric
checks from the model: a node without results becomes a `NoOp`, one that forwards its first input an `Identity`; control
inputs are kept.
"""

from __future__ import annotations

import linecache
import os

from tensorboard.compat.proto import graph_debug_info_pb2

from reflow.core.types import Proto
from reflow.graph.export import Exporter
from reflow.graph.node import Source
from reflow.ops.kernels.array.shaping import identity
from reflow.ops.kernels.control.debugging import print_v1
from reflow.ops.kernels.control.printing import assert_, check_numerics, no_op, print_v2
from reflow.saved_model.constants import DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB
from reflow.train import commit

_WITHOUT_RESULT = (assert_.name, print_v2.name)
_PASSED_ON = (check_numerics.name, print_v1.name)


def strip(graph_def: Proto) -> None:
    """Take asserts, prints and checks of numbers out of a GraphDef and its functions."""
    for node in [*graph_def.node, *[node for function in graph_def.library.function for node in function.node_def]]:
        if node.op in _WITHOUT_RESULT:
            _replace(node, no_op.name, 0, ())
        elif node.op in _PASSED_ON:
            _replace(node, identity.name, 1, ("T",))


def _replace(node: Proto, op: str, kept_inputs: int, kept_attrs: tuple[str, ...]) -> None:
    """Make another op of a node; the inputs that it does not take become control inputs."""
    inputs = [
        name if i < kept_inputs or name.startswith("^") else f"^{name.partition(':')[0]}"
        for i, name in enumerate(node.input)
    ]
    del node.input[:]
    node.input.extend(inputs)
    node.op = op
    for name in [name for name in node.attr if name not in kept_attrs and not name.startswith("_")]:
        del node.attr[name]


def write_info(folder: str, exporter: Exporter) -> None:
    """Write where the nodes of an exporter's functions come from into a SavedModel's folder."""
    target = os.path.join(folder, DEBUG_DIRECTORY)
    os.makedirs(target, exist_ok=True)
    content = info(exporter.sources).SerializeToString(deterministic=True)
    commit.replace_file(os.path.join(target, DEBUG_INFO_FILENAME_PB), content)


def info(sources: dict[str, Source]) -> Proto:
    """The GraphDebugInfo of nodes, by name, whose lines are known."""
    proto = graph_debug_info_pb2.GraphDebugInfo()
    files: dict[str, int] = {}
    traces: dict[Source, int] = {}
    for name, source in sources.items():
        if source not in traces:
            code, line = source
            number = traces[source] = len(traces) + 1
            frame = proto.frames_by_id[number]
            frame.file_index = files.setdefault(code.co_filename, len(files))
            frame.line, frame.func = line, code.co_name
            frame.code = linecache.getline(code.co_filename, line).strip()
            proto.traces_by_id[number].frame_id.append(number)
        proto.name_to_trace_id[name] = traces[source]
    proto.files.extend(files)
    return proto
