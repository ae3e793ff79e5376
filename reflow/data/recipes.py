"""How a dataset was created (`engine/recipes.py`), under TensorFlow's private names."""

from __future__ import annotations

from typing import Any

from reflow.api.call import call
from reflow.core.tensor import EagerTensor
from reflow.data import structure
from reflow.data.base import Family
from reflow.data.engine import external_state
from reflow.data.engine.recipes import made_again
from reflow.function.function import function
from reflow.graph.clone import graphs_in


class RecipeMethods(Family):
    """Methods of all datasets."""

    @property
    def _flat_structure(self) -> dict[str, Any]:
        """The attributes of a dataset op that say what its elements are."""
        return structure.type_attrs(self.element_spec)

    def _functions(self) -> list[Any]:
        """The graphs of the functions that this dataset, not its inputs, calls."""
        variant = self._variant_tensor
        made = variant._value.recipe if isinstance(variant, EagerTensor) else variant.op
        return [] if made is None else graphs_in(made.attrs)

    def __debug_string__(self) -> str:
        """The dataset and those it reads, a line for each."""
        return "\n".join(_lines(self, 0))

    def _trace_variant_creation(self) -> Any:
        """A concrete function without arguments that makes this dataset's variant."""
        if not isinstance(self._variant_tensor, EagerTensor):
            raise NotImplementedError(
                "Constructing a tf.function that reproduces a given dataset is only supported for "
                "datasets created eagerly."
            )
        value = self._variant_tensor._value
        return function(lambda: made_again(value, {}), input_signature=[]).get_concrete_function()

    def _as_serialized_graph(
        self, stateful_whitelist: Any = None, allow_stateful: Any = None, strip_device_assignment: Any = None,
        external_state_policy: Any = None,
    ) -> Any:
        """The graph that makes this dataset, as the bytes of a GraphDef in a string tensor.

        `external_state_policy` says what happens if functions of the pipeline use state outside of it. `allow_stateful`
        and `stateful_whitelist` are older forms of it.
        """
        stripped = {"strip_device_assignment": bool(strip_device_assignment)}
        if external_state_policy is not None:
            return call(
                "DatasetToGraphV2", (self._variant_tensor,),
                {"external_state_policy": external_state_policy.value, **stripped},
            )
        if strip_device_assignment is not None:
            allowed = {"allow_stateful": bool(allow_stateful), "stateful_whitelist": list(stateful_whitelist or ())}
            return call("DatasetToGraph", (self._variant_tensor,), {**allowed, **stripped})
        return call(
            "DatasetToGraphV2", (self._variant_tensor,), {"external_state_policy": external_state.WARN, **stripped}
        )


def _lines(dataset: Any, depth: int) -> list[str]:
    return [
        "-" * 2 * depth + repr(dataset), *(line for source in dataset._inputs() for line in _lines(source, depth + 1))
    ]
