"""`tensorflow.python.data.util.nest`: structures of datasets.

A list is no structure there but a value that becomes a tensor.
"""

from collections import abc

from reflow.core import nest
from reflow.core.sparse import SparseTensorValue


def is_nested(structure) -> bool:
    """Whether a value is a tuple, a dictionary or another structure of a dataset's elements."""
    return not isinstance(structure, (list, SparseTensorValue)) and nest.is_nested(structure)


def flatten(structure) -> list:
    """The leaves in order."""
    if not is_nested(structure):
        return [structure]
    return [leaf for _, child in nest._items(structure) for leaf in flatten(child)]


def _pack(structure, leaves):
    if not is_nested(structure):
        return next(leaves)
    return nest.rebuild(structure, [_pack(child, leaves) for _, child in nest._items(structure)])


def pack_sequence_as(structure, flat_sequence):
    """The inverse of `flatten`."""
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"Argument `flat_sequence` must be a sequence. Received: {flat_sequence}")
    count = len(flatten(structure))
    if not is_nested(structure) and len(flat_sequence) != 1:
        raise ValueError(f"Argument `structure` is a scalar but `len(flat_sequence)`={len(flat_sequence)} > 1")
    if count != len(flat_sequence):
        raise ValueError(
            f"Argument `structure` had {count} atoms, but argument `flat_sequence` had {len(flat_sequence)} items. "
            f"Received structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def assert_same_structure(nest1, nest2, check_types=True) -> None:
    """Raise ValueError or TypeError unless both have the same structure."""
    try:
        _compare(nest1, nest2, check_types)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {nest1}\n\nSecond "
            f"structure: {nest2}\n\n"
            f"More specifically: {error}"
        ) from None


def _compare(first, second, check_types: bool) -> None:
    nested = [is_nested(x) for x in (first, second)]
    if nested[0] != nested[1]:
        raise ValueError(f"One of them is a sequence, the other is not: {first!r} and {second!r}.")
    if not nested[0]:
        return
    if check_types and not nest.same_type(first, second):
        types = f"First structure has type {type(first)}, while second structure has type {type(second)}."
        raise TypeError(f"The two structures don't have the same sequence type. {types}")
    if check_types and isinstance(first, abc.Mapping) and set(first) != set(second):
        keys = f"First structure has keys {list(first)}, while second structure has keys {list(second)}."
        raise ValueError(f"The two dictionaries don't have the same set of keys. {keys}")
    mine, theirs = nest._items(first), nest._items(second)
    if len(mine) != len(theirs):
        raise ValueError(f"They don't have the same number of elements: {len(mine)} and {len(theirs)}.")
    for (_, child), (_, other) in zip(mine, theirs, strict=True):
        _compare(child, other, check_types)


def map_structure(func, *structure, **check_types_dict):
    """Apply `func` to each group of corresponding leaves."""
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    if set(check_types_dict) - {"check_types"}:
        raise ValueError("Only valid keyword argument for `check_types_dict` is 'check_types'.")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types_dict.get("check_types", True))
    return pack_sequence_as(structure[0], [func(*group) for group in zip(*map(flatten, structure))])


def assert_shallow_structure(shallow_tree, input_tree, check_types=True) -> None:
    """Raise TypeError or ValueError unless the second structure is as deep as the first everywhere."""
    flatten_up_to(shallow_tree, input_tree, check_types)


def flatten_up_to(shallow_tree, input_tree, check_types=True) -> list:
    """The parts of a structure at the depth of another one."""
    if not is_nested(shallow_tree):
        return [input_tree]
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: '{type(input_tree).__name__}'."
        )
    if check_types and not nest.same_type(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"'{type(input_tree).__name__}', while shallow structure has type '{type(shallow_tree).__name__}'."
        )
    mine, theirs = nest._items(shallow_tree), nest._items(input_tree)
    if len(mine) != len(theirs):
        raise ValueError(
            f"The two structures don't have the same sequence length. Input structure has length {len(theirs)}, "
            f"while shallow structure has length {len(mine)}."
        )
    if check_types and isinstance(shallow_tree, abc.Mapping) and set(shallow_tree) != set(input_tree):
        raise ValueError(
            f"The two structures don't have the same keys. Input structure has keys {list(input_tree)}, "
            f"while shallow structure has keys {list(shallow_tree)}."
        )
    pairs = zip(mine, theirs, strict=True)
    return [part for (_, child), (_, given) in pairs for part in flatten_up_to(child, given, check_types)]


def map_structure_up_to(shallow_tree, func, *inputs):
    """`map_structure`, but leaves are what stands at the depth of `shallow_tree`'s leaves."""
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    parts = [flatten_up_to(shallow_tree, x) for x in inputs]
    return pack_sequence_as(shallow_tree, [func(*group) for group in zip(*parts, strict=True)])
