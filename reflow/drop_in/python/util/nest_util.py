"""`tensorflow.python.util.nest_util`: the functions of `tf.nest` for two *modalities*: structures as everybody knows
them, and those of `tf.data`, in which a list is a leaf. The arguments `expand_composites`, `sequence_fn`,
`is_nested_fn` and `path` belong to the modality `CORE`, as in TensorFlow."""

import enum

from reflow.core import nest as core
from reflow.core import shallow_nest
from reflow.drop_in.python.data.util import nest as data
from reflow.drop_in.python.util import nest as core_extras
from reflow.drop_in.python.util.custom_nest_protocol import CustomNestProtocol as CustomNestProtocol
from reflow.drop_in.python.util.nest import _yield_sorted_items as _tf_core_yield_sorted_items
from reflow.drop_in.python.util.nest import _yield_value as _tf_core_yield_value
from reflow.drop_in.python.util.nest import same_namedtuples as same_namedtuples


class Modality(enum.Enum):
    """What counts as a structure."""

    CORE = "CORE"
    DATA = "DATA"


def _by_modality(modality, for_core, for_data):
    if modality is Modality.CORE:
        return for_core
    if modality is Modality.DATA:
        return for_data
    raise ValueError(f"Unknown modality used {modality} for nested structure")


def is_nested(modality, structure) -> bool:
    """Whether a value is a structure."""
    return _by_modality(modality, core.is_nested, data.is_nested)(structure)


def is_namedtuple(instance, strict=False) -> bool:
    """Whether a value is a named tuple; a strict check wants a class made by `collections.namedtuple` itself."""
    if not core.is_namedtuple(instance) or not all(isinstance(field, str) for field in instance._fields):
        return False
    return not strict or type(instance).__base__ is tuple


def sequence_like(instance, args):
    """A structure of the type of `instance` whose children are `args`."""
    return core.rebuild(instance, list(args))


def yield_value(modality, iterable):
    """The children of a structure, those of a dictionary by sorted keys."""
    return _by_modality(modality, _tf_core_yield_value, _tf_data_yield_value)(iterable)


def _tf_data_yield_value(iterable):
    for _, child in core._items(iterable):
        yield child


def yield_sorted_items(modality, iterable):
    """The (key, child) pairs of a structure; only the modality `CORE` has them."""
    if modality is not Modality.CORE:
        raise ValueError(f"Unknown modality used {modality} for nested structure")
    return _tf_core_yield_sorted_items(iterable)


def assert_same_structure(modality, nest1, nest2, check_types=True, expand_composites=False) -> None:
    """ValueError or TypeError unless two structures are of one form."""
    if _by_modality(modality, True, False):
        return core.assert_same_structure(nest1, nest2, check_types=check_types, expand_composites=expand_composites)
    return data.assert_same_structure(nest1, nest2, check_types)


def flatten(modality, structure, expand_composites=False) -> list:
    """The leaves of a structure."""
    return (
        core.flatten(structure, expand_composites) if _by_modality(modality, True, False) else data.flatten(structure)
    )


def pack_sequence_as(modality, structure, flat_sequence, expand_composites, sequence_fn=None):
    """The inverse of `flatten`.

    `sequence_fn(like, children)` builds each level, as `sequence_like` does if it is None.
    """
    if not _by_modality(modality, True, False):
        return data.pack_sequence_as(structure, flat_sequence)
    packed = core.pack_sequence_as(structure, flat_sequence, expand_composites)
    return packed if sequence_fn is None else _rebuilt(packed, structure, sequence_fn)


def _rebuilt(packed, like, sequence_fn):
    if not core.is_nested(like):
        return packed
    pairs = zip(_tf_core_yield_value(packed), _tf_core_yield_value(like), strict=True)
    return sequence_fn(like, [_rebuilt(child, form, sequence_fn) for child, form in pairs])


def map_structure(modality, func, *structure, **kwargs):
    """The structure of what a function returns for the leaves of structures of one form."""
    return _by_modality(modality, core.map_structure, data.map_structure)(func, *structure, **kwargs)


def yield_flat_up_to(modality, shallow_tree, input_tree, is_nested_fn=core.is_nested, path=()):
    """The parts of a structure at a shallower one's leaves: (path, part) pairs, of `tf.data`'s the parts alone."""
    return _by_modality(modality, _core_flat_up_to, _data_flat_up_to)(shallow_tree, input_tree, is_nested_fn, path)


def _core_flat_up_to(shallow_tree, input_tree, is_nested_fn, path):
    if not is_nested_fn(shallow_tree):
        yield path, input_tree
        return
    parts = dict(_tf_core_yield_sorted_items(input_tree))
    for key, shallow in _tf_core_yield_sorted_items(shallow_tree):
        yield from _core_flat_up_to(shallow, parts[key], is_nested_fn, (*path, key))


def _data_flat_up_to(shallow_tree, input_tree, is_nested_fn, path):
    yield from data.flatten_up_to(shallow_tree, input_tree)


def assert_shallow_structure(modality, shallow_tree, input_tree, check_types=True, expand_composites=False) -> None:
    """ValueError or TypeError unless `input_tree` has `shallow_tree`'s form, with anything in place of its leaves."""
    if _by_modality(modality, True, False):
        return shallow_nest.assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return data.assert_shallow_structure(shallow_tree, input_tree, check_types)


def flatten_up_to(modality, shallow_tree, input_tree, check_types=True, expand_composites=False) -> list:
    """The parts of a structure at the leaves of a shallower one."""
    if _by_modality(modality, True, False):
        return shallow_nest.flatten_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return data.flatten_up_to(shallow_tree, input_tree, check_types)


def map_structure_up_to(modality, shallow_tree, func, *inputs, **kwargs):
    """The structure of what a function returns for the parts of structures at the leaves of a shallower one.

    In the modality `CORE` the function takes the path of each leaf first."""
    if _by_modality(modality, True, False):
        return core_extras.map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs)
    return data.map_structure_up_to(shallow_tree, func, *inputs)
