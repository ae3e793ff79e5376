"""`INetworkDefinition`: a network as a list of layers, built by hand or by a parser.

A layer expresses its computation in `tf` functions (`emit`), so the network becomes a function graph on demand: for a
tensor's shape, or for the builder. As in TensorRT, layers may be changed after they were added; the graph is then
rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import reflow as tf
from reflow.engine.enums import DataType, data_type
from reflow.function.tracing import trace_to_graph
from reflow.graph.func_graph import FuncGraph

if TYPE_CHECKING:
    from reflow.engine.layers import Layer
    from reflow.engine.regions import IIfConditional, ILoop, Region


class ITensor:
    """A tensor of a network: an input, or an output of a layer."""

    def __init__(self, network: INetworkDefinition, name: str, layer: Layer | None = None, index: int = 0) -> None:
        self._network, self._layer, self._index = network, layer, index
        self._name = name
        self._declared: tuple[tuple[int, ...], DataType] | None = None
        self.dynamic_range: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name
        self._network.changed()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape; -1 for a length that a call decides."""
        if self._declared is not None:
            return self._declared[0]
        spec = self._network.spec_of(self)
        if spec.shape.rank is None:
            raise ValueError(f"The rank of the tensor {self.name!r} is not known.")
        return tuple(-1 if n is None else n for n in spec.shape.as_list())

    @shape.setter
    def shape(self, shape: Sequence[int]) -> None:
        if self._declared is None:
            raise ValueError(f"{self.name!r} is no input of the network: its shape follows from its layer.")
        self._declared = (tuple(shape), self._declared[1])
        self._network.changed()

    @property
    def dtype(self) -> DataType:
        return self._declared[1] if self._declared is not None else data_type(self._network.spec_of(self).dtype)

    @property
    def is_network_input(self) -> bool:
        return self._declared is not None

    @property
    def is_network_output(self) -> bool:
        return self in self._network.outputs

    def set_dynamic_range(self, low: float, high: float) -> bool:
        """The range of the tensor's values, for INT8 without calibration."""
        self.dynamic_range = (float(low), float(high))
        return True

    def __repr__(self) -> str:
        return f"ITensor({self.name!r})"


class INetworkDefinition:
    """A network. Its methods `add_…` make layers (`layers.py`); `mark_output` says which tensors it gives."""

    def __init__(self, name: str = "network") -> None:
        self.name = name
        self.inputs: list[ITensor] = []
        self.outputs: list[ITensor] = []
        self.layers: list[Layer] = []
        self.regions: list[Region] = []
        self._specs: dict[ITensor, Any] = {}
        self._fresh = 0  # how many layers have specs

    # --- inputs and outputs

    def add_input(self, name: str, dtype: DataType, shape: Sequence[int]) -> ITensor:
        """A new input; -1 in its shape is a length that an optimization profile bounds."""
        if any(t.name == name for t in self.inputs):
            raise ValueError(f"The network has an input {name!r} already.")
        tensor = ITensor(self, name)
        tensor._declared = (tuple(int(n) for n in shape), data_type(dtype))
        self.inputs.append(tensor)
        self.changed()
        return tensor

    def mark_output(self, tensor: ITensor) -> None:
        if tensor not in self.outputs:
            self.outputs.append(tensor)

    def unmark_output(self, tensor: ITensor) -> None:
        self.outputs.remove(tensor)

    num_inputs = property(lambda self: len(self.inputs))
    num_outputs = property(lambda self: len(self.outputs))
    num_layers = property(lambda self: len(self.layers))

    def get_input(self, index: int) -> ITensor:
        return self.inputs[index]

    def get_output(self, index: int) -> ITensor:
        return self.outputs[index]

    def get_layer(self, index: int) -> Layer:
        return self.layers[index]

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, index: int) -> Layer:
        return self.layers[index]

    # --- layers

    def add(self, layer: Layer) -> Layer:
        """Append a layer; what the methods `add_…` do."""
        self.layers.append(layer)
        return layer

    def add_loop(self) -> ILoop:
        """A new loop: its methods add what it needs (`regions.py`)."""
        from reflow.engine.regions import ILoop

        loop = ILoop(self)
        self.regions.append(loop)
        return loop

    def add_if_conditional(self) -> IIfConditional:
        """A new conditional: its methods add what it needs (`regions.py`)."""
        from reflow.engine.regions import IIfConditional

        conditional = IIfConditional(self)
        self.regions.append(conditional)
        return conditional

    def __getattr__(self, name: str) -> Callable[..., Layer]:
        from reflow.engine import layers

        make = layers.METHODS.get(name)
        if make is None:
            raise AttributeError(f"'INetworkDefinition' has no attribute {name!r}")
        return lambda *args, **kwargs: self.add(make(self, *args, **kwargs))

    def __dir__(self) -> list[str]:
        from reflow.engine import layers

        return sorted([*super().__dir__(), *layers.METHODS])

    # --- the graph

    def changed(self) -> None:
        """Forgets what is known about tensors, because the network was changed."""
        self._specs.clear()
        self._fresh = 0

    def spec_of(self, tensor: ITensor) -> Any:
        """The dtype and shape of a tensor, found by tracing the layers up to the one that makes it."""
        if tensor not in self._specs:
            self._trace(wanted=None)
        return self._specs[tensor]

    def graph(self) -> FuncGraph:
        """The network as a function graph from its inputs to its outputs."""
        if not self.outputs:
            raise ValueError("The network has no outputs: call mark_output(tensor).")
        return self._trace(self.outputs)

    def _trace(self, wanted: list[ITensor] | None) -> FuncGraph:
        from reflow.engine.regions import evaluate

        names = [scope_name(t.name) for t in self.inputs]
        specs = tuple(
            tf.TensorSpec([None if n < 0 else n for n in t.shape], t.dtype.dtype, n) for t, n in zip(self.inputs, names)
        )

        def body(*tensors: Any) -> list[Any]:
            values = dict(zip(self.inputs, tensors))
            evaluate(self, values, probe=wanted is None)
            self._specs = {t: tf.TensorSpec(v.shape, v.dtype) for t, v in values.items() if isinstance(v, tf.Tensor)}
            return [values[t] for t in wanted or ()]

        return trace_to_graph(body, "network", specs, names=names)


def scope_name(name: str) -> str:
    """A layer's name as a name scope: what TensorFlow does not allow becomes an underscore."""
    import re

    name = re.sub(r"[^A-Za-z0-9_.\\/-]", "_", name).strip("/")
    return name if re.match(r"[A-Za-z0-9.]", name) else f"layer_{name}"
