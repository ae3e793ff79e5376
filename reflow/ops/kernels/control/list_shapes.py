"""Static knowledge about tensor lists while a graph is built: facts about lists, shapes of elements, what is rejected.

A list has the partial element shape of the op that created it; `element_shape` operands add to it where they are known.
"""

from __future__ import annotations

from typing import Any

from reflow.core import dtypes
from reflow.core.resources import ListFacts, lasting
from reflow.core.shapes import compatible, merge
from reflow.core.types import Dims
from reflow.ops import shape_rules as rules
from reflow.ops.shape_facts import NodeFacts, PartialValue
from reflow.ops.trace_words import Misfit, rank, rank_at_most, same_shape

# --- facts about lists ------------------------------------------------------------------------------------------------


def of_attribute(f: NodeFacts) -> list[PartialValue]:
    """A list says what its elements are; of an element that is a list itself, what was known of it."""
    lists = [v for v in f.values if isinstance(v, ListFacts)]
    element = lasting(lists[-1]) if len(lists) > 1 else lists[0].element if lists else None
    return [ListFacts(_element_dtype(f), element, lists[0].dims if lists else None)]


def new_list(f: NodeFacts) -> list[PartialValue]:
    """A list whose elements have the shape that the operand `element_shape` says."""
    names = [a.name for a in f.op.definition.inputs]
    return [ListFacts(_element_dtype(f), None, asked_shape(f, names.index("element_shape")))]


def _element_dtype(f: NodeFacts) -> dtypes.DType:
    """The attribute `element_dtype`, which callers may leave to the dtype of the element that they pass."""
    if "element_dtype" in f.attrs:
        return f.attrs["element_dtype"]
    arguments = f.op.definition.inputs
    return next(dtype for dtype, a in zip(f.dtypes, arguments, strict=True) if a.type_attr == "element_dtype")


def of_split(f: NodeFacts) -> list[PartialValue]:
    """The pieces of a tensor: their first sizes differ."""
    dims = asked_shape(f, 1)
    return [ListFacts(f.dtypes[0], None, (None, *dims[1:]) if dims else None)]


def of_element(f: NodeFacts) -> list[PartialValue]:
    return [f.values[0] and f.values[0].element]


def of_rest_and_element(f: NodeFacts) -> list[PartialValue]:
    return [f.values[0], *of_element(f)]


# --- shapes -----------------------------------------------------------------------------------------------------------


def asked_shape(f: NodeFacts, index: int) -> Dims | None:
    """The partial shape in the `element_shape` operand."""
    value, dims = f.values[index], f.shapes[index]
    if value == -1 or dims is not None and len(dims) != 1:
        return None
    return rules.as_shape(value, dims)


def list_dims(f: NodeFacts) -> Dims | None:
    """The shape that the list gives its elements."""
    facts = f.values[0]
    return facts.dims if isinstance(facts, ListFacts) else None


def element(f: NodeFacts, index: int) -> Dims | None:
    """What list and operand say together of an element's shape."""
    dims, asked = list_dims(f), asked_shape(f, index)
    return merge(dims, asked) if compatible(dims, asked) else None


def read(index: int) -> Any:
    """The output is an element."""
    return lambda f: [element(f, index)]


def stacked(f: NodeFacts) -> list[Dims | None]:
    dims, count = element(f, 1), f.attr("num_elements")
    return [None] if dims is None else [((count if count is not None and count >= 0 else None), *dims)]


def gathered(f: NodeFacts) -> list[Dims | None]:
    dims = element(f, 2)
    return [None] if dims is None or f.shapes[1] is None else [(*f.shapes[1], *dims)]


def joined(f: NodeFacts) -> list[Dims | None]:
    dims = element(f, 1)
    return [(None, *dims[1:]) if dims else None, (None,)]


# --- what is rejected
# --------------------------------------------------------------------------------------------------


def _shape_operand(f: NodeFacts, index: int) -> None:
    """A vector, or a scalar that is known to be -1."""
    rank_at_most(f.shapes[index], 1)
    value = f.values[index]
    if f.inputs and f.shapes[index] == () and value != -1:  # of an eager tensor the kernel speaks
        if value is None:
            words = (
                "Received a shape scalar with unknown static value.  A static value of '-1' is required to "
                "represent an unknown shape."
            )
        else:
            given = f"Tensor<type: {f.dtypes[index].name} shape: [] values: {value}>"
            words = f"Received an invalid shape scalar with a static value that is not '-1': {given}"
        raise Misfit(words, bare=True)


def fitting(index: int) -> Any:
    """The operand fits the list."""

    def check(f: NodeFacts) -> None:
        _shape_operand(f, index)
        same_shape(list_dims(f), asked_shape(f, index))

    return check


def scalars(*inputs: int) -> Any:
    """These inputs are scalars, and a shape, the input before or after them, is a vector at most."""

    def check(f: NodeFacts) -> None:
        names = [a.name for a in f.op.definition.inputs]
        if "element_shape" in names:
            _shape_operand(f, names.index("element_shape"))
        for i in inputs:
            rank(f.shapes[i], 0)

    return check


def rows(f: NodeFacts) -> None:
    """`element_shape` fits the rows of a tensor."""
    _shape_operand(f, 1)
    if f.shapes[0]:
        same_shape(f.shapes[0][1:], asked_shape(f, 1))


def pieces(f: NodeFacts) -> None:
    """`element_shape` fits the pieces of a tensor."""
    _shape_operand(f, 1)
    if f.shapes[0] is not None:
        same_shape((None, *f.shapes[0][1:]), asked_shape(f, 1))


def lists_to_join(f: NodeFacts) -> None:
    """Two lists, or vectors of lists, with elements of one type and shape."""
    a, b = f.values
    same_shape(*f.shapes)
    wanted = f.attrs["element_dtype"]
    for name, facts in (("input_a", a), ("input_b", b)):
        if isinstance(facts, ListFacts) and facts.dtype is not wanted:
            raise Misfit(f"{name}.type != element_dtype: {facts.dtype.name} vs. {wanted.name}")
    if isinstance(a, ListFacts) and isinstance(b, ListFacts):
        same_shape(a.dims, b.dims)


def other_rows(dims: Dims, tensor: Any) -> str:
    """What to say about a tensor whose rows have not the shape of a list's elements."""
    return f"Specified a list with shape {rules.text(dims)} from a tensor with shape {rules.text(tensor.shape[1:])}"
