"""Uses the user's operation names in a profile: what XLA calls `ynn_fusion` on the CPU becomes `dense/MatMul`.

A profile contains the compiled programs that ran, and each of their instructions knows the node that it came from. CPU
events carry only instruction names. Here they get the names of the nodes: in the trace (`*.trace.json.gz`), where the
instruction stays among an event's arguments, and in the profile that TensorBoard reads (`*.xplane.pb`), as display
names.
"""

from __future__ import annotations

import functools
import glob
import gzip
import json
import os
from typing import Any

#: the parts of XLA's messages that are read and written here; all else in them stays as it is
MESSAGES = {
    "XSpace": [(1, "repeated .reflow.XPlane", "planes")],
    "XPlane": [
        (2, "string", "name"), (3, "repeated .reflow.XLine", "lines"),
        (4, "repeated .reflow.XEventEntry", "event_metadata"), (5, "repeated .reflow.XStatEntry", "stat_metadata"),
    ],
    "XLine": [(4, "repeated .reflow.XEvent", "events")],
    "XEvent": [(1, "int64", "metadata_id"), (4, "repeated .reflow.XStat", "stats")],
    "XEventEntry": [(1, "int64", "key"), (2, ".reflow.XEventMetadata", "value")],
    "XEventMetadata": [
        (1, "int64", "id"), (2, "string", "name"), (4, "string", "display_name"),
        (5, "repeated .reflow.XStat", "stats"),
    ],
    "XStatEntry": [(1, "int64", "key"), (2, ".reflow.XStatMetadata", "value")],
    "XStatMetadata": [(2, "string", "name")],
    "XStat": [(1, "int64", "metadata_id"), (6, "optional bytes", "bytes_value"), (7, "optional uint64", "ref_value")],
    "Hlo": [(1, ".reflow.HloModule", "hlo_module")],
    "HloModule": [(1, "string", "name"), (3, "repeated .reflow.HloComputation", "computations")],
    "HloComputation": [(2, "repeated .reflow.HloInstruction", "instructions")],
    "HloInstruction": [(1, "string", "name"), (7, ".reflow.HloMetadata", "metadata")],
    "HloMetadata": [(2, "string", "op_name")],
}
PROGRAMS = "/host:metadata"  # the plane that holds the programs


def give_names(folder: str | os.PathLike) -> None:
    """Rename the operations in all profiles below a folder."""
    for path in glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True):
        with open(path, "rb") as file:
            space = _classes()["XSpace"].FromString(file.read())
        names = _nodes(space)
        _rename_trace(path.removesuffix(".xplane.pb") + ".trace.json.gz", names)
        for plane in space.planes:
            _rename_plane(plane, names)
        with open(path, "wb") as file:
            file.write(space.SerializeToString())


def node_of(op_name: str) -> str:
    """The user's part of an instruction's name: the node's name, without the program before it and the primitive after
    it.

    >>> node_of("jit(train_step)/dense/MatMul/dot_general")
    'dense/MatMul'
    """
    parts = [part for part in op_name.split("/") if not part.startswith(("jit(", "pjit"))]
    return "/".join(parts[:-1])


def _nodes(space: Any) -> dict[str, dict[str, str]]:
    """Program -> instruction -> node."""
    found: dict[str, dict[str, str]] = {}
    for plane in space.planes:
        for entry in plane.event_metadata if plane.name == PROGRAMS else ():
            for stat in entry.value.stats:
                module = _classes()["Hlo"].FromString(stat.bytes_value).hlo_module
                nodes = {i.name: node_of(i.metadata.op_name) for c in module.computations for i in c.instructions}
                found.setdefault(module.name, {}).update({name: node for name, node in nodes.items() if node})
    return found


def _rename_trace(path: str, names: dict[str, dict[str, str]]) -> None:
    if not os.path.exists(path):
        return
    with gzip.open(path) as file:
        trace = json.load(file)
    for event in trace.get("traceEvents", ()):
        facts = event.get("args", {})
        if event.get("name") == facts.get("hlo_op"):
            event["name"] = names.get(facts.get("hlo_module"), {}).get(event.get("name"), event.get("name"))
    with gzip.open(path, "wt") as text:
        json.dump(trace, text)


def _rename_plane(plane: Any, names: dict[str, dict[str, str]]) -> None:
    """Events name what is said about all of their kind.

    Instructions of one name in several programs share it: each node gets its own.
    """
    kinds = {entry.key: entry.value for entry in plane.event_metadata}
    words = {entry.key: entry.value.name for entry in plane.stat_metadata}
    made: dict[tuple[int, str], int] = {}
    for event in [event for line in plane.lines for event in line.events]:
        program = next(
            (words.get(s.ref_value, "") for s in event.stats if words.get(s.metadata_id) == "hlo_module"), ""
        )
        kind = kinds.get(event.metadata_id)
        node = names.get(program, {}).get(kind.name) if kind is not None else None
        if node is None:
            continue
        key = event.metadata_id, node
        if key not in made:
            made[key] = max(kinds) + len(made) + 1
            entry = plane.event_metadata.add(key=made[key])
            entry.value.CopyFrom(kind)
            entry.value.id, entry.value.display_name = made[key], node
        event.metadata_id = made[key]


@functools.cache
def _classes() -> dict[str, Any]:
    from reflow.io.messages import define

    return define("profile.proto", [], MESSAGES)
