"""Resources other than variables (tables) in SavedModels.

A file does not hold the resource but how to get it: a function that creates it and one that fills it. A loader calls
both. The contents of a mutable table are in the checkpoint, and go through two more functions: one returns the names
and tensors to save, one takes the tensors.
"""

from __future__ import annotations

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.specs import TensorSpec
from reflow.function.concrete import ConcreteFunction
from reflow.function.function import Function, Options
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import FuncGraph
from reflow.graph.node import Node
from reflow.ops.convert import constant
from reflow.runtime.interpret import interpret
from reflow.tracking.resource import TrackableResource

CREATE, INITIALIZE, DESTROY = "_create_resource", "_initialize", "_destroy_resource"


def is_resource(obj) -> bool:
    """Whether an object has a resource. (A StaticVocabularyTable without a vocabulary has none.)"""
    return isinstance(obj, TrackableResource) and obj.resource_handle is not None


def functions_of(resource: TrackableResource) -> dict[str, Function]:
    """The functions with which a reader makes, fills and frees a resource; those of a loaded one as they were."""

    def _creator():
        return resource._create_resource()

    def _initializer():
        resource._initialize()
        return 1  # functions in files return something

    def _destroyer():
        resource._destroy_resource()
        return 1

    made = {CREATE: _creator, INITIALIZE: _initializer, DESTROY: _destroyer}
    return {
        name: own if isinstance(own := getattr(resource, name), Function) else _function(body)
        for name, body in made.items()
    }


def _function(body) -> Function:
    return Function(body, input_signature=[], options=Options(autograph=False))


def saver_functions(resource: TrackableResource, name: str) -> tuple[ConcreteFunction, ConcreteFunction]:
    """What saves and restores the values of a resource, known to the checkpoint under `name`."""
    saved = resource._serialize_to_tensors()
    keys = [constant(key.removeprefix(name)) for key in saved]

    def save_fn(checkpoint_key):
        tensors = resource._serialize_to_tensors().values()
        return [
            {"name": call("StringJoin", (checkpoint_key, key)), "slice_spec": constant(""), "tensor": tensor}
            for key, tensor in zip(keys, tensors, strict=True)
        ]

    def restore_fn(*restored_tensors):
        resource._restore_from_tensors(dict(zip(saved, restored_tensors, strict=True)))
        return 1

    save = Function(save_fn, input_signature=[TensorSpec([], dtypes.string)], options=Options(autograph=False))
    specs = [TensorSpec(None, tensor.dtype) for tensor in saved.values()]
    restore = Function(restore_fn, input_signature=specs, options=Options(autograph=False))
    return save.get_concrete_function(), restore.get_concrete_function()


def _names_in(graph: FuncGraph) -> list[bytes]:
    """The names that a function of `saver_functions` returns for the key "", where it is not run: in a plain graph."""
    names = [entry["name"] for entry in graph.structured_outputs]
    needed: set[Node] = set()
    pending = [tensor.op for tensor in names]
    while pending:
        node = pending.pop()
        needed.add(node)
        pending += [tensor.op for tensor in node.inputs]
    small = FuncGraph("names")
    tensors = copy_nodes([node for node in graph.nodes if node in needed], small, {})
    # the key: names depend on nothing that is captured
    small.inputs = [tensors[t._id] for t in graph.inputs if t._id in tensors]
    small.outputs = [tensors[t._id] for t in names]
    return [name.item() for name in interpret(small, [np.array(b"", object)] * len(small.inputs))]


@export("__internal__.saved_model.RestoredResource")
class RestoredResource(TrackableResource):
    """A resource read from a SavedModel. The loader makes it, and sets the functions above as attributes."""

    _LEGACY_SAVEABLE_NAME = "table"

    def __init__(self, device: str = ""):
        super().__init__(device)
        self._saver: tuple | None = None  # the two functions of `saver_functions`
        self._saved_names: list[str] = []

    def set_saver(self, save, restore):
        """Let these functions save and restore the values."""
        self._saver = (save, restore)
        names = _names_in(save.graph) if state.graph is not None else [x["name"].numpy() for x in save(constant(""))]
        self._saved_names = [name.decode() for name in names]

    def _serialize_to_tensors(self) -> dict:
        if self._saver is None:
            return {}
        entries = self._saver[0](constant(""))
        return {name: entry["tensor"] for name, entry in zip(self._saved_names, entries, strict=True)}

    def _restore_from_tensors(self, restored_tensors):
        if self._saver is not None:
            self._saver[1](*[restored_tensors[name] for name in self._saved_names])

    def _add_trackable_child(self, name, value):
        setattr(self, name, value)
        if name not in (CREATE, INITIALIZE, DESTROY):
            self._track_trackable(value, name)
