"""`tf.TensorArray`: an indexed list of tensors, on top of a `TensorList` variant.

It is functional: `ta = ta.write(i, x)` returns the new array. In eager code and in graphs the data is one variant
tensor, the *flow*, which loops carry.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

from reflow.api.export import export, with_sections
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError, OutOfRangeError
from reflow.core.logging import logger
from reflow.core.shapes import TensorShape, compatible, dims_of, is_fully_known, merge
from reflow.core.specs import TensorSpec, TypeSpec, register_spec_maker, type_spec_from_value
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run


def _shape_operand(dims):
    return constant(-1) if dims is None else constant([-1 if d is None else d for d in dims], dtypes.int32)


def _integer(value):
    """An index, length or size.

    Eager arrays take integers of any kind; in a graph the ops insist on int32, as in TensorFlow.
    """
    tensor = convert_to_tensor(value, dtype_hint=dtypes.int32)
    if state.graph is not None or tensor._dtype is dtypes.int32:
        return tensor
    if not tensor._dtype.is_integer:
        raise TypeError(f"list indices must be integers or slices, not numpy.{tensor._dtype.name}")
    return run("Cast", tensor, DstT=dtypes.int32)


_WRITING = """\
Args:
  value: A tensor of the array's dtype.
  name: Has no effect.

Returns:
  A `TensorArray`. In a graph only this one has the new elements; in eager code it is the array itself.
