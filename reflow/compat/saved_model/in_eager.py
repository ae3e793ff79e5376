"""TensorFlow 1 SavedModels in TensorFlow 2: their graph becomes a function, from which signatures are pruned.

The variables of the graph become eager variables, which the function captures. The nodes of the graph's saver restore
them, and its initializers fill its tables.
"""

from __future__ import annotations

import os
from typing import Any

from reflow.compat.meta_graph import SAVER_OPS
from reflow.compat.saved_model import signature_defs
from reflow.compat.saved_model.loader import asset_values, init_op_name
from reflow.compat.sessions.fetches import needed_for
from reflow.compat.wrapped import WrappedFunction
from reflow.core import nest
from reflow.core.resources import new_resource_name
from reflow.core.specs import TensorSpec
from reflow.graph.frames import without_frames
from reflow.graph.func_graph import FuncGraph
from reflow.graph.import_ import import_graph
from reflow.graph.proto_values import decode_attr
from reflow.graph.ref_variables import upgraded
from reflow.graph.refusals import Allowed
from reflow.io.assets import Asset
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch
from reflow.ops.kernels.control.state import var_handle
from reflow.saved_model import constants
from reflow.saved_model.functions import LoadedFunction
from reflow.saved_model.loading import uninitialized_variable
from reflow.saved_model.options import LoadOptions
from reflow.saved_model.signatures import INIT_OP, SignatureMap
from reflow.tracking.resource import TrackableResource
from reflow.tracking.trackable import AutoTrackable
from reflow.train.checkpoint_state import checkpoint_exists


class _GraphResource(TrackableResource):
    """A table of a graph: the node that makes it, and the nodes that fill it."""

    def __init__(self, node: Any) -> None:
        super().__init__()
        record = registry.REGISTRY[node.op]
        attrs = {
            name: decode_attr(attr.type, node.attr[name], None) if name in node.attr else registry.decode_default(attr)
            for name, attr in record.definition.attrs.items()
        }
        # two models may call theirs the same
        self._made = self._no_dependency((record, {**attrs, "shared_name": f"loaded{new_resource_name(node.name)}"}))
        self._fill: Any = None

    def _create_resource(self) -> Any:
        record, attrs = self._made
        return dispatch(record, (), attrs)

    def find_initializer(self, wrapped: WrappedFunction, needed: set) -> None:
        """Take those nodes that write to the resource when the model is initialized."""
        inner = wrapped.graph.captured[self.resource_handle._id][1]
        writers = [node for node in inner.consumers() if node in needed and node.record.writes]
        self._fill = wrapped.prune([], writers) if writers else None

    def _initialize(self) -> None:
        if self._fill is not None:
            self._fill()


class VersionOneModel(AutoTrackable):
    """A loaded SavedModel of TensorFlow 1: `signatures`, `variables`, `graph`, and `prune` to cut out functions."""

    def __init__(self, wrapped: WrappedFunction, variables: list, assets: list, meta: Any) -> None:
        self.variables = variables
        self.asset_paths = assets
        # the function itself would be saved with the model although it is not one: its placeholders are not arguments
        self._cut = wrapped.prune
        self.graph = self._no_dependency(wrapped.graph)
        self.tensorflow_version = meta.meta_info_def.tensorflow_version
        self.tensorflow_git_version = meta.meta_info_def.tensorflow_git_version

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> WrappedFunction:
        """A function from some tensors of the graph to others."""
        return self._cut(feeds, fetches, name, input_signature)


