"""`DVariable`: a variable on a mesh. Its layout is that of its initial value; assigned values are converted to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.distribute.dtensor.layout import Layout
from reflow.distribute.dtensor.operations import default_mesh, relayout
from reflow.distribute.dtensor.tensor import DTensor
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


@export("experimental.dtensor.DVariable")
class DVariable(Variable):
    """A variable on a mesh.

    Args:
      initial_value: a DTensor, whose layout the variable gets; with `layout`, anything that `tf.convert_to_tensor`
        takes, or a function without arguments that returns one.
      *args: as in `tf.Variable`.
      dtype: the elements' type.
      **kwargs: as in `tf.Variable`; `layout` is the variable's layout.

    Raises:
      InvalidArgumentError: there is neither a layout nor a DTensor, or they do not agree.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> v = tf.experimental.dtensor.DVariable([1.0, 2.0], layout=tf.experimental.dtensor.Layout(["x"], mesh))
    >>> v.assign_add(v).numpy()
    array([2., 4.], dtype=float32)
    """

    def __init__(self, initial_value: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> None:
        layout: Layout | None = kwargs.pop("layout", None)
        kwargs["dtype"] = dtype
        value = convert_to_tensor(initial_value() if callable(initial_value) else initial_value, dtype=dtype)
        self._save_as_bf16 = False
        if state.graph is not None:
            super().__init__(value if layout is None else relayout(value, layout), *args, **kwargs)
            return
        if isinstance(value, DTensor):
            if layout is not None and layout != value.layout:
                message = (
                    f"Conflicting layout are provided for initial value layout ({value.layout}) and variable "
                    f"({layout})."
                )
                raise errors.InvalidArgumentError(None, None, message)
            layout = value.layout
        elif layout is None:
            raise errors.InvalidArgumentError(None, None, "Neither layout nor DTensor initial value are provided.")
        self.layout = layout
        with default_mesh(layout.mesh):
            super().__init__(relayout(value, layout), *args, **kwargs)

    @property
    def save_as_bf16(self) -> bool:
        """Whether a checkpoint has it as `bfloat16`; only a variable of `float32` can be."""
        return self._save_as_bf16

    @save_as_bf16.setter
    def save_as_bf16(self, save_as_bf16: bool) -> None:
        self._save_as_bf16 = save_as_bf16 and self.dtype is dtypes.float32

    #: what the variable is in a checkpoint
    stored_dtype = property(lambda self: dtypes.bfloat16 if self._save_as_bf16 else self.dtype)

    def numpy(self) -> Any:
        """The value as an array. UnimplementedError if it is divided."""
        return self.read_value().numpy()

    def __repr__(self) -> str:
        if state.graph is not None and state.graph.building_function:
            return super().__repr__()
        return (
            f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, "
            f"value={self.read_value().described()}>"
        )

    def _written(self) -> Any:
        view = object.__new__(UnreadDVariable)
        view.__dict__ = self.__dict__
        return view

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        value = self.read_value()
        return {
            "VARIABLE_VALUE": run("Cast", value, DstT=dtypes.bfloat16, Truncate=False) if self._save_as_bf16 else value
        }

    def _restore_from_tensors(self, tensors: dict[str, Tensor]) -> None:
        value = tensors["VARIABLE_VALUE"]
        self.assign(run("Cast", value, DstT=self.dtype, Truncate=False) if value.dtype is not self.dtype else value)


class UnreadDVariable(DVariable):
    """What `assign` returns: the variable itself, printed as `UnreadVariable`."""

    name = property(lambda self: "UnreadVariable")


@export("experimental.dtensor.enable_save_as_bf16")
def enable_save_as_bf16(variables: Iterable[Variable]) -> None:
    """Has the variables on meshes among these saved and restored as `bfloat16`.

    Args:
      variables: Variables; those on no mesh are left alone.

    Returns:
      None.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> v = tf.experimental.dtensor.DVariable(1.0, layout=tf.experimental.dtensor.Layout([], mesh))
    >>> tf.experimental.dtensor.enable_save_as_bf16([v]); v.save_as_bf16
    True
    """
    for v in variables:
        if isinstance(v, DVariable):
            v.save_as_bf16 = True
