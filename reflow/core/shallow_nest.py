"""Nested structures compared down to the depth of another structure, and the paths to their leaves.

A *shallow* structure says how deep to go: where it has a leaf, the corresponding part of the other structure counts as
one leaf, whatever it is. A *path* is the tuple of keys that leads to a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from typing import Any

from reflow.core import nest
from reflow.core.types import Structure

IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ = (
    "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
)
STRUCTURES_HAVE_MISMATCHING_TYPES = (
    "The two structures don't have the same sequence type. Input structure has type {input_type}, while shallow "
    "structure has type {shallow_type}."
)
STRUCTURES_HAVE_MISMATCHING_LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length {input_length}, while shallow "
    "structure has length {shallow_length}."
)
SHALLOW_TREE_HAS_INVALID_KEYS = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following keys that "
    "are not in the input_tree: {}."
)
Path = tuple[Any, ...]


def _is_inner(x: Any, expand: bool) -> bool:
    return nest.is_nested(x) or (expand and nest.composite_spec(x) is not None)


def _children(x: Any) -> list[tuple[Any, Any]]:
    """The (key, child) pairs of one level, including those of a composite tensor or its spec."""
    if nest.is_nested(x):
        return nest._items(x)
    if getattr(x, "_is_composite", False):
        components = x._type_spec._to_components(x)
    else:
        components = x._component_specs
    return nest._items(components) if nest.is_nested(components) else [(0, components)]


def _check_level(shallow: Any, structure: Any, check_types: bool) -> None:
    """Compare one level of two structures; the first is not a leaf."""
    if nest.is_nested(shallow) != nest.is_nested(structure):
        raise TypeError(IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ.format(type(structure)))
    if not nest.is_nested(shallow):
        specs = nest.composite_spec(shallow), nest.composite_spec(structure)
        if specs[1] is None or specs[0].most_specific_common_supertype([specs[1]]) is None:
            raise ValueError(f"Incompatible CompositeTensor TypeSpecs: {specs[0]} vs. {specs[1]}")
        return
    if check_types and not nest.same_type(shallow, structure):
        types = {"input_type": type(structure), "shallow_type": type(shallow)}
        raise TypeError(STRUCTURES_HAVE_MISMATCHING_TYPES.format(**types))
    if not nest.is_mapping(shallow):
        lengths = [len(x) if isinstance(x, Sized) else len(nest._items(x)) for x in (structure, shallow)]
        if lengths[0] != lengths[1]:
            raise ValueError(
                STRUCTURES_HAVE_MISMATCHING_LENGTHS.format(input_length=lengths[0], shallow_length=lengths[1])
            )
    elif nest.is_mapping(structure):
        absent = sorted(set(shallow) - set(structure))
        if absent:
            raise ValueError(SHALLOW_TREE_HAS_INVALID_KEYS.format(absent))


def _walk(shallow: Any, structure: Any, check_types: bool, expand: bool, path: Path) -> Iterator[tuple[Path, Any]]:
    """The (path, part) pairs of `structure` where `shallow` has its leaves."""
    if not _is_inner(shallow, expand):
        yield path, structure
        return
    if not _is_inner(structure, expand):
        raise TypeError(IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ.format(type(structure)))
    _check_level(shallow, structure, check_types)
    if nest.is_mapping(shallow) and nest.is_mapping(structure):
        pairs = [(key, child, structure[key]) for key, child in nest._items(shallow)]
    else:
        below = [child for _, child in _children(structure)]
        pairs = [(key, child, part) for (key, child), part in zip(_children(shallow), below, strict=True)]
    if not nest.is_nested(shallow):  # the path names the class, and then the component if there are several
        spec = nest.composite_spec(shallow)
        path = (*path, spec.value_type.__name__)
        if not nest.is_nested(spec._component_specs):
            pairs = [(None, child, part) for _, child, part in pairs]
    for key, child, part in pairs:
        yield from _walk(child, part, check_types, expand, path if key is None else (*path, key))


def assert_shallow_structure(
    shallow_tree: Structure, input_tree: Structure, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise TypeError or ValueError unless the second structure is at least as deep as the first everywhere."""
    for _ in _walk(shallow_tree, input_tree, check_types, expand_composites, ()):
        pass


