"""Stages that check the stages around them: `assert_next` and `assert_prev`, with which tests verify rewrites.

A stage is identified by TensorFlow's name for its iterators (`DatasetValue.label`), or by the name of its op. Both
checks ignore the version in a name: `BatchV2` is a `Batch`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from reflow.core import errors
from reflow.data.engine.order import Pass
from reflow.data.engine.values import DatasetValue


def _unversioned(name: str) -> str:
    return re.sub(r"V\d+$", "", name)


class AssertNext(Pass):
    """The same elements, if the stages after this one have the expected names."""

    def __init__(self, source: DatasetValue, expected: Sequence[str]):
        super().__init__(source)
        self.expected = list(expected)

    def check(self, following: Sequence[str]) -> None:
        """InvalidArgumentError unless the stages after this one have the expected names."""
        if len(self.expected) > len(following):
            raise errors.InvalidArgumentError(
                None, None, f"Asserted next {len(self.expected)} transformations but encountered only {len(following)}."
            )
        for at, (expected, found) in enumerate(zip(self.expected, following, strict=False)):
            if expected != found and _unversioned(expected) != _unversioned(found):
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Asserted transformation matching {expected} at offset {at} but encountered {found} "
                    "transformation instead.",
                )


class AssertPrev(Pass):
    """The same elements, if the ops before this one have the names and attributes that are expected."""

    def __init__(self, source: DatasetValue, expected: Sequence[tuple[str, dict[str, Any]]]):
        super().__init__(source)
        self.expected = list(expected)

    def check(self) -> None:
        """InvalidArgumentError unless the expected stages lead to this one."""
        stage: DatasetValue | None = self.inputs[0]
        for at, (name, attributes) in enumerate(self.expected):
            if stage is None:
                raise errors.InvalidArgumentError(
                    None, None, f"Asserted previous {len(self.expected)} transformations but encountered only {at}."
                )
            self._compare(stage, at, name, attributes)
            stage = stage.inputs[0] if stage.inputs else None

    @staticmethod
    def _compare(stage: DatasetValue, at: int, name: str, attributes: dict[str, Any]) -> None:
        op = f"{stage.name}Dataset"
        if _unversioned(name) != _unversioned(op):
            raise errors.InvalidArgumentError(
                None, None,
                f"Asserted transformation matching '{name}' at offset {at} but encountered "
                f"'{op}' transformation instead.",
            )
        known = stage.attributes()
        for key, wanted in attributes.items():
            if key not in known:
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Asserted attribute '{key}' of transformation '{name}' at offset {at} but found no such attribute."
                )
            if known[key] != wanted:
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Asserted attribute '{key}' of transformation '{name}' at offset {at} to be '{wanted}' "
                    f"but found '{known[key]}'.",
                )
