"""`AtomicFunction`: the graph function behind a trace, without gradients.

Callers pass the captured tensors themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core.tensor import Tensor
from reflow.core.types import Proto, Structure

if TYPE_CHECKING:
    from reflow.function.concrete import ConcreteFunction


#: the definitions of a function's callees, by its name, once its own definition was requested: TensorFlow's context
#: holds all functions
callees: dict[str, list[Proto]] = {}


class AtomicFunction:
    """The graph function of a `ConcreteFunction` (`inference_fn`); `tf.types.experimental.AtomicFunction`.

    Args:
      concrete: The trace.

    >>> w = tf.Variable(2.0)
    >>> f = tf.function(lambda x: x * w).get_concrete_function(tf.TensorSpec([])).inference_fn
    >>> float(f.call_with_captures((tf.constant(3.0),), {}, [tf.Variable(5.0).handle]))
    15.0
    """

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    concrete = property(lambda self: self._concrete, doc="The trace.")
    name = property(lambda self: self._concrete.name)
    function_type = property(lambda self: self._concrete.function_type)
    graph = property(lambda self: self._concrete.graph)
    definition = property(lambda self: self._concrete.function_def, doc="The FunctionDef proto.")

    cached_definition = definition

    def __call__(self, *args: Any, **kwargs: Any) -> Structure:
        """Calls a function that has no captures.

        Args:
          *args: The positional arguments.
          **kwargs: The keyword arguments.

        Returns:
          What the function returns.

        Raises:
          ValueError: It has captures.
        """
        if self.function_type.captures:
            raise ValueError(
                "The FunctionType defines captured inputs. Use call_with_captures instead to pass the captured tensors."
            )
        return self.call_with_captures(args, kwargs, [])

    def call_with_captures(self, args: Sequence[Any], kwargs: dict[str, Any], captures: Sequence[Tensor]) -> Structure:
        """Calls the function with other tensors in place of the captures.

        Args:
          args: The positional arguments.
          kwargs: The keyword arguments.
          captures: Tensors in place of the captures.

        Returns:
          What the function returns.
        """
        tensors = self._concrete._flat_arguments(args, kwargs)
        return self._concrete.pack(self._concrete.run_flat([*tensors, *captures]))

    def call_flat(self, *args: Tensor) -> Sequence[Tensor]:
        """Calls the function on the flat list of all inputs.

        Args:
          *args: Tensors, captures last.

        Returns:
          The flat list of results.
        """
        return self._concrete.run_flat(args)

    def __repr__(self) -> str:
        return (
            f"AtomicFunction(name={self.name!r},\nbound_context=the process,\nfunction_type={self.function_type!r},\n"
            f"children=[],\ncall_options=CallOptions(),\ncached_graph={self.graph!r})"
        )

    def __str__(self) -> str:
        return f"<AtomicFunction> {self._concrete.function_name}{self.function_type}"