def flatten_with_tuple_paths_up_to(
    shallow_tree: Structure, input_tree: Structure, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The parts of a structure at the depth of another one, each with its path."""
    return list(_walk(shallow_tree, input_tree, check_types, expand_composites, ()))


def flatten_up_to(
    shallow_tree: Structure, input_tree: Structure, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """The parts of a structure at the depth of another one.

    >>> flatten_up_to([0, 0], [[1, 2], 3])
    [[1, 2], 3]
    """
    return [part for _, part in _walk(shallow_tree, input_tree, check_types, expand_composites, ())]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Structure, func: Callable[..., Any], *inputs: Structure, **kwargs: Any
) -> Structure:
    """Apply `func(path, *parts)` to the parts of structures at the depth of `shallow_tree`.

    Results are packed in its form.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    expand = kwargs.pop("expand_composites", False)
    check_types = kwargs.pop("check_types", True)
    rows = [flatten_with_tuple_paths_up_to(shallow_tree, x, check_types, expand) for x in inputs]
    results = [func(row[0][0], *[part for _, part in row], **kwargs) for row in zip(*rows, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results, expand)


def map_structure_up_to(
    shallow_tree: Structure, func: Callable[..., Any], *inputs: Structure, **kwargs: Any
) -> Structure:
    """`map_structure` with the leaves of `shallow_tree`: whatever is at their depth counts as a leaf."""
    without_path = lambda _, *parts, **options: func(*parts, **options)
    return map_structure_with_tuple_paths_up_to(shallow_tree, without_path, *inputs, **kwargs)


def yield_flat_paths(structure: Structure, expand_composites: bool = False) -> Iterator[Path]:
    """The path of each leaf.

    >>> list(yield_flat_paths({"a": [1, 2]}))
    [('a', 0), ('a', 1)]
    """
    for path, _ in _walk(structure, structure, False, expand_composites, ()):
        yield path


def _rebuilt(structure: Structure, children: list[Any]) -> Structure:
    """One level of a structure, or a composite tensor, with other children."""
    spec = None if nest.is_nested(structure) else nest.composite_spec(structure)
    if spec is None:
        return nest.rebuild(structure, children)
    components = spec._component_specs
    return spec._from_components(nest.rebuild(components, children) if nest.is_nested(components) else children[0])


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Structure, expand_composites: bool = False
) -> Structure:
    """A shallow structure of booleans: `traverse_fn` says of each part whether to descend, or into which children."""
    answer = traverse_fn(structure)
    if not _is_inner(structure, expand_composites):
        if not isinstance(answer, bool):
            raise TypeError(f"traverse_fn returned structure: {answer} for non-structure: {structure}")
        return answer
    children = [child for _, child in _children(structure)]
    if isinstance(answer, bool):
        if not answer:
            return False
        found = [get_traverse_shallow_structure(traverse_fn, c, expand_composites) for c in children]
        return _rebuilt(structure, found)
    found = []
    for child, wanted in zip(children, [x for _, x in _children(answer)], strict=True):
        if not isinstance(wanted, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {answer}  for structure: {structure}"
            )
        found.append(get_traverse_shallow_structure(traverse_fn, child, expand_composites) if wanted else False)
    return _rebuilt(structure, found)


def list_to_tuple(structure: Structure) -> Structure:
    """The structure with its lists replaced by tuples.

    >>> list_to_tuple([1, {"a": [2]}])
    (1, {'a': (2,)})
    """
    if not nest.is_nested(structure):
        return structure
    children = [list_to_tuple(child) for _, child in nest._items(structure)]
    return tuple(children) if isinstance(structure, list) else nest.rebuild(structure, children)
