"""Nested structures: lists, tuples, named tuples, dictionaries (in key order) and, on request, composite tensors.

`flatten` and `pack_sequence_as` are inverses; everything else is built on them.
"""

from __future__ import annotations

import dataclasses
from collections import abc
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from reflow.core.types import Structure


def is_namedtuple(x: Any) -> bool:
    return isinstance(x, tuple) and hasattr(x, "_fields")


def is_attrs(x: Any) -> bool:
    return hasattr(type(x), "__attrs_attrs__")


def is_mapping(x: Any) -> bool:
    return isinstance(x, abc.Mapping)


def _has_own_flatten(kind: type) -> bool:
    """Whether a class is a data class with its own methods to flatten and rebuild it (`__tf_flatten__`)."""
    return dataclasses.is_dataclass(kind) and hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def fixed_part(x: Any) -> Any:
    """What a structure holds besides its children: the metadata of a data class that defines `__tf_flatten__`."""
    return x.__tf_flatten__()[0] if _has_own_flatten(type(x)) else None


def composite_spec(x: Any) -> Any:
    """The type spec of a composite tensor (or the spec itself), else None."""
    if getattr(x, "_is_composite_spec", False):
        return x
    return x._type_spec if getattr(x, "_is_composite", False) else None


def is_nested(seq: Any) -> bool:
    """Says whether an object is a structure that `flatten` takes apart.

    Args:
      seq: Any object.

    Returns:
      A Python bool: true for lists, tuples, dictionaries and other sequences, data classes with `__tf_flatten__` and
      classes of attrs; false for strings and tensors.

    >>> is_nested([1]), is_nested("ab")
    (True, False)
    """
    kind = type(seq)
    try:
        return _NESTED[kind]
    except KeyError:
        return _learn(kind)


#: type -> whether it is a structure. Checking against the abstract classes takes 0.6 µs per leaf, and every call checks
#: its leaves.
_NESTED: dict[type, bool] = {}


def _learn(kind: type) -> bool:
    nested = issubclass(kind, (list, tuple, abc.Mapping, abc.MappingView)) or hasattr(kind, "__attrs_attrs__")
    nested = nested or _has_own_flatten(kind)
    if not nested and issubclass(kind, abc.Sequence):  # a deque, a range; text is not
        nested = not issubclass(kind, (str, bytes, bytearray, memoryview))
    if len(_NESTED) > 4096:
        _NESTED.clear()
    _NESTED[kind] = nested
    return nested


def _items(x: Any) -> list[tuple[Any, Any]]:
    """The (key, child) pairs of one level."""
    if type(x) in (list, tuple):
        return list(enumerate(x))
    if isinstance(x, abc.Mapping):
        return [(k, x[k]) for k in sorted(x)]
    if is_attrs(x):
        return [(a.name, getattr(x, a.name)) for a in type(x).__attrs_attrs__]
    if _has_own_flatten(type(x)):
        return list(enumerate(x.__tf_flatten__()[1]))
    return list(enumerate(x))


