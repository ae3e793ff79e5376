"""`tensorflow.python.checkpoint.functional_saver`: tensors to and from checkpoint files, eagerly or as nodes."""

from tensorboard.compat.proto.saver_pb2 import SaverDef

from reflow.api.array.arrange import identity
from reflow.api.framework.core_names import control_dependencies, placeholder
from reflow.compat.train import saver_ops
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.specs import TensorSpec
from reflow.drop_in.python.training.saving.saveable_object_util import SaveableCompatibilityConverter
from reflow.function.function import function
from reflow.ops.convert import convert_to_tensor
from reflow.tracking.trackable import ObjectIdentityDictionary
from reflow.train import gathering, in_graph
from reflow.train.checkpoint import CheckpointOptions, writer
from reflow.train.restored_values import extract_local_name, run_savers
from reflow.train.saveables import SaveableObject, SaveSpec


class _ObjectSaveable(SaveableObject):
    """The tensors of one object, by key."""

    def __init__(self, obj, tensors):
        self._names = []
        specs = []
        for key, value in tensors.items():
            for spec, tensor in value.items() if isinstance(value, dict) else [("", value)]:
                self._names.append(extract_local_name(key))
                dtype = tensor.dtype if hasattr(tensor, "dtype") else dtypes.string
                specs.append(SaveSpec(None, spec, key, dtype))
        super().__init__(obj, specs, next(iter(tensors), ""))

    def restore(self, restored_tensors, restored_shapes):
        named = dict(zip(self._names, restored_tensors, strict=True))
        legacy = gathering.get_saveable_name(self.op) or ""
        done = self.op._restore_from_tensors({name.removeprefix(legacy): tensor for name, tensor in named.items()})
        return state.graph.nodes[-1] if done is None and state.graph is not None else done


class MultiDeviceSaver:
    """Writes tensors under given keys, and gives the objects that they belong to what it reads back.

    `serialized_tensors` holds, by object (None for tensors that belong to none), tensors by checkpoint key.
    """

    def __init__(self, serialized_tensors, registered_savers=None, call_with_mapped_captures=None):
        self._tensors = serialized_tensors
        self._savers = registered_savers or {}

    @classmethod
    def from_saveables(cls, saveables, registered_savers=None, call_with_mapped_captures=None):
        """A saver of saveable objects."""
        tensors = ObjectIdentityDictionary()
        for saveable in saveables:
            converted = SaveableCompatibilityConverter(saveable, [saveable])
            tensors[converted] = converted._serialize_to_tensors()
        return cls(tensors, registered_savers)

    def _gathered(self):
        gathered = gathering.Gathered([], [])
        for obj, values in self._tensors.items():
            for key, value in values.items():
                gathering._add(obj, key, value, gathered)
        gathered.values = {key: gathering.value_of(value) for key, value in gathered.values.items()}
        gathered.savers = self._savers
        return gathered

    def save(self, file_prefix, options=None):
        """Write the checkpoint; in a graph, the operation that does it."""
        options = options or CheckpointOptions()
        if state.graph is None:
            path = convert_to_tensor(file_prefix, dtypes.string).numpy().decode()
            writer(self._gathered(), path, options)()
            return None
        return in_graph.add_save(file_prefix, self._gathered(), options).op

    def restore(self, file_prefix, options=None):
        """Read the values and hand them over; in a graph, the operations by key."""
        saveables = [
            _ObjectSaveable(obj, values) for obj, values in self._tensors.items() if obj is not None and values
        ]
        prefix = convert_to_tensor(file_prefix, dtypes.string)
        device = None if options is None else options.experimental_io_device
        found = saver_ops.restore_values(prefix, saveables, False, device)
        run_savers(self._savers, prefix)
        return {} if state.graph is None else {s.name: node for s, node in zip(saveables, found, strict=True)}

    def to_proto(self):
        """A SaverDef whose nodes are in the current graph."""
        filename = placeholder(dtypes.string, [], "saver_filename")
        signature = [TensorSpec([], dtypes.string)]

        @function(input_signature=signature, autograph=False)
        def traced_save(prefix):
            with control_dependencies([self.save(prefix)]):
                return identity(prefix)

        @function(input_signature=signature, autograph=False)
        def traced_restore(prefix):
            with control_dependencies(list(self.restore(prefix).values())):
                return identity(prefix)

        saved, restored = traced_save(filename), traced_restore(filename)
        return SaverDef(
            filename_tensor_name=filename.name, save_tensor_name=saved.name, restore_op_name=restored.op.name,
            version=SaverDef.V2,
        )


def _single_task_save(prefix, tensor_slices):
    """Write {key: {slice: tensor}} to one file."""
    MultiDeviceSaver({None: tensor_slices}).save(prefix)


def _single_task_restore(prefix, tensor_slices):
    """Read {key: {slice: tensor}} from one file."""
    specs = [
        SaveSpec(None, spec, key, tensor.dtype) for key, parts in tensor_slices.items()
        for spec, tensor in parts.items()
    ]
    found = iter(saver_ops.read(prefix, specs))
    return {key: {spec: next(found) for spec in parts} for key, parts in tensor_slices.items()}
