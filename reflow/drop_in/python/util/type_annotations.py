"""`tensorflow.python.util.type_annotations`: questions about annotations."""

import collections.abc
import typing

get_generic_type_args = typing.get_args


def _is_of(annotation, *origins):
    """Whether an annotation is one of these with parameters."""
    return annotation not in origins and typing.get_origin(annotation) in origins


def is_generic_union(tp):
    """Whether it is `Union[…]`."""
    return _is_of(tp, typing.Union)


def is_generic_tuple(tp):
    """Whether it is `tuple[…]`."""
    return _is_of(tp, tuple)


def is_generic_list(tp):
    """Whether it is `list[…]`."""
    return _is_of(tp, list)


def is_generic_mapping(tp):
    """Whether it is `Mapping[…]`."""
    return _is_of(tp, collections.abc.Mapping)


def is_forward_ref(tp):
    """Whether it names a class that may not be there yet."""
    return isinstance(tp, typing.ForwardRef)