def flatten(structure: Structure, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a structure in order.

    Args:
      structure: Nested lists, tuples and dictionaries, whose items are taken in the order of their sorted keys; or a
        single leaf.
      expand_composites: Whether composites such as sparse and ragged tensors are taken apart into their tensors.

    Returns:
      A list of the leaves.

    Raises:
      TypeError: Keys of a dictionary cannot be compared.

    >>> flatten({"b": [1, 2], "a": 0})
    [0, 1, 2]
    """
    out: list[Any] = []
    _flatten(structure, expand_composites, out)
    return out


def _flatten(x: Any, expand: bool, out: list[Any]) -> None:
    if type(x) in (list, tuple):
        for child in x:
            _flatten(child, expand, out)
    elif is_nested(x):
        for _, child in _items(x):
            _flatten(child, expand, out)
    elif expand and getattr(x, "_is_composite", False):
        _flatten(x._type_spec._to_components(x), expand, out)
    elif expand and getattr(x, "_is_composite_spec", False):
        _flatten(x._component_specs, expand, out)
    else:
        out.append(x)


def rebuild(like: Structure, children: list[Any]) -> Structure:
    """A structure of the type of `like` with other children, in the order of `_items`."""
    kind = type(like)
    if kind is list or kind is tuple:
        return kind(children)
    if isinstance(like, abc.Mapping):
        by_key = dict(zip(sorted(like), children, strict=True))
        if hasattr(like, "default_factory"):
            return kind(like.default_factory, ((k, by_key[k]) for k in like))
        try:  # from a dict: constructing a Counter from pairs would count the pairs
            return kind({k: by_key[k] for k in like})
        except TypeError:
            return {k: by_key[k] for k in like}
    if is_namedtuple(like):
        return kind(*children)
    if is_attrs(like):
        return kind(**dict(zip([a.name for a in kind.__attrs_attrs__], children, strict=True)))
    if _has_own_flatten(kind):
        return like.__tf_unflatten__(fixed_part(like), tuple(children))  # a method of the class, or of the object
    return list(children) if isinstance(like, (abc.MappingView, range)) else kind(children)


def _pack(like: Structure, leaves: Iterator[Any], expand: bool) -> Structure:
    if is_nested(like):
        return rebuild(like, [_pack(child, leaves, expand) for _, child in _items(like)])
    spec = composite_spec(like) if expand else None
    if spec is not None:
        components = _pack(spec._component_specs, leaves, expand)
        return spec._from_components(components)
    return next(leaves)


def pack_sequence_as(structure: Structure, flat_sequence: Any, expand_composites: bool = False) -> Structure:
    """Puts leaves into the form of a structure: the inverse of `flatten`.

    Args:
      structure: The structure, or a single leaf.
      flat_sequence: A list of as many leaves.
      expand_composites: Whether composites in `structure` are built from their tensors in the list.

    Returns:
      A structure of the types of `structure` with the leaves of the list.

    Raises:
      ValueError: There are more or fewer leaves than places.
      TypeError: `flat_sequence` is not a sequence.

    >>> pack_sequence_as([0, (0,)], [1, 2])
    [1, (2,)]
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {_shortened(flat_sequence)}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        )
    if not is_nested(structure) and len(flat_sequence) != 1 and not (expand_composites and composite_spec(structure)):
        raise ValueError(
            f"The target structure is of type `{type(structure)}`\n  {_shortened(structure)}\nHowever the input is a "
            f"sequence ({type(flat_sequence)}) of length {len(flat_sequence)}.\n  {_shortened(flat_sequence)}\nnest "
            "cannot guarantee that it is safe to map one to the other."
        )
    flat_sequence = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat_sequence)} items.  "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence), expand_composites)


def refill(leaf: Any, flat: Iterator[Any]) -> Any:
    """A new value for a leaf: the iterator's next tensor, or a composite of as many tensors as the leaf has."""
    if not getattr(leaf, "_is_composite", False):
        return next(flat)
    return _pack(leaf, flat, True)


def _shortened(x: Any) -> str:
    """The beginning of a value's text, for messages."""
    text = str(x)
    return text if len(text) <= 100 else text[:100] + "..."


def map_structure(func: Callable[..., Any], *structures: Structure, **kwargs: Any) -> Structure:
    """Applies a function to each group of corresponding leaves.

    Args:
      func: A function of as many arguments as there are structures.
      *structures: One or more structures of the same form.
      **kwargs: `expand_composites`, whether composites are taken apart into their tensors (by default not), and
        `check_types`, whether lists, tuples and dictionaries must correspond to their like (by default they must).

    Returns:
      A structure of the form of the first one, with the results.

    Raises:
      TypeError: `func` is not callable, or types differ.
      ValueError: The structures differ, there is none, or there is another keyword argument.

    >>> map_structure(lambda x: x + 1, {"a": 1})
    {'a': 2}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    expand_composites, check_types = kwargs.pop("expand_composites", False), kwargs.pop("check_types", True)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    if not structures:
        raise ValueError("Must provide at least one structure")
    first, *others = structures
    for other in others:
        assert_same_structure(first, other, check_types=check_types, expand_composites=expand_composites)
    leaves = [flatten(s, expand_composites) for s in structures]
    return pack_sequence_as(first, [func(*group) for group in zip(*leaves, strict=True)], expand_composites)


def assert_same_structure(
    nest1: Structure, nest2: Structure, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures have the same form.

    Args:
      nest1: A structure.
      nest2: Another one.
      check_types: Whether lists, tuples and dictionaries must correspond to their like.
      expand_composites: Whether composites such as ragged tensors must be compatible too.

    Returns:
      None.

    Raises:
      ValueError: They differ in the number of elements, in keys or in depth.
      TypeError: With `check_types`, they differ in the type of a sequence.

    >>> tf.nest.assert_same_structure([1, (2, 3)], ["a", ("b", "c")])
    >>> tf.nest.assert_same_structure([1], (1,), check_types=False)
    """
    _check_same(nest1, nest2, check_types, expand_composites, nest1, nest2)


