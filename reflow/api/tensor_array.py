"""`tf.TensorArray`: a list of tensors with indices, over a `TensorList` variant.

It is functional: `ta = ta.write(i, x)` returns the new array. In eager code and graphs alike the data is one variant
tensor, the *flow*,
which loops carry.
"""

from __future__ import annotations

import sys
import traceback

from reflow.api.export import export
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError, OutOfRangeError
from reflow.core.logging import logger
from reflow.core.shapes import TensorShape, compatible, dims_of, is_fully_known, merge
from reflow.core.specs import TypeSpec, register_spec_maker
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.door import dispatch


def _call(name, inputs, **attrs):
    return dispatch(registry.get(name), inputs, attrs)


def _shape_operand(dims):
    return constant(-1) if dims is None else constant([-1 if d is None else d for d in dims], dtypes.int32)


@export("TensorArray")
class TensorArray:
    """A list of tensors that loops can write to and read from.

    >>> import reflow as tf
    >>> ta = tf.TensorArray(tf.float32, size=2)
    >>> ta = ta.write(0, 1.0).write(1, 2.0)
    >>> ta.stack().numpy().tolist()
    [1.0, 2.0]
    """

    _is_tensor_array = True
    _is_composite = True  # of one component, the flow: functions take arrays and return them

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._infer = infer_shape
        self._dims = dims_of(element_shape)
        self._size = size
        self._clear = state.graph is None and clear_after_read in (None, True)
        self._cleared: set = set()
        if flow is not None:
            self._flow = flow
        elif size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
                if state.graph is None
                else "Argument `size` must be provided if argument `flow` is not provided."
            )
        else:
            dims = _shape_operand(self._dims)
            self._flow = _call(
                "TensorListReserve", (dims, convert_to_tensor(size, dtypes.int32)), element_dtype=self._dtype
            )

    _type_spec = property(lambda self: _spec_of(self))
    dtype = property(lambda self: self._dtype)
    flow = property(lambda self: self._flow)
    handle = property(lambda self: None)
    dynamic_size = property(lambda self: self._dynamic)
    element_shape = property(lambda self: TensorShape._of(self._dims))

    def with_flow(self, flow) -> TensorArray:
        """This array around another variant tensor."""
        other = TensorArray(
            self._dtype,
            self._size,
            self._dynamic,
            None,
            flow=flow,
            infer_shape=self._infer,
            element_shape=TensorShape._of(self._dims),
        )
        other._clear = self._clear
        other._cleared = self._cleared
        return other

    def identity(self) -> TensorArray:
        return self.with_flow(_call("Identity", (self._flow,)))

    def grad(self, source, flow=None, name=None):
        raise NotImplementedError("TensorArray.grad is not supported: gradients flow through the array's own ops.")

    def size(self, name=None):
        """How many elements it has."""
        return _call("TensorListLength", (self._flow,))

    def _note_shape(self, dims):
        """Learn the element shape from a write, if shapes are to be inferred."""
        if not compatible(self._dims, dims):
            raise ValueError(f"Inconsistent shapes: saw {TensorShape(dims)} but expected {TensorShape(self._dims)} ")
        if self._infer:
            self._dims = merge(self._dims, dims)

    def write(self, index, value, name=None) -> TensorArray:
        """The array with `value` at `index`."""
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value._dtype is not self._dtype and state.graph is None:
            raise _dtype_error(self, value)
        index = convert_to_tensor(index, dtypes.int32)
        self._note_shape(value.shape._dims)
        if not self._dynamic:
            self._check_bounds(index)
        flow = _call(
            "TensorListSetItem",
            (self._flow, index, value),
            element_dtype=value._dtype,  # of another dtype than the array's, it fails when it runs
            resize_if_index_out_of_bounds=self._dynamic,
        )
        if state.graph is None:  # eager arrays remember writes themselves, as in TensorFlow
            self._cleared.discard(int(index))
            self._flow = flow
            return _written(self)
        return self.with_flow(flow)

    def mark_used(self):
        """Say that this array may be dropped: see `_Written`."""

    def _check_bounds(self, index):
        if state.graph is None:
            at, size = int(index), len(self._flow._value.items)
            if not 0 <= at < size:
                what = f"Tried to write to index {at} but array is not resizeable and size is: {size} "
                raise OutOfRangeError(None, None, what)

    def read(self, index, name=None):
        """The element at `index`."""
        index = convert_to_tensor(index, dtypes.int32)
        if state.graph is None:
            self._check_read(int(index))
        element = _call("TensorListGetItem", (self._flow, index, _shape_operand(self._dims)), element_dtype=self._dtype)
        if state.graph is None and self._clear:
            self._cleared.add(int(index))
        return element

    def _check_read(self, at):
        items = self._flow._value.items
        if not 0 <= at < len(items):
            raise OutOfRangeError(None, None, f"Tried to read from index {at} but array size is: {len(items)} ")
        if at in self._cleared:
            raise InvalidArgumentError(
                None,
                None,
                f"Could not read index {at} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)",
            )
        if items[at] is None and not is_fully_known(merge(self._dims, self._flow._value.dims)):
            raise ValueError(f"Cannot convert a partially known TensorShape {TensorShape(self._dims)} to a Tensor.")

    def stack(self, name=None):
        """All elements as one tensor."""
        if state.graph is None and not self._flow._value.items and not is_fully_known(self._dims):
            return convert_to_tensor([], self._dtype)  # TensorFlow's choice where nothing is known
        count = self._size if isinstance(self._size, int) and not self._dynamic else -1
        if count < 0 and not self._dynamic and self._size is not None:
            static = getattr(self._size, "_static", None)
            count = static if isinstance(static, int) else -1
        return _call(
            "TensorListStack", (self._flow, _shape_operand(self._dims)), element_dtype=self._dtype, num_elements=count
        )

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor."""
        return _call(
            "TensorListGather",
            (self._flow, convert_to_tensor(indices, dtypes.int32), _shape_operand(self._dims)),
            element_dtype=self._dtype,
        )

    def concat(self, name=None):
        """All elements joined along their first axis."""
        dims = None if self._dims is None else (None, *self._dims[1:])
        leading = constant([], dtypes.int64)
        return _call("TensorListConcatV2", (self._flow, _shape_operand(dims), leading), element_dtype=self._dtype)[0]

    def unstack(self, value, name=None) -> TensorArray:
        """An array of the slices of `value` along its first axis."""
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value._dtype is not self._dtype:
            raise TypeError(
                f"Tensor dtype {value._dtype.name} does not match the TensorArray's dtype {self._dtype.name}."
            )
        dims = value.shape._dims
        self._check_length(dims)
        self._note_shape(None if dims is None else dims[1:])
        flow = _call(
            "TensorListFromTensor",
            (value, _shape_operand(None if dims is None else dims[1:])),
            element_dtype=self._dtype,
        )
        return self._with(flow)

    def _check_length(self, dims):
        """In eager code an array that cannot grow refuses more tensors than it has places."""
        if state.graph is None and not self._dynamic and dims and dims[0] > len(self._flow._value.items):
            raise ValueError(
                f"Cannot unstack {dims[0]} tensors into a TensorArray of static size {len(self._flow._value.items)} "
            )

    def _with(self, flow):
        if state.graph is None:
            self._flow, self._cleared = flow, set()
            return self
        return self.with_flow(flow)

    def scatter(self, indices, value, name=None) -> TensorArray:
        """The array with the slices of `value` at `indices`."""
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        indices = convert_to_tensor(indices, dtypes.int32)
        dims = value.shape._dims
        self._note_shape(None if dims is None else dims[1:])
        if state.graph is None and not self._dynamic:
            for i in indices._host():
                self._check_bounds(i)
        return self._with(
            _call(
                "TensorListScatterIntoExistingList",
                (self._flow, value, indices),
                element_dtype=self._dtype,
            )
        )

    def split(self, value, lengths, name=None) -> TensorArray:
        """An array of consecutive pieces of `value`."""
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        lengths = convert_to_tensor(lengths, dtypes.int64)
        dims = value.shape._dims
        dims = None if dims is None else (None, *dims[1:])
        self._dims = dims if self._dims is None else self._dims
        if state.graph is None:
            self._check_pieces(lengths._host().size)
        return self._with(
            _call(
                "TensorListSplit",
                (value, _shape_operand(dims), lengths),
                element_dtype=self._dtype,
            )
        )

    def _check_pieces(self, count):
        size = len(self._flow._value.items)
        if count != size and not self._dynamic:
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray's size is not equal to the size of lengths ({size} vs. {count}), and the TensorArray is not marked as "
                "dynamically resizeable.",
            )

    def close(self, name=None):
        return None

    def __repr__(self):
        return f"<TensorArray of {self._dtype.name}, element shape {TensorShape(self._dims)}>"


class _Written(TensorArray):
    """What an eager `write` returns: the same array under a second name, which complains if nobody uses it.

    In a function the result is the only array with the new element, so that who drops it loses the write. The first use
    makes it an ordinary TensorArray.
    """

    def __getattribute__(self, name):
        if not name.startswith("__"):
            self.__class__ = TensorArray
        return object.__getattribute__(self, name)

    def __del__(self):
        if type(self) is _Written and sys is not None and not sys.is_finalizing():
            where = "".join(traceback.format_stack(sys._getframe(1), 1))
            logger.error(
                f"==================================\nObject was never used (type {TensorArray}):\n{object.__repr__(self)}\n"
                f'If you want to mark it as used call its "mark_used()" method.\nIt was originally created here:\n{where}'
                "=================================="
            )


def _written(array) -> TensorArray:
    view = object.__new__(_Written)
    view.__dict__ = array.__dict__
    return view


def _dtype_error(array, value):
    return InvalidArgumentError(
        None, None, f"TensorArray dtype is {array._dtype.name} but Op is trying to write dtype {value._dtype.name} "
    )


@register_spec_maker
def _spec_of(value):
    if isinstance(value, TensorArray):
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer)
    return None


@export("TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """The spec of a TensorArray."""

    __slots__ = ("_element_shape", "_dtype", "_dynamic", "_infer")
    value_type = TensorArray

    def __init__(self, element_shape=None, dtype=dtypes.float32, dynamic_size=False, infer_shape=True):
        self._element_shape, self._dtype = TensorShape(element_shape), dtypes.as_dtype(dtype)
        self._dynamic, self._infer = dynamic_size, infer_shape

    def _serialize(self):
        return (self._element_shape, self._dtype, self._dynamic, self._infer)

    @property
    def _component_specs(self):
        from reflow.core.specs import TensorSpec

        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value):
        return [value.flow]

    def _from_components(self, components):
        return TensorArray(
            self._dtype,
            dynamic_size=self._dynamic,
            flow=components[0],
            infer_shape=self._infer,
            element_shape=self._element_shape,
        )


_ = nest
