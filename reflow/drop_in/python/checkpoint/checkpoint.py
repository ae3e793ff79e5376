"""`tensorflow.python.checkpoint.checkpoint`.

Parts of which `tf.train.Checkpoint` is made, and variables as an object's children.
"""

from tensorboard.compat.proto.trackable_object_graph_pb2 import TrackableObjectGraph

from reflow.compat.initializers import initial_value
from reflow.compat.variable_scopes import capture_dependencies  # noqa: F401 - its name here
from reflow.core import dtypes
from reflow.core.context import init_scope
from reflow.drop_in.python.checkpoint.functional_saver import MultiDeviceSaver
from reflow.eager import variables
from reflow.graph import symbolic
from reflow.ops.convert import convert_to_tensor
from reflow.tracking.trackable import ObjectGraphView
from reflow.train import gathering, object_graph
from reflow.train.checkpoint import TrackableSaver as _Saver
from reflow.train.metrics import checkpoint_size as _get_checkpoint_size  # noqa: F401 - its name here
from reflow.train.restore import open_reader
from reflow.train.restore_status import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus  # noqa: F401

_session_provider = None


class TrackableSaver(_Saver):
    """Saves and restores what lies below the root of a view."""

    def _gather_serialized_tensors(self, object_graph_tensor=None):
        """Tensors by object and key, what is fed (nothing), registered savers, and the object graph."""
        gathered = self.gather()
        if object_graph_tensor is None:
            object_graph_tensor = convert_to_tensor(gathered.values[object_graph.OBJECT_GRAPH_KEY])
        gathered.values[object_graph.OBJECT_GRAPH_KEY] = object_graph_tensor
        proto = TrackableObjectGraph.FromString(object_graph.build(gathered.nodes))
        return gathering.by_object(gathered), {}, gathered.savers, proto


def register_session_provider(session_provider):
    """Let a function give the session where there is no default one."""
    global _session_provider
    _session_provider = session_provider


def get_session():
    """The default session, or that of the registered provider."""
    session = symbolic.default_session()
    return _session_provider() if session is None and _session_provider is not None else session


def object_metadata(save_path):
    """The object graph of a checkpoint."""
    reader = open_reader(save_path)
    if object_graph.OBJECT_GRAPH_KEY not in reader:
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with TF2) since it is '
            f'missing the key "{object_graph.OBJECT_GRAPH_KEY}". Likely it was created with the TF1 name-based saver '
            'and does not contain an object '
            "dependency graph."
        )
    return TrackableObjectGraph.FromString(reader.get(object_graph.OBJECT_GRAPH_KEY).item())


def list_objects(root_trackable):
    """The object and all below it, with the slots of optimizers."""
    return gathering.walk(ObjectGraphView(root_trackable))[0].objects


def gather_initializers(root_trackable):
    """The initializers of all variables and tables below an object."""
    return [o.initializer for o in list_objects(root_trackable) if getattr(o, "initializer", None) is not None]


def frozen_saver(root_trackable):
    """A saver for the objects as they are now."""
    gathered = _Saver(ObjectGraphView(root_trackable)).gather()
    return MultiDeviceSaver(gathering.by_object(gathered), gathered.savers)


def _default_getter(name, shape, dtype, initializer=None, partition_info=None, **kwargs):
    if initializer is not None and not callable(initializer) and shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    with init_scope():
        value, kind = initial_value(name, shape, dtype or dtypes.float32, initializer, asked=False)
        given = None if initializer is None or callable(initializer) else dtype
        return variables.Variable(value, name=name, dtype=kind if callable(value) else given, **kwargs)


def add_variable(trackable, name, shape=None, dtype=None, initializer=None, trainable=True):
    """Make a variable and track it under its name."""
    if dtype is None and (initializer is None or callable(initializer)):
        dtype = dtypes.float32
    return trackable._add_variable_with_custom_getter(
        name=name, shape=shape, dtype=dtype, initializer=initializer, getter=_default_getter, trainable=trainable
    )
