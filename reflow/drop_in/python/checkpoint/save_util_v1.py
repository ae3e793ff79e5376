"""`tensorflow.python.checkpoint.save_util_v1`: what a save writes, as saveable objects."""

from reflow.drop_in.python.checkpoint.save_util import serialize_graph_view
from reflow.eager.variables import Variable
from reflow.train.saveables import SaveableObject, SaveSpec, saveables_of


def serialize_gathered_objects(graph_view, object_map=None, call_with_mapped_captures=None, saveables_cache=None):
    """Saveable objects, the object graph, what is fed (nothing), and registered savers."""
    by_object, feeds, savers, proto = serialize_graph_view(graph_view, object_map)
    found = []
    for obj, tensors in by_object.items():
        if isinstance(obj, Variable):
            found += saveables_of(obj, next(iter(tensors)))
        else:
            specs = [
                value if isinstance(value, SaveSpec) else SaveSpec(value, "", key) for key, value in tensors.items()
            ]
            found.append(SaveableObject(obj, specs, next(iter(tensors))))
    return found, proto, feeds, savers
