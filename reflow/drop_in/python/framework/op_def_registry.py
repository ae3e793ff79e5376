"""`tensorflow.python.framework.op_def_registry` and `c_api_util`: OpDefs and ApiDefs by the names of ops.

An *API definition* says how the functions of a language show an op: under which names, with which arguments in which
order. Without files that change them, as here, they follow from the op's own definition.
"""

from __future__ import annotations

from collections.abc import KeysView

from google.protobuf import text_format
from tensorboard.compat.proto import api_def_pb2

from reflow.core import errors
from reflow.core.types import Proto
from reflow.graph.describe import op_def
from reflow.ops import opdef


def get(name: str) -> Proto | None:
    """The OpDef of an op, or None if there is no such op."""
    try:
        return op_def(opdef.lookup(name))
    except (KeyError, LookupError, AttributeError):
        return None


def sync() -> None:
    """Take over ops that were registered since: they are looked up when they are asked for."""


class ApiDefMap:
    """OpDefs and ApiDefs by the names of ops.

    >>> list(a.name for a in ApiDefMap().get_op_def("MatMul").input_arg)
    ['a', 'b']
    """

    def __init__(self) -> None:
        self._names = dict.fromkeys(name for name in opdef.names() if not name.startswith(opdef.OWN_PREFIX))
        self._changes = api_def_pb2.ApiDefs()
        self._asked = False

    def op_names(self) -> KeysView[str]:
        """The names of all ops."""
        return self._names.keys()

    def get_op_def(self, op_name: str) -> Proto:
        """The OpDef of an op; ValueError if there is none."""
        found = get(op_name)
        if found is None:
            raise ValueError(f"No op_def found for op name {op_name}.")
        return found

    def get_api_def(self, op_name: str) -> Proto:
        """The ApiDef of an op, with what `put_api_def` changed; ValueError if there is no such op."""
        self._asked = True
        definition = self.get_op_def(op_name)
        api = api_def_pb2.ApiDef(graph_op_name=op_name, visibility=api_def_pb2.ApiDef.VISIBLE)
        api.endpoint.add(name=op_name)
        for theirs, ours in (
            (definition.input_arg, api.in_arg), (definition.output_arg, api.out_arg), (definition.attr, api.attr)
        ):
            for part in theirs:
                ours.add(name=part.name, rename_to=part.name)
        for attr, shown in zip(definition.attr, api.attr, strict=True):
            if attr.HasField("default_value"):
                shown.default_value.CopyFrom(attr.default_value)
        api.arg_order.extend(arg.name for arg in definition.input_arg)
        for change in self._changes.op:
            if change.graph_op_name == op_name:
                _apply(change, api)
        return api

    def put_api_def(self, text: str | bytes) -> None:
        """Change API definitions by the text form of an `ApiDefs` proto, before the first of them is asked for."""
        if self._asked:
            raise errors.FailedPreconditionError(
                None, None, "TF_ApiDefMapPut cannot be called after TF_ApiDefMapGet has been called."
            )
        text_format.Parse(text, self._changes)


def _apply(change: Proto, api: Proto) -> None:
    """Change the ApiDef of an op: parts by their names, everything else if it is set."""
    for field in ("in_arg", "out_arg", "attr"):
        parts = {part.name: part for part in getattr(api, field)}
        for part in getattr(change, field):
            parts[part.name].MergeFrom(part)
    for field in ("endpoint", "arg_order"):
        if getattr(change, field):
            api.ClearField(field)
    rest = api_def_pb2.ApiDef()
    rest.CopyFrom(change)
    for field in ("in_arg", "out_arg", "attr"):
        rest.ClearField(field)
    api.MergeFrom(rest)
