"""The graph of a SavedModel's MetaGraphDef: handles of variables, constants, a call per signature, ops to save and
restore.

`tf.saved_model.load` needs only the constants in it; programs that run signatures in a session (TensorFlow 1,
TensorFlow Serving) need all of it.
"""

from __future__ import annotations

import os

import numpy as np
from tensorboard.compat.proto import meta_graph_pb2

from reflow.core import dtypes, nest
from reflow.core.specs import TensorSpec
from reflow.graph.export import MIN_CONSUMER, Exporter, Names, legal_name, new_graph_def
from reflow.graph.proto_values import encode_attr, encode_shape, encode_tensor
from reflow.ops import opdef
from reflow.saved_model.in_graph import constant_of
from reflow.saved_model.signatures import INIT_OP
from reflow.saved_model.structures import encode

PREDICT = "tensorflow/serving/predict"


class MainGraph:
    """A GraphDef under construction."""

    def __init__(self, exporter: Exporter):
        self.proto = new_graph_def()
        self.proto.versions.min_consumer = MIN_CONSUMER  # its library holds functions
        self.exporter = exporter
        self.names = Names()
        self.assets: list = []
        self.asset_names: list[str] = []
        self._asset_paths: dict[str, str] = {}  # of a file -> its name in the model
        self._file_names = Names()

    def add(self, op: str, name: str, inputs=(), shapes=(), **attrs) -> str:
        """Add a node; returns its name. Attributes are encoded as the OpDef says."""
        definition = opdef.lookup(op)
        node = self.proto.node.add(name=self.names.unique(legal_name(name)), op=op, input=list(inputs))
        for key, value in attrs.items():
            if definition.attrs[key].type == "func":
                node.attr[key].func.name = value
            else:
                node.attr[key].CopyFrom(encode_attr(definition.attrs[key].type, value, None))
        node.attr["_output_shapes"].CopyFrom(encode_attr("list(shape)", shapes, None))
        return node.name

    def constant(self, tensor) -> str:
        return self._constant(constant_of(tensor)._host(), tensor._dtype)

    def _constant(self, array, dtype, name="Const") -> str:
        array = np.asarray(array)
        made = self.add("Const", name, shapes=[array.shape], dtype=dtype)
        self.proto.node[-1].attr["value"].tensor.CopyFrom(encode_tensor(array, dtype))
        return made

    def variable(self, variable, device: str) -> str:
        dims = variable.shape._dims
        name = self.add("VarHandleOp", variable.name.removesuffix(":0"), shapes=[()], dtype=variable.dtype, shape=dims)
        node = self.proto.node[-1]
        node.attr["shared_name"].s, node.device = name.encode(), device
        self.add("ReadVariableOp", f"{name}/Read/ReadVariableOp", [name], [dims], dtype=variable.dtype)
        return name

    def asset(self, asset) -> str:
        self.assets.append(asset)
        path = os.path.abspath(asset.path)
        if path not in self._asset_paths:  # objects for one file share its copy
            self._asset_paths[path] = self._file_names.unique(os.path.basename(path))
        self.asset_names.append(self._asset_paths[path])
        return self._constant(np.array(asset.path.encode(), object), dtypes.string, "asset_path_initializer")

    # --- signatures

    def signature(self, key: str, concrete, function: str, captures: list[str]):
        """A call of a signature's function on placeholders; returns its SignatureDef."""
        proto = meta_graph_pb2.SignatureDef(method_name=PREDICT)
        inputs = []
        for keyword, tensor in zip(concrete.flat_names, concrete.graph.arguments, strict=True):
            dims = tensor._dims
            name = self.add("Placeholder", f"{key}_{keyword}", shapes=[dims], dtype=tensor._dtype, shape=dims)
            _tensor_info(proto.inputs[keyword], f"{name}:0", tensor)
            inputs.append(name)
        call = self.call(concrete, function, [*inputs, *captures])
        numbered = iter((f"{call}:{i}", tensor) for i, tensor in enumerate(concrete.graph.outputs))
        for label, spec in sorted(concrete.output_specs.items()):
            _output_info(proto.outputs[label], spec, numbered)
        return proto

    def call(self, concrete, function: str, inputs: list[str]) -> str:
        """A call of a function of the library."""
        kind, outputs = "StatefulPartitionedCall", concrete.graph.outputs
        return self.add(
            kind, kind, inputs, [t._dims for t in outputs], f=function, Tin=[t._dtype for t in concrete.graph.inputs],
            Tout=[t._dtype for t in outputs],
        )

    def add_init_op(self, meta, initializers: list[str]):
        """What a session runs before anything else: these nodes."""
        name = self.add("NoOp", "NoOp", [f"^{node}" for node in initializers])
        meta.collection_def["saved_model_main_op"].node_list.value.append(name)
        info = meta.signature_def[INIT_OP].outputs[INIT_OP]
        info.name = name
        info.tensor_shape.unknown_rank = True

    # --- saving and restoring in a session

    def add_saver(self, meta, keys: list, handle_of):
        """`SaveV2` and `RestoreV2` of all variables, described by a SaverDef.

        `keys` holds (checkpoint key, variable).
        """
        filename = self.add("Placeholder", "saver_filename", shapes=[()], dtype=dtypes.string, shape=())
        names = self._strings([key for key, _ in keys], "saver/tensor_names")
        slices = self._strings([""] * len(keys), "saver/shape_and_slices")
        kinds, shapes = [v.dtype for _, v in keys], [v.shape._dims for _, v in keys]
        reads = [
            self.add("ReadVariableOp", "saver/ReadVariableOp", [handle_of(v)], [s], dtype=k)
            for (_, v), k, s in zip(keys, kinds, shapes, strict=True)
        ]
        assigns = []
        if keys:
            save = self.add("SaveV2", "saver/SaveV2", [filename, names, slices, *reads], dtypes=kinds)
            restore = self.add(
                "RestoreV2", "saver/RestoreV2", [filename, names, slices], [None] * len(keys), dtypes=kinds
            )
            for i, ((_, v), kind) in enumerate(zip(keys, kinds, strict=True)):
                value = restore if i == 0 else f"{restore}:{i}"
                assigns.append(
                    self.add("AssignVariableOp", "saver/AssignVariableOp", [handle_of(v), value], dtype=kind)
                )
        saved = self.add("Identity", "saver/saved", [filename, *([f"^{save}"] if keys else [])], [()], T=dtypes.string)
        restored = self.add("NoOp", "saver/restored", [f"^{a}" for a in assigns])
        meta.saver_def.filename_tensor_name, meta.saver_def.save_tensor_name = f"{filename}:0", f"{saved}:0"
        meta.saver_def.restore_op_name, meta.saver_def.version = restored, 2

    def _strings(self, values: list[str], name: str) -> str:
        array = np.fromiter([v.encode() for v in values], object, len(values))
        return self._constant(array, dtypes.string, name)

    def add_assets(self, meta):
        initializers = [n.name for n in self.proto.node if n.name.startswith("asset_path_initializer")]
        for node, name in zip(initializers, self.asset_names, strict=True):
            meta.asset_file_def.add(filename=name).tensor_info.name = f"{node}:0"

    def finish(self):
        self.proto.library.CopyFrom(self.exporter.library())
        return self.proto


def _output_info(proto, spec, numbered):
    """Describe a result; one that is made of tensors is a composite of the next of them."""
    if isinstance(spec, TensorSpec):
        _tensor_info(proto, *next(numbered))
        return
    composite = proto.composite_tensor
    composite.type_spec.CopyFrom(encode(spec).type_spec_value)
    for _ in nest.flatten(spec, expand_composites=True):
        _tensor_info(composite.components.add(), *next(numbered))


def _tensor_info(proto, name, tensor):
    proto.name, proto.dtype = name, tensor._dtype.enum
    encode_shape(tensor._dims, proto.tensor_shape)
    proto.tensor_shape.SetInParent()
