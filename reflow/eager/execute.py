"""Eager execution: what all backends need to run an op.

Dtype checks, value checks, the host kernel, the tapes, errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import dtypes, errors
from reflow.core.context import entered_again, quietly, state
from reflow.ops import registry
from reflow.ops.from_python import mixed_dtypes, short_name
from reflow.ops.objections import deliberate, described, wrong_attribute
from reflow.ops.shape_facts import NodeFacts
from reflow.ops.xp import host as host_xp

if TYPE_CHECKING:
    from reflow.core.tensor import EagerTensor, Tensor
    from reflow.core.types import Attrs, Value
    from reflow.ops.record import Op


def check_dtypes(op: Op, inputs: Sequence[Tensor]) -> None:
    """Reject dtypes that the op does not accept."""
    if op.first_dtypes is not None and inputs[0]._dtype.enum not in op.first_dtypes:
        raise _refused_dtype(op, inputs, 0)
    for i, j in op.equal_dtypes:
        if inputs[i]._dtype is not inputs[j]._dtype:
            raise _mixed_dtypes(op, inputs, i, j)
    for i, enums in op.other_dtypes:
        if inputs[i]._dtype.enum not in enums:
            raise _refused_dtype(op, inputs, i)


def check_same_dtypes(op: Op, inputs: Sequence[Tensor], places: Sequence[int]) -> None:
    """Reject inputs at these positions that do not all have the same dtype."""
    for j in places[1:]:
        if inputs[j].dtype is not inputs[places[0]].dtype:
            raise _mixed_dtypes(op, inputs, places[0], j)


def check_shapes(op: Op, inputs: Sequence[EagerTensor], attrs: Attrs) -> None:
    """Reject shapes that graph construction would reject.

    Only `tf.raw_ops` needs this: public functions pass valid inputs.
    """
    if op.identity or not all(hasattr(t._value, "shape") for t in inputs):
        return
    facts = NodeFacts.of_eager(op, inputs, attrs)
    for rule in (op.trace_check, op.shape):
        if rule is None:
            continue
        try:
            rule(facts)
        except ValueError as objection:
            if str(objection) and deliberate(objection):
                raise errors.InvalidArgumentError(None, None, f"{objection} [Op:{op.name}] name: ") from None
        except Exception:  # a rule that cannot judge these inputs does not reject them
            continue


def makes_quantized(op: Op, inputs: Sequence[Tensor], attrs: Attrs) -> bool:
    """Whether a result has a quantized dtype, as an input or an attribute says.

    Attributes inferred from the inputs may be omitted.
    """
    if op.dtype_input is not None and inputs[op.dtype_input]._dtype.kind == "q":
        return True
    if op.dtype_attr is not None:
        return attrs[op.dtype_attr].kind == "q"
    for name, by_default in op.dtype_attrs.items():
        found = attrs.get(name)
        if found is None:
            if by_default or name in op.definition.inferred_attrs and any(t._dtype.kind == "q" for t in inputs):
                return True
            continue
        for dtype in (found,) if type(found) is dtypes.DType else found:
            if dtype.kind == "q":
                return True
    return False


def result_types(op: Op, inputs: Sequence[Tensor], attrs: Attrs) -> list[dtypes.DType]:
    """The dtypes of the results, where their arrays do not tell: quantized integers are stored as plain ones."""
    return registry.output_dtypes(op, registry.full_attrs(op, [t._dtype for t in inputs], attrs))


def name_error(op: Op, error: errors.OpError) -> None:
    """Add the name of the failed op to a TensorFlow error."""
    if error._op is None and "[Op:" not in error._message:
        error._message = f"{error._message} [Op:{op.name}] name: "


def record(op: Op, inputs: Sequence[Tensor], outputs: tuple[Tensor, ...], attrs: Attrs) -> None:
    """Tell the active tapes."""
    for tape in state.tapes:
        tape.record(op, inputs, outputs, attrs)


def run_kernel(op: Op, values: Sequence[Value], attrs: Attrs) -> Any:
    """Run a kernel on raw host values: the step shared by eager code and the interpreter."""
    if op.checks:
        run_checks(op, values, attrs)
    if op.calls_back:
        return op.call(host_xp, values, attrs)
    try:
        return state.run(op.call, host_xp, values, attrs)
    except RuntimeError as error:
        return entered_again(error)(op.call, host_xp, values, attrs)


def run_checks(op: Op, values: Sequence[Value], attrs: Attrs) -> None:
    """Raise InvalidArgumentError for the first check of the record that fails."""
    args = op.group(values, attrs)
    for check in op.checks:
        for ok, message in quietly(check, host_xp, attrs, *args):
            if not ok:
                raise errors.InvalidArgumentError(None, None, message(*args) if callable(message) else message)


def translate(op: Op, inputs: Sequence[EagerTensor], attrs: Attrs, error: Exception) -> Exception:
    """The TensorFlow error for a kernel that failed: the shape rule usually has the better message."""
    if isinstance(error, UnicodeDecodeError):  # a name that is not valid UTF-8
        return error
    wrong = wrong_attribute(op, attrs, error)
    if wrong is not None:
        return TypeError(wrong)
    kind, message = described(op, lambda: NodeFacts.of_eager(op, inputs, attrs), error)
    return kind(None, None, f"{message} [Op:{op.name}] name: ")


def _mixed_dtypes(op: Op, inputs: Sequence[Tensor], i: int, j: int) -> Exception:
    return mixed_dtypes(op.name, j, inputs[i]._dtype, inputs[j]._dtype)


def _refused_dtype(op: Op, inputs: Sequence[Tensor], place: int) -> Exception:
    arg = op.definition.inputs[place]
    got = short_name(inputs[place]._dtype)
    if arg.type is not None:
        return mixed_dtypes(
            op.name, place % len(inputs), dtypes.as_dtype(arg.type), inputs[place]._dtype
        )
    allowed = ", ".join(
        short_name(dtypes.as_dtype(a)) for a in op.definition.attrs[arg.type_attr or ""].allowed or ()
    )
    return errors.InvalidArgumentError(
        None, None,
        f"Value for attr '{arg.type_attr}' of {got} is not in the list of allowed values: "
        f"{allowed} [Op:{op.name}] name: ",
    )