def load_version_one(folder: str, meta: Any, options: LoadOptions) -> VersionOneModel:
    """The model of a MetaGraphDef that has no object graph."""
    graph_def = without_frames(upgraded(meta.graph_def))
    graph = FuncGraph("saved_model")
    graph.parent = None
    variables, resources = _captured(graph, graph_def, _trainable_names(meta))
    outside = {name: graph.capture(obj.handle) for name, obj in variables.items()}
    outside |= {name: graph.capture(obj.resource_handle) for name, obj in resources.items()}
    assets = {name.removesuffix(":0"): Asset(path) for name, path in asset_values(folder, meta).items()}
    outside |= {name: graph.add_capture(asset.asset_path) for name, asset in assets.items()}
    proto = type(graph_def)()
    proto.CopyFrom(graph_def)
    del proto.node[:]
    proto.node.extend(node for node in graph_def.node if node.name not in outside)
    with graph.as_default():
        import_graph(proto, graph, outside, "", _allowed(options), os.path.join(folder, constants.ASSETS_DIRECTORY))
    wrapped = WrappedFunction(graph)
    model = VersionOneModel(wrapped, list(variables.values()), list(assets.values()), meta)
    _restore(wrapped, folder, meta, options)
    name = init_op_name(meta)
    if name is not None:
        operation = graph.as_graph_element(name)
        for resource in resources.values():
            resource.find_initializer(wrapped, needed_for([operation], set()))
        wrapped.prune([], [operation])()
    model._resources = list(resources.values())
    model.signatures = SignatureMap(
        {key: _signature(wrapped, s) for key, s in sorted(meta.signature_def.items()) if key != INIT_OP}
    )
    return model


def _captured(graph: FuncGraph, graph_def: Any, trainable: set[str]) -> tuple[dict, dict]:
    """The variables and the tables of a graph, made outside of it, by the names of their nodes."""
    variables: dict[str, Any] = {}
    resources: dict[str, _GraphResource] = {}
    for node in graph_def.node:
        record = registry.REGISTRY.get(node.op)
        if record is var_handle:
            variable = variables[node.name] = _variable(node, node.name in trainable)
            graph.variables_used[variable.handle._id] = variable
        elif record is not None and record.makes_resource and not node.input:
            resources[node.name] = _GraphResource(node)
    return variables, resources


def _allowed(options: LoadOptions) -> Allowed:
    given = options.experimental_allow_unsafe_ops
    return given if given is True else [*SAVER_OPS, *(given or ())]


def _trainable_names(meta: Any) -> set[str]:
    from tensorboard.compat.proto.variable_pb2 import VariableDef

    if "trainable_variables" not in meta.collection_def:
        return set()
    protos = meta.collection_def["trainable_variables"].bytes_list.value
    return {VariableDef.FromString(p).variable_name.removesuffix(":0") for p in protos}


def _variable(node: Any, trainable: bool) -> Any:
    """An eager variable, without a value yet, for a handle's node."""
    from tensorboard.compat.proto.saved_object_graph_pb2 import SavedVariable

    proto = SavedVariable(dtype=node.attr["dtype"].type, trainable=trainable, name=node.name)
    proto.shape.CopyFrom(node.attr["shape"].shape)
    return uninitialized_variable(proto)


def _restore(wrapped: WrappedFunction, folder: str, meta: Any, options: LoadOptions) -> None:
    prefix = os.path.join(folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    if options.experimental_skip_checkpoint or not meta.HasField("saver_def") or not checkpoint_exists(prefix):
        return
    saver = meta.saver_def
    if saver.restore_op_name and saver.filename_tensor_name:
        operation = wrapped.graph.as_graph_element(saver.restore_op_name)
        wrapped.prune([saver.filename_tensor_name], [operation])(convert_to_tensor(prefix))


def _signature(wrapped: WrappedFunction, proto: Any) -> LoadedFunction:
    """A function of the named inputs of a SignatureDef that returns its outputs by name."""
    graph = wrapped.graph
    names, feeds, specs = sorted(proto.inputs), [], {}
    for name in names:
        tensor = signature_defs.get_tensor_from_tensor_info(proto.inputs[name], graph)
        feeds.append(tensor)
        specs[name] = TensorSpec(tensor.shape, tensor.dtype, name)
    fetches = {name: signature_defs.get_tensor_from_tensor_info(info, graph) for name, info in proto.outputs.items()}
    pruned = wrapped.prune(nest.flatten(feeds, expand_composites=True), fetches)
    pruned.graph.structured_input_signature = ((), specs)
    function = LoadedFunction(pruned.graph, ((), specs))
    function.flat_names, function.positional = names, 1 if len(names) == 1 else 0
    return function