def _have_common_spec(a: Any, b: Any) -> bool:
    """Whether composites of two specs can replace each other.

    Ragged tensors may differ in their number of rows, not in dtype.
    """
    if a.is_compatible_with(b):
        return True
    try:
        return a.most_specific_common_supertype([b]) is not None
    except (ValueError, TypeError):
        return False


def _check_same(
    a: Structure, b: Structure, check_types: bool, expand: bool, whole_a: Structure, whole_b: Structure
) -> None:
    def complain(error: type[Exception], what: str) -> NoReturn:
        raise error(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {_typed(whole_a)}\n\nSecond "
            f"structure: {_typed(whole_b)}\n\nMore specifically: {what}\nEntire first structure:\n{_outline(whole_a)}\n"
            f"Entire second structure:\n{_outline(whole_b)}"
        )

    if is_nested(a) != is_nested(b) or (expand and (composite_spec(a) is None) != (composite_spec(b) is None)):
        inner, leaf = (a, b) if is_nested(a) or (expand and composite_spec(a) is not None) else (b, a)
        complain(
            ValueError, f'Substructure "{_typed(inner)}" is a sequence, while substructure "{_typed(leaf)}" is not'
        )
    if not is_nested(a):
        if expand and composite_spec(a) is not None:
            specs = composite_spec(a), composite_spec(b)
            if not _have_common_spec(*specs):
                complain(
                    ValueError, f"Incompatible CompositeTensor TypeSpecs: {_typed(specs[0])} vs. {_typed(specs[1])}"
                )
        return
    if check_types and not same_type(a, b):
        complain(
            TypeError,
            f"The two namedtuples don't have the same sequence type. First structure {_typed(a)} has type "
            f"{type(a).__name__}, while second structure {_typed(b)} has type {type(b).__name__}",
        )
    items_a, items_b = _items(a), _items(b)
    if isinstance(a, abc.Mapping) and isinstance(b, abc.Mapping) and set(a) != set(b):
        complain(
            ValueError,
            f"The two dictionaries don't have the same set of keys. First structure has keys {_typed(list(a))}, "
            f"while second structure has keys {_typed(list(b))}",
        )
    for (_, x), (_, y) in zip(items_a, items_b, strict=False):
        _check_same(x, y, check_types, expand, whole_a, whole_b)
    if len(items_a) != len(items_b):
        complain(
            ValueError,
            f"The two structures don't have the same number of elements. First structure: {_typed(a)}. "
            f"Second structure: {_typed(b)}",
        )


def _typed(x: Any) -> str:
    return f"type={type(x).__name__} str={x!s}"


def _outline(x: Any) -> str:
    """The structure with a dot for each leaf."""
    return _pack(x, iter(["\0"] * len(flatten(x))), False).__repr__().replace("'\\x00'", ".") if is_nested(x) else "."


def same_type(a: Structure, b: Structure) -> bool:
    if type(a) is type(b) or (isinstance(a, abc.Mapping) and isinstance(b, abc.Mapping)):
        return True
    if is_namedtuple(a) and is_namedtuple(b):
        kinds = [type(getattr(x, "__wrapped__", x)).__name__ for x in (a, b)]
        return a._fields == b._fields and kinds[0] == kinds[1]
    return (isinstance(a, list) and isinstance(b, list)) or _same_wrapped(a, b)


def _same_wrapped(a: Structure, b: Structure) -> bool:
    """Tracked wrappers count as the objects they wrap."""
    return isinstance(a, tuple) and isinstance(b, tuple) and not (is_namedtuple(a) or is_namedtuple(b))


def paths(structure: Structure, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of keys to each leaf.

    >>> paths({"a": [1, 2]})
    [('a', 0), ('a', 1)]
    """
    if not is_nested(structure):
        return [prefix]
    return [p for key, child in _items(structure) for p in paths(child, prefix + (key,))]
