"""`tensorflow.python.trackable.trackable_utils`.

Names of objects in checkpoints, and an order in which each follows what it needs.
"""

from reflow.train import object_graph
from reflow.train.object_graph import OPTIMIZER_SLOT, escape_local_name, slot_variable_path  # noqa: F401 - their names here
from reflow.train.object_graph import object_path as _object_path


def checkpoint_key(object_path, local_name):
    """The key in a checkpoint of a value of an object."""
    return object_graph.checkpoint_key(object_path, local_name)


def extract_local_name(key, prefix=""):
    """The name of a value in a checkpoint key: what follows the path of the object, and `prefix`."""
    return key.rpartition(f".ATTRIBUTES/{prefix or ''}")[2]


def pretty_print_node_path(paths):
    """A path of references as a user writes it: `root.layer.kernel`."""
    return ".".join(["root", *(reference.name for reference in paths)]) if paths else "root object"


def object_path_to_string(node_path_arr):
    """A path of references as a text."""
    return _object_path(reference.name for reference in node_path_arr)


def extract_object_name(key):
    """The path of the object in a checkpoint key."""
    return key.partition("/.ATTRIBUTES")[0]


def slot_variable_key(variable_path, optimizer_path, slot_name):
    """The path of an optimizer's slot variable."""
    return slot_variable_path(variable_path, optimizer_path, slot_name)


class CyclicDependencyError(Exception):
    """Objects need one another in a circle."""

    def __init__(self, leftover_dependency_map):
        super().__init__(f"Cyclic dependencies among {sorted(leftover_dependency_map, key=str)}")
        self.leftover_dependency_map = leftover_dependency_map


def order_by_dependency(dependency_map):
    """The keys of a map in an order in which each comes behind all that it depends on."""
    unknown = {value for values in dependency_map.values() for value in values} - set(dependency_map)
    if unknown:
        raise ValueError(
            f"Found values in the dependency map which are not keys: {unknown}. Received "
            f"dependency_map={dependency_map}"
        )
    left = {key: set(values) for key, values in dependency_map.items()}
    order = []
    while left:
        ready = [key for key, values in left.items() if not values]
        if not ready:
            raise CyclicDependencyError(left)
        order += ready
        left = {key: values.difference(ready) for key, values in left.items() if values}
    return order
