"""Questions about annotations."""

import typing
from collections.abc import Mapping

from reflow.drop_in.python.util import type_annotations as asked


def test_with_parameters_only():
    # the old form
    assert asked.is_generic_union(typing.Optional[int]) and not asked.is_generic_union(typing.Union)  # noqa: UP045
    assert asked.is_generic_tuple(tuple[int, ...]) and not asked.is_generic_tuple(tuple)
    assert asked.is_generic_list(list[int]) and not asked.is_generic_list(tuple[int])
    assert asked.is_generic_mapping(Mapping[str, int]) and not asked.is_generic_mapping(Mapping)
    assert asked.is_forward_ref(typing.ForwardRef("A")) and not asked.is_forward_ref("A")
    assert asked.get_generic_type_args(dict[str, int]) == (str, int)
