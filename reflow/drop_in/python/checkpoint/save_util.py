"""`tensorflow.python.checkpoint.save_util`: what a save writes, as plain structures."""

from tensorboard.compat.proto.trackable_object_graph_pb2 import TrackableObjectGraph

from reflow.tracking.trackable import ObjectIdentityDictionary
from reflow.train import gathering, object_graph


def serialize_graph_view(graph_view, object_map=None, call_with_mapped_captures=None, cache=None):
    """Tensors by object and key, what is fed (nothing), registered savers, and the object graph.

    `object_map` may hold, by object, another one whose values are taken.
    """
    others = ObjectIdentityDictionary(() if object_map is None else object_map)
    gathered = gathering.serialize(graph_view, instead=lambda obj: others.get(obj, obj))
    proto = TrackableObjectGraph.FromString(object_graph.build(gathered.nodes))
    return gathering.by_object(gathered), {}, gathered.savers, proto
