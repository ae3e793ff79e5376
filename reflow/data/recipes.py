"""How a dataset was made: the ops, and the same ops again in another graph.

A dataset remembers the op that made it with its inputs and attributes, its *recipe* (`DatasetV2._recipe`). What only this process has (a Python
generator, a variable, a table) cannot be made again elsewhere.
"""

from __future__ import annotations

from typing import Any

from reflow.api.call import call
from reflow.core import dtypes, errors
from reflow.core.tensor import EagerTensor, HostObject
from reflow.data import structure
from reflow.data.base import Family, static_value
from reflow.data.engine import external_state
from reflow.graph.clone import graphs_in
from reflow.ops.convert import constant


def made_again(dataset: Any, made: dict[int, Any]) -> Any:
    """The variant of a dataset, made by the same ops in the graph that is being built. `made` holds those of its inputs, by their ids."""
    key = id(dataset._variant_tensor)
    if key in made:
        return made[key]
    for parent in dataset._parents:
        made_again(parent, made)
    if key not in made:
        if dataset._recipe is None:
            raise errors.UnimplementedError(None, None, f"{dataset!r} cannot be sent to another process: nobody knows how it was made.")
        op, inputs, attrs = dataset._recipe
        made[key] = call(op, [_input(t, made) for t in inputs], attrs)
    return made[key]


def _input(tensor: Any, made: dict[int, Any]) -> Any:
    if id(tensor) in made:
        return made[id(tensor)]
    if isinstance(tensor, EagerTensor):
        if isinstance(tensor._value, HostObject):
            if type(tensor._value).__name__ == "Dummy":
                return call("DummySeedGenerator", ())
            raise errors.UnimplementedError(
                None, None, f"A pipeline that holds a {type(tensor._value).__name__} cannot be sent to another process."
            )
        return constant(tensor.numpy(), tensor.dtype)
    known = static_value(tensor)
    return tensor if known is None else constant(known, tensor.dtype)


class RecipeMethods(Family):
    """What a dataset tells about how it was made, under TensorFlow's private names."""

    _recipe: Any

    @property
    def _flat_structure(self) -> dict[str, Any]:
        """The attributes of a dataset op that say what its elements are."""
        return structure.type_attrs(self.element_spec)

    def _functions(self) -> list[Any]:
        """The graphs of the functions that this dataset, not its inputs, calls."""
        return [] if self._recipe is None else graphs_in(self._recipe[2])

    def __debug_string__(self) -> str:
        """The dataset and those it reads, a line for each."""
        return "\n".join(_lines(self, 0))

    def _trace_variant_creation(self) -> Any:
        """A concrete function without arguments that makes this dataset's variant."""
        from reflow.function.function import function

        if not isinstance(self._variant_tensor, EagerTensor):
            raise NotImplementedError(
                "Constructing a tf.function that reproduces a given dataset is only supported for datasets created eagerly."
            )
        return function(lambda: made_again(self, {}), input_signature=[]).get_concrete_function()

    def _as_serialized_graph(
        self, stateful_whitelist: Any = None, allow_stateful: Any = None, strip_device_assignment: Any = None,
        external_state_policy: Any = None,
    ) -> Any:
        """The graph that makes this dataset, as the bytes of a GraphDef in a string tensor.

        `external_state_policy` says what happens if functions of the pipeline use state outside of it. The other arguments are
        TensorFlow's older forms of it.
        """
        from reflow.function.function import function

        value = getattr(self._variant_tensor, "_value", None)
        if value is not None and external_state_policy is not None:
            external_state.check(value, external_state_policy.value)
        graph = function(lambda: made_again(self, {}), input_signature=[]).get_concrete_function().graph
        return constant(graph.as_graph_def().SerializeToString(), dtypes.string)


def _lines(dataset: Any, depth: int) -> list[str]:
    return ["-" * 2 * depth + repr(dataset), *(line for source in dataset._inputs() for line in _lines(source, depth + 1))]
