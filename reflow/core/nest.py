"""Nested structures: lists, tuples, named tuples, dictionaries (in key order) and, on request, composite tensors.

`flatten` and `pack_sequence_as` are inverse to each other; everything else is built on them.
"""

from __future__ import annotations

from collections import abc


def _is_namedtuple(x) -> bool:
    return isinstance(x, tuple) and hasattr(x, "_fields")


def _is_attrs(x) -> bool:
    return hasattr(type(x), "__attrs_attrs__")


def _composite_spec(x):
    """The type spec of a composite tensor (or the spec itself), else None."""
    if getattr(x, "_is_composite_spec", False):
        return x
    return x._type_spec if getattr(x, "_is_composite", False) else None


def is_nested(x) -> bool:
    """Whether `x` is a structure that `flatten` takes apart.

    >>> is_nested([1]), is_nested("ab")
    (True, False)
    """
    return isinstance(x, (list, tuple, abc.Mapping, abc.MappingView)) or _is_attrs(x)


def _items(x):
    """The (key, child) pairs of one level."""
    if isinstance(x, abc.Mapping):
        try:
            return [(k, x[k]) for k in sorted(x)]
        except TypeError:
            raise TypeError("nest only supports dicts with sortable keys.") from None
    if _is_attrs(x):
        return [(a.name, getattr(x, a.name)) for a in type(x).__attrs_attrs__]
    return list(enumerate(x))


def flatten(structure, expand_composites: bool = False) -> list:
    """The leaves in order.

    >>> flatten({"b": [1, 2], "a": 0})
    [0, 1, 2]
    """
    out: list = []
    _flatten(structure, expand_composites, out)
    return out


def _flatten(x, expand, out):
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


def rebuild(like, children):
    """A structure of the type of `like` with other children, in the order of `_items`."""
    kind = type(like)
    if kind is list or kind is tuple:
        return kind(children)
    if isinstance(like, abc.Mapping):
        by_key = dict(zip(sorted(like), children, strict=True))
        if hasattr(like, "default_factory"):
            return kind(like.default_factory, ((k, by_key[k]) for k in like))
        try:
            return kind((k, by_key[k]) for k in like)
        except TypeError:
            return {k: by_key[k] for k in like}
    if _is_namedtuple(like):
        return kind(*children)
    if _is_attrs(like):
        return kind(**dict(zip([a.name for a in kind.__attrs_attrs__], children, strict=True)))
    return list(children) if isinstance(like, abc.MappingView) else kind(children)


def _pack(like, leaves, expand):
    if is_nested(like):
        return rebuild(like, [_pack(child, leaves, expand) for _, child in _items(like)])
    spec = _composite_spec(like) if expand else None
    if spec is not None:
        components = _pack(spec._component_specs, leaves, expand)
        return spec._from_components(components)
    return next(leaves)


def pack_sequence_as(structure, flat_sequence, expand_composites: bool = False):
    """The inverse of `flatten`: `flat_sequence` in the form of `structure`.

    >>> pack_sequence_as([0, (0,)], [1, 2])
    [1, (2,)]
    """
    flat_sequence = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat_sequence)} items. "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence), expand_composites)


def map_structure(func, *structures, expand_composites: bool = False, check_types: bool = True):
    """Apply `func` to each group of corresponding leaves.

    >>> map_structure(lambda x: x + 1, {"a": 1})
    {'a': 2}
    """
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    first, *others = structures
    for other in others:
        assert_same_structure(first, other, check_types=check_types, expand_composites=expand_composites)
    leaves = [flatten(s, expand_composites) for s in structures]
    return pack_sequence_as(first, [func(*group) for group in zip(*leaves, strict=True)], expand_composites)


def assert_same_structure(nest1, nest2, check_types: bool = True, expand_composites: bool = False):
    """Raise ValueError or TypeError unless both have the same structure."""
    _check_same(nest1, nest2, check_types, expand_composites, nest1, nest2)


def _check_same(a, b, check_types, expand, whole_a, whole_b):
    def complain(error, what):
        raise error(
            f"The two structures don't have the same {what}.\n\nFirst structure: type={type(whole_a).__name__} "
            f"str={whole_a}\n\nSecond structure: type={type(whole_b).__name__} str={whole_b}"
        )

    if is_nested(a) != is_nested(b):
        complain(ValueError, "nested structure")
    if not is_nested(a):
        if expand:
            spec_a, spec_b = _composite_spec(a), _composite_spec(b)
            if (spec_a is None) != (spec_b is None) or (spec_a is not None and not spec_a.is_compatible_with(spec_b)):
                complain(TypeError, "composite types")
        return
    if check_types:
        both_maps = isinstance(a, abc.Mapping) and isinstance(b, abc.Mapping)
        same = type(a) is type(b) or both_maps or (_is_namedtuple(a) and _is_namedtuple(b) and a._fields == b._fields)
        same = same or (isinstance(a, list) and isinstance(b, list)) or _same_wrapped(a, b)
        if not same:
            complain(TypeError, "sequence type")
    items_a, items_b = _items(a), _items(b)
    if len(items_a) != len(items_b):
        complain(ValueError, "number of elements")
    if isinstance(a, abc.Mapping) and [k for k, _ in items_a] != [k for k, _ in items_b]:
        complain(ValueError, "keys")
    for (_, x), (_, y) in zip(items_a, items_b, strict=True):
        _check_same(x, y, check_types, expand, whole_a, whole_b)


def _same_wrapped(a, b) -> bool:
    """Tracked wrappers count as what they wrap."""
    return isinstance(a, tuple) and isinstance(b, tuple) and not (_is_namedtuple(a) or _is_namedtuple(b))


def flatten_up_to(shallow, structure, check_types: bool = True) -> list:
    """Leaves of `structure` at the depth of `shallow`."""
    if not is_nested(shallow):
        return [structure]
    if not is_nested(structure) or len(_items(shallow)) != len(_items(structure)):
        raise ValueError(f"The structures do not match: {shallow} and {structure}.")
    out = []
    for (_, s), (_, x) in zip(_items(shallow), _items(structure), strict=True):
        out.extend(flatten_up_to(s, x, check_types))
    return out


def map_structure_up_to(shallow, func, *structures, **options):
    """`map_structure`, but leaves are what stands at the depth of `shallow`'s leaves."""
    leaves = [flatten_up_to(shallow, s, options.get("check_types", True)) for s in structures]
    return pack_sequence_as(shallow, [func(*group) for group in zip(*leaves, strict=True)])


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False):
    """Pairs of (path, leaf)."""
    return list(
        zip(
            ["".join([separator.join(map(str, p))]) for p in paths(structure)],
            flatten(structure, expand_composites),
            strict=True,
        )
    )


def paths(structure, prefix=()) -> list:
    """The path of keys to each leaf.

    >>> paths({"a": [1, 2]})
    [('a', 0), ('a', 1)]
    """
    if not is_nested(structure):
        return [prefix]
    return [p for key, child in _items(structure) for p in paths(child, prefix + (key,))]
