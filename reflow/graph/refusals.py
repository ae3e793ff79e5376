"""Which ops a graph from a file may contain.

A file is not trusted, so it may contain only ops that stay inside the process. Before anything is built, every node is
checked. One error lists all ops whose records say that they access files, the network, processes or Python
(`Op.touches`); another lists all ops that Reflow does not have. The caller may explicitly allow all ops, or some by
name. The environment variable `REFLOW_ALLOW_UNSAFE_OPS` does the same for code that loads models without such an
option.

An op that touches "assets" reads the file that its operand names. It is allowed if the graph comes with an asset
folder, and confined to that folder: the importer writes the folder into the node (`ASSETS`), and the kernel calls
`asset_path` before it opens a file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterable

from reflow.core import errors
from reflow.core.types import Proto
from reflow.graph.proto_values import decode_attr
from reflow.ops import opdef, registry
from reflow.ops.registry import Op

VARIABLE = "REFLOW_ALLOW_UNSAFE_OPS"
ASSETS = "_asset_folder"  # the attribute of a node that may read files of this folder only
Allowed = bool | Collection[str]  # all ops, none, or those named


class _All:
    """The set of all op names."""

    def __contains__(self, name: object) -> bool:
        return True


def allowed_ops(option: Allowed) -> Container[str]:
    """The ops that an option and the environment together allow.

    >>> "ReadFile" in allowed_ops(["ReadFile"]), "WriteFile" in allowed_ops(["ReadFile"])
    (True, False)
    >>> "WriteFile" in allowed_ops(True)
    True
    """
    words = os.environ.get(VARIABLE, "").replace(",", " ").split()
    if option is True or "1" in words:
        return _All()
    return {*([option] if isinstance(option, str) else option or ()), *words}


def check_ops(
    nodes: Iterable[tuple[str, Proto]], functions: Collection[str] = (), allowed: Container[str] = (),
    assets: str | None = None,
) -> None:
    """Reject ops that a file may not contain; `nodes` are (place, NodeDef) pairs, `assets` is its asset folder.

    One error lists all rejected ops and what they access; another lists all unknown ops.
    """
    unknown: dict[str, list] = {}
    missing: dict[str, list] = {}
    refused: dict[str, list] = {}
    touched: dict[str, str] = {}
    tensorflows = set(opdef.names())
    for place, node in nodes:
        if node.op in functions:
            continue
        where = f"{place}/{node.name}" if place else node.name
        record = registry.REGISTRY.get(node.op)
        if node.op.startswith(opdef.OWN_PREFIX) or node.op not in tensorflows:
            unknown.setdefault(node.op, []).append(where)
        elif record is None:
            missing.setdefault(node.op, []).append(where)
        elif node.op not in allowed and (found := touches(record, node)) and not (assets and found == ("assets",)):
            refused.setdefault(node.op, []).append(where)
            touched[node.op] = " and ".join(found)
    if refused:
        raise errors.PermissionDeniedError(None, None, _refusal(refused, touched))
    if unknown or missing:
        parts = [f"Op type not registered {_listed(unknown)}."] if unknown else []
        parts += [f"Ops of TensorFlow that Reflow has no kernel for yet: {_listed(missing)}."] if missing else []
        raise errors.NotFoundError(None, None, " ".join(parts))


def touches(record: Op, node: Proto) -> tuple[str, ...]:
    """What the op of a NodeDef accesses outside the process."""
    if not callable(record.touches):
        return record.touches
    attrs = {}
    for name, attr in record.definition.attrs.items():
        if attr.type != "func" and name in node.attr:
            attrs[name] = decode_attr(attr.type, node.attr[name], None)
        elif attr.default is not opdef.MISSING:
            attrs[name] = registry.decode_default(attr)
    return record.touched(attrs)


def _refusal(refused: dict[str, list], touched: dict[str, str]) -> str:
    listed = ", ".join(f"{_listed({op: places})} touches {touched[op]}" for op, places in sorted(refused.items()))
    return (
        f"The graph uses ops that reach outside the process: {listed}. A file may hold any path and any code, so these "
        "ops are refused unless you allow them: with "
        f"tf.saved_model.LoadOptions(experimental_allow_unsafe_ops={sorted(refused)}) for SavedModels, with the "
        "argument `experimental_allow_unsafe_ops` of tf.import_graph_def, or, for all loading in this process, with "
        f"the environment variable {VARIABLE}={','.join(sorted(refused))}."
    )


def _listed(found: dict[str, list]) -> str:
    shown = []
    for op, places in sorted(found.items()):
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        shown.append(f"{op!r} ({', '.join(places[:3])}{more})")
    return ", ".join(shown)


def within(folder: str, path: str) -> bool:
    """Whether a path is in a folder, also after all symbolic links are resolved.

    >>> within("/model", "/model/words.txt"), within("/model", "/model/../words.txt")
    (True, False)
    """
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(path)]) == root


def check_asset(attrs: dict, path: str) -> None:
    """Reject a path that a graph from a file may not read; `attrs` are those of the reading node."""
    folder = attrs.get(ASSETS)
    if folder is not None and ("\0" in path or not within(folder, path)):
        raise errors.PermissionDeniedError(
            None, None, f"A function from a file may only read assets of its model, in {folder}. Received: {path!r}"
        )


def check_memory_only(attrs: dict, path: str) -> None:
    """Reject a file that a graph from a file would write; `attrs` are those of the writing node."""
    if attrs.get(ASSETS) is not None:
        raise errors.PermissionDeniedError(
            None, None, f"A function from a file may only keep elements in memory. Received: {path!r}"
        )
