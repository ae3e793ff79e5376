"""`tensorflow.python.util.nest`: what it has beyond `tf.nest` and `tf.__internal__.nest`."""

from reflow.core import nest
from reflow.core.nest import is_attrs as _is_attrs  # noqa: F401 - TensorFlow's name
from reflow.core.nest import is_mapping as _is_mapping  # noqa: F401
from reflow.core.nest import is_namedtuple as is_namedtuple
from reflow.core.nest import rebuild as _sequence_like  # noqa: F401
from reflow.core.shallow_nest import assert_shallow_structure as assert_shallow_structure
from reflow.core.shallow_nest import flatten_with_tuple_paths_up_to as flatten_with_tuple_paths_up_to
from reflow.core.shallow_nest import map_structure_with_tuple_paths_up_to as map_structure_with_tuple_paths_up_to
from reflow.core.shallow_nest import yield_flat_paths


def is_nested_or_composite(seq) -> bool:
    """Whether a value is a structure, a composite tensor or the spec of one."""
    return nest.is_nested(seq) or nest.composite_spec(seq) is not None


is_sequence_or_composite = is_nested_or_composite
_is_namedtuple = is_namedtuple


def _yield_sorted_items(iterable):
    """The (key, child) pairs of a structure, those of a dictionary by sorted keys; a named tuple has its fields as
    keys.

    A composite tensor has one child, its components."""
    spec = nest.composite_spec(iterable)
    if spec is not None:
        yield type(iterable).__name__, spec._component_specs if spec is iterable else spec._to_components(iterable)
        return
    keys = getattr(iterable, "_fields", None)
    for i, (key, child) in enumerate(nest._items(iterable)):
        yield (keys[i] if keys is not None else key), child


def _yield_value(iterable):
    """The children of a structure, those of a dictionary by sorted keys."""
    for _, child in _yield_sorted_items(iterable):
        yield child


def same_namedtuples(nest1, nest2) -> bool:
    """Whether the classes of two named tuples have the same name and fields."""
    return type(nest1).__name__ == type(nest2).__name__ and nest1._fields == nest2._fields


def flatten_dict_items(dictionary) -> dict:
    """A dictionary whose keys and values are structures of one form, as one of the leaves."""
    if not nest.is_mapping(dictionary):
        raise TypeError(f"Argument `dictionary` must be a dictionary. Received: {dictionary}")
    flat = {}
    for key, value in dictionary.items():
        keys = nest.flatten(key) if nest.is_nested(key) else [key]
        values = nest.flatten(value) if nest.is_nested(key) else [value]
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
                f"Key: {keys}, value: {values}."
            )
        for leaf, part in zip(keys, values, strict=True):
            if leaf in flat:
                raise ValueError(f"Cannot flatten dictionary. Keys must be unique. The key {leaf!r} is not unique.")
            flat[leaf] = part
    return flat


def flatten_with_tuple_paths(structure, expand_composites=False) -> list:
    """The leaves, each with its path as a tuple."""
    return list(zip(yield_flat_paths(structure, expand_composites), nest.flatten(structure, expand_composites)))


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False) -> list:
    """The leaves, each with its path as a text."""
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in pairs]


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """`map_structure` with a function that takes the path of the leaves first."""
    for other in structure[1:]:
        nest.assert_same_structure(structure[0], other, check_types=kwargs.get("check_types", True))
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func, *structure, **kwargs):
    """`map_structure` with a function that takes the path of the leaves first, as a text."""
    with_text = lambda path, *parts, **options: func("/".join(map(str, path)), *parts, **options)
    return map_structure_with_tuple_paths(with_text, *structure, **kwargs)
