"""`tensorflow.python.data.experimental.ops.testing`.

Transformations for `Dataset.apply` by which tests look at a pipeline.
"""

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf import text_format

from reflow.compat.protos import NameAttrList
from reflow.core import dtypes
from reflow.data.base import int64
from reflow.ops.convert import convert_to_tensor

Transformation = Callable[[Any], Any]


def _names(texts: Any):
    return convert_to_tensor(texts, dtypes.string)


def assert_next(transformations: Sequence[str]) -> Transformation:
    """The same elements; an error at the first unless the next stages have these names: `["ParallelMap", "Batch"]`."""
    if transformations is None:
        raise ValueError("Invalid `transformations`. `transformations` should not be empty.")
    return lambda dataset: dataset._then("AssertNextDataset", (_names(transformations),))


def assert_prev(transformations: Sequence[tuple[str, Any]]) -> Transformation:
    """The same elements; an error when iteration begins unless these ops, with these attributes, come before:
    `[("BatchDataset", {})]`."""
    if transformations is None:
        raise ValueError("`transformations` cannot be empty")
    texts = [_as_text(*transformation) for transformation in transformations]
    return lambda dataset: dataset._then("AssertPrevDataset", (_names(texts),))


def _as_text(op: str, attributes: Any) -> str:
    """An op and its attributes as the text of a proto."""
    proto = NameAttrList(name=op)
    for name, value in attributes.items() if isinstance(attributes, dict) else ():
        if isinstance(value, bool):
            proto.attr[name].b = value
        elif isinstance(value, int):
            proto.attr[name].i = value
        elif isinstance(value, str):
            proto.attr[name].s = value.encode()
        else:
            raise ValueError(f"attribute value type ({type(value)}) must be bool, int, or str")
    return text_format.MessageToString(proto)


def non_serializable() -> Transformation:
    """The same elements."""
    return lambda dataset: dataset._then("NonSerializableDataset")


def sleep(sleep_microseconds: int) -> Transformation:
    """The same elements, each after a pause."""
    return lambda dataset: dataset._then("SleepDataset", (int64(sleep_microseconds),))