"""


@export("TensorArray")
class TensorArray:
    """A list of tensors that loops can write to and read from.

    Args:
      dtype: The dtype of the elements.
      size: The number of elements; needed unless there is a `flow`.
      dynamic_size: Whether writing beyond the end makes it longer; False by default.
      clear_after_read: Whether an element can be read only once in eager code; True by default.
      tensor_array_name: Has no effect.
      handle: Has no effect.
      flow: The variant tensor of another array, to share its elements.
      infer_shape: Whether all elements must have the shape of the first that is written.
      element_shape: The shape of the elements, as far as it is known.
      colocate_with_first_write_call: Has no effect.
      name: Has no effect.

    Raises:
      ValueError: There is neither a `size` nor a `flow`.

    >>> ta = tf.TensorArray(tf.float32, size=2)
    >>> ta = ta.write(0, 1.0).write(1, 2.0)
    >>> ta.stack().numpy().tolist()
    [1.0, 2.0]
    """

    _is_tensor_array = True
    _is_composite = True  # of one component, the flow: functions take arrays and return them

    def __init__(
        self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
        flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None,
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
            self._flow = run("TensorListReserve", dims, _integer(size), element_dtype=self._dtype)

    _type_spec = property(lambda self: _spec_of(self))
    dtype = property(lambda self: self._dtype)
    flow = property(lambda self: self._flow)
    handle = property(lambda self: None)
    dynamic_size = property(lambda self: self._dynamic)
    element_shape = property(lambda self: TensorShape._of(self._dims))

    def with_flow(self, flow) -> TensorArray:
        """This array around another variant tensor."""
        other = TensorArray(
            self._dtype, self._size, self._dynamic, None, flow=flow, infer_shape=self._infer,
            element_shape=TensorShape._of(self._dims),
        )
        other._clear = self._clear
        other._cleared = self._cleared
        return other

    def identity(self) -> TensorArray:
        """The same array, as the result of an op."""
        return self.with_flow(run("Identity", self._flow))

    def grad(self, source, flow=None, name=None):
        """Raises: gradients flow through the array's own ops."""
        raise NotImplementedError("TensorArray.grad is not supported: gradients flow through the array's own ops.")

    def size(self, name=None):
        """Counts the elements.

        Args:
          name: Has no effect.

        Returns:
          An int32 scalar.
        """
        return run("TensorListLength", self._flow)

    def _note_shape(self, dims):
        """Learn the element shape from a write, if shapes are to be inferred."""
        if not compatible(self._dims, dims):
            saw, expected = TensorShape(dims), TensorShape(self._dims)
            if state.graph is None:
                raise ValueError(f"Incompatible shape for value ({saw}), expected ({expected})")
            raise ValueError(f"Inconsistent shapes: saw {saw} but expected {expected} ")
        if self._infer:
            self._dims = merge(self._dims, dims)

    @with_sections(_WRITING)
    def write(self, index, value, name=None) -> TensorArray:
        """Writes an element.

        Args:
          index: The place, an integer.

        Raises:
          OutOfRangeError: An index is out of bounds, in eager code, and the array cannot grow.
          ValueError: The shape differs from that of the elements, where it is known.
        """
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value._dtype is not self._dtype and state.graph is None:
            raise _dtype_error(self, value)
        index = _integer(index)
        self._note_shape(value.shape._dims)
        self._check_bounds(index)
        flow = run(
            "TensorListSetItem",
            self._flow,
            index,
            value,
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
            if at < 0:
                raise OutOfRangeError(None, None, f"Writing to negative indices (index {at}) is not allowed.")
            if at >= size and not self._dynamic:
                what = f"Tried to write to index {at} but array is not resizeable and size is: {size} "
                raise OutOfRangeError(None, None, what)

    def read(self, index, name=None):
        """Reads an element.

        Args:
          index: The place, an integer.
          name: Has no effect.

        Returns:
          A tensor; zeros where nothing was written.

        Raises:
          OutOfRangeError: The index is out of bounds, in eager code.
          InvalidArgumentError: The element was read before, in eager code with `clear_after_read`.
        """
        index = _integer(index)
        if state.graph is None:
            self._check_read(int(index))
        element = run("TensorListGetItem", self._flow, index, _shape_operand(self._dims), element_dtype=self._dtype)
        if state.graph is None and self._clear:
            self._cleared.add(int(index))
        return element

    def _check_read(self, at):
        items = self._flow._value.items
        if at < 0:
            raise OutOfRangeError(None, None, f"Reading from negative indices (index {at}) is not allowed.")
        if at >= len(items):
            raise OutOfRangeError(None, None, f"Tried to read from index {at} but array size is: {len(items)} ")
        if at in self._cleared:
            raise InvalidArgumentError(
                None, None,
                f"Could not read index {at} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)",
            )
        self._check_written([items[at]])

    def _check_written(self, items):
        """An eager element that was never written is zeros, of a shape that must be known."""
        if any(item is None for item in items) and not is_fully_known(merge(self._dims, self._flow._value.dims)):
            raise ValueError(f"Cannot convert a partially known TensorShape {TensorShape(self._dims)} to a Tensor.")

    def stack(self, name=None):
        """Stacks all elements along a new first axis.

        Args:
          name: Has no effect.

        Returns:
          A tensor; zeros where nothing was written.

        Raises:
          ValueError: An element was not written and the shape is not known, in eager code.
        """
        count = -1
        if state.graph is None:
            items = self._flow._value.items
            if not items and not is_fully_known(self._dims):
                return convert_to_tensor([], self._dtype)  # TensorFlow's choice where nothing is known
            self._check_written(items)
        elif not self._dynamic and self._size is not None:
            static = self._size if isinstance(self._size, int) else getattr(self._size, "_static", None)
            count = static if isinstance(static, int) else -1
        return run(
            "TensorListStack", self._flow, _shape_operand(self._dims), element_dtype=self._dtype, num_elements=count
        )

    def gather(self, indices, name=None):
        """Stacks some elements along a new first axis.

        Args:
          indices: The places, a vector of integers.
          name: Has no effect.

        Returns:
          A tensor of shape `[len(indices)] + element_shape`.

        Raises:
          ValueError: An element was not written and the shape is not known, in eager code.
        """
        indices = _integer(indices)
        if state.graph is None:
            items = self._flow._value.items
            places = [list(range(len(items)))[i] for i in indices._host().tolist()]  # from the end, as in Python
            if not places and not is_fully_known(self._dims):
                return convert_to_tensor([], self._dtype)
            self._check_written([items[i] for i in places])
            indices = constant(places, dtypes.int32)
        return run("TensorListGather", self._flow, indices, _shape_operand(self._dims), element_dtype=self._dtype)

    def concat(self, name=None):
        """Joins all elements along their first axis.

        Args:
          name: Has no effect.

        Returns:
          A tensor of the rank of the elements.

        Raises:
          ValueError: An element was not written and the shape is not known, in eager code.
        """
        if state.graph is None:
            self._check_written(self._flow._value.items)
        dims = None if self._dims is None else (None, *self._dims[1:])
        leading = constant([], dtypes.int64)
        return run("TensorListConcatV2", self._flow, _shape_operand(dims), leading, element_dtype=self._dtype)[0]

    @with_sections(_WRITING)
    def unstack(self, value, name=None) -> TensorArray:
        """Replaces all elements by the slices of a tensor along its first axis.

        Raises:
          TypeError: The dtype is another.
          ValueError: There are more slices than elements, in eager code, and the array cannot grow; or the shapes
            differ.
        """
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value._dtype is not self._dtype:
            raise TypeError(
                f"Tensor dtype {value._dtype.name} does not match the TensorArray's dtype {self._dtype.name}."
            )
        dims = value.shape._dims
        if dims == () and state.graph is None:
            raise ValueError("Argument `axis` = 0 not in range [0, 0)")
        self._check_length(dims)
        self._note_shape(None if dims is None else dims[1:])
        flow = run(
            "TensorListFromTensor", value, _shape_operand(None if dims is None else dims[1:]),
            element_dtype=self._dtype,
        )
        return self._with(flow)

    def _check_length(self, dims):
        """In eager code, an array that cannot grow rejects more tensors than its size."""
        if state.graph is None and not self._dynamic and dims and dims[0] > len(self._flow._value.items):
            raise ValueError(
                f"Cannot unstack {dims[0]} tensors into a TensorArray of static size {len(self._flow._value.items)} "
            )

    def _with(self, flow):
        if state.graph is None:
            self._flow, self._cleared = flow, set()
            return self
        return self.with_flow(flow)

    @with_sections(_WRITING)
    def scatter(self, indices, value, name=None) -> TensorArray:
        """Writes the slices of a tensor along its first axis.

        Args:
          indices: Their places, a vector of integers.

        Raises:
          OutOfRangeError: An index is out of bounds, in eager code, and the array cannot grow.
        """
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        indices = _integer(indices)
        dims = value.shape._dims
        self._note_shape(None if dims is None else dims[1:])
        if state.graph is None:
            for i in indices._host():
                self._check_bounds(i)
        return self._with(
            run("TensorListScatterIntoExistingList", self._flow, value, indices, element_dtype=self._dtype)
        )

    @with_sections(_WRITING)
    def split(self, value, lengths, name=None) -> TensorArray:
        """Replaces all elements by consecutive pieces of a tensor.

        Args:
          value: A tensor of the array's dtype with at least one axis.
          lengths: The lengths of the pieces, a vector of integers.

        Raises:
          InvalidArgumentError: The lengths do not sum up to the size, or are not as many as there are elements, in
            eager code.
        """
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        lengths = convert_to_tensor(lengths)
        dims = value.shape._dims
        dims = None if dims is None else (None, *dims[1:])
        self._dims = dims if self._dims is None else self._dims
        if state.graph is None:
            self._check_pieces(value, lengths._host())
        if lengths._dtype is not dtypes.int64:
            lengths = run("Cast", lengths, DstT=dtypes.int64)
        return self._with(
            run("TensorListSplit", value, _shape_operand(dims), lengths, element_dtype=self._dtype)
        )

    def _check_pieces(self, value, lengths):
        size, dims = len(self._flow._value.items), list(value.shape)
        if lengths.ndim != 1:
            what = f"Expected lengths to be a vector, received shape: {list(lengths.shape)} "
        elif not dims:
            what = "Expected value to be at least a vector, but received shape: [] "
        elif lengths.sum() != dims[0]:
            what = (
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{lengths.sum()} and value's shape is: {dims} "
            )
        elif lengths.size != size and not self._dynamic:
            what = (
                f"TensorArray's size is not equal to the size of lengths ({size} vs. {lengths.size}), and the "
                "TensorArray is not marked as dynamically resizeable."
            )
        else:
            return
        raise InvalidArgumentError(None, None, what)

    def close(self, name=None):
        """Does nothing: memory is freed when nothing refers to it."""
        return None

    def __repr__(self):
        return f"<TensorArray of {self._dtype.name}, element shape {TensorShape(self._dims)}>"


class _Written(TensorArray):
    """The result of an eager `write`: the same array under a second name, which warns if it is unused.

    In a function the result is the only array with the new element, so that who drops it loses the write. The first use
    makes it an ordinary TensorArray.
    """

    def __getattribute__(self, name):
        if not name.startswith("__"):
            self.__class__ = TensorArray  # type: ignore[assignment]  # from now on it is an ordinary one
        return object.__getattribute__(self, name)

    def __del__(self):
        if type(self) is _Written and sys is not None and not sys.is_finalizing():
            where = "".join(traceback.format_stack(sys._getframe(1), 1))
            logger.error(
                f"==================================\nObject was never used (type {TensorArray}):\n"
                f"{object.__repr__(self)}\n"
                'If you want to mark it as used call its "mark_used()" method.\nIt was originally created here:\n'
                f'{where}'
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
    return TensorArraySpec.from_value(value) if isinstance(value, TensorArray) else None


@export("TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """The spec of a `tf.TensorArray`, for signatures of functions.

    Args:
      element_shape: The shape of the elements, as far as it is known.
      dtype: The dtype of the elements.
      dynamic_size: Whether writing beyond the end makes the array longer.
      infer_shape: Whether all elements must have the shape of the first that is written.

    >>> tf.TensorArraySpec([2], tf.float32).value_type is tf.TensorArray
    True
    """

    __slots__ = ("_element_shape", "_dtype", "_dynamic", "_infer")
    value_type = TensorArray

    def __init__(self, element_shape=None, dtype: Any = dtypes.float32, dynamic_size=False, infer_shape=True):
        self._element_shape, self._dtype = TensorShape(element_shape), dtypes.as_dtype(dtype)
        self._dynamic, self._infer = dynamic_size, infer_shape

    @staticmethod
    def from_value(value) -> TensorArraySpec:
        """The spec of a TensorArray."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`.")
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer)

    def is_compatible_with(self, other) -> bool:
        """Whether a TensorArray, or all of another spec, fit this spec; elements' shapes as far as both know them."""
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype.is_compatible_with(other._dtype)
            and self._element_shape.is_compatible_with(other._element_shape)
            and self._dynamic == other._dynamic
        )

    def _serialize(self):
        return (self._element_shape, self._dtype, self._dynamic, self._infer)

    @property
    def _component_specs(self):
        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value):
        return [value.flow]

    def _from_components(self, components):
        return TensorArray(
            self._dtype, dynamic_size=self._dynamic, flow=components[0], infer_shape=self._infer,
            element_shape=self._element_shape,
        )


_ = nest
