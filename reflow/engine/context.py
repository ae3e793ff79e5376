"""`IExecutionContext`: one place to run an engine from.

Three ways to run:

- `run({"x": array})` returns a dictionary of NumPy arrays;
- `execute_v2([x, y])` takes an array for each tensor of the engine and writes the outputs into theirs, like TensorRT
  with pointers;
- `set_tensor_address(name, array)` for each tensor, then `execute_async_v3(stream)`.

Addresses are arrays: NumPy arrays (outputs are written into them), tensors, JAX arrays and anything that supports
DLPack (inputs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reflow.core.tensor import EagerTensor
from reflow.engine.runtime import ICudaEngine, as_array, holds


class IExecutionContext:
    """Runs an engine. Each thread has its own."""

    def __init__(self, engine: ICudaEngine) -> None:
        self.engine = engine
        self.name = ""
        self.active_optimization_profile = 0
        self._addresses: dict[str, Any] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._small = engine.small_program(0)
        self._bindings: Sequence[Any] = ()  # of the last `execute_v2`
        self._bound: Callable[[], None] | None = None  # a small network on the arrays that were set

    # --- shapes

    def set_input_shape(self, name: str, shape: Sequence[int]) -> bool:
        """Fix the shape of an input; False if no profile allows it."""
        try:
            self._check_shape(name, tuple(int(n) for n in shape))
        except ValueError:
            return False
        self._shapes[name] = tuple(int(n) for n in shape)
        return True

    def set_binding_shape(self, binding: int, shape: Sequence[int]) -> bool:
        return self.set_input_shape(self.engine.get_tensor_name(binding), shape)

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor, for the inputs' shapes where those are fixed."""
        if name in self._shapes:
            return self._shapes[name]
        declared = self.engine.get_tensor_shape(name)
        if self.engine.binding_is_input(name) or all(n >= 0 for n in declared):
            return declared
        graph = self.engine.graph()
        known = [self.get_tensor_shape(n) for n in self.engine.input_names]
        dims = [tuple(None if n < 0 else n for n in s) for s in known] + [t._dims for t in graph.inputs[len(known) :]]
        found = graph.output_dims(dims)[self.engine.output_names.index(name)]
        return declared if found is None else tuple(-1 if n is None else n for n in found)

    def get_binding_shape(self, binding: int) -> tuple[int, ...]:
        return self.get_tensor_shape(self.engine.get_tensor_name(binding))

    def infer_shapes(self) -> list[str]:
        """The inputs whose shapes are not fixed yet."""
        return [n for n in self.engine.input_names if any(d < 0 for d in self.get_tensor_shape(n))]

    all_binding_shapes_specified = property(lambda self: not self.infer_shapes())

    def set_optimization_profile_async(self, profile_index: int, stream_handle: int = 0) -> bool:
        if not 0 <= profile_index < self.engine.num_optimization_profiles:
            return False
        self.active_optimization_profile = profile_index
        self._small, self._bound = self.engine.small_program(profile_index), None
        return True

    def _check_shape(self, name: str, shape: tuple[int, ...]) -> None:
        bounds = self.engine.bounds[self.active_optimization_profile][name]
        if not holds(bounds, shape):
            raise ValueError(
                f"The input {name!r} has the shape {shape}; profile {self.active_optimization_profile} allows "
                f"{bounds[0]} to {bounds[1]}."
            )

    # --- running

    def run(self, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Run on arrays by name; NumPy arrays by name."""
        names = self.engine.input_names
        missing, unknown = [n for n in names if n not in inputs], [n for n in inputs if n not in names]
        if missing or unknown:
            raise ValueError(f"The engine's inputs are {', '.join(names)}; missing: {missing}, unknown: {unknown}.")
        arrays = [self._input(name, inputs[name]) for name in names]
        results = self.engine.call(arrays)
        return {name: np.asarray(value) for name, value in zip(self.engine.output_names, results)}

    def __call__(self, *inputs: Any) -> Any:
        """Run on tensors in the order of the inputs; a tensor, or a list of them."""
        engine = self.engine
        if self._small is not None and self._small.takes(inputs):
            results: Sequence[Any] = self._small((), inputs)
        else:
            results = engine.call([self._input(name, x) for name, x in zip(engine.input_names, inputs, strict=True)])
        made = [EagerTensor(value, engine.dtypes[name]) for name, value in zip(engine.output_names, results)]
        return made[0] if len(made) == 1 else made

    def _input(self, name: str, value: Any) -> Any:
        array = as_array(value)
        wanted = self.engine.dtypes[name]
        if isinstance(value, (list, tuple, float, int)):
            array = np.asarray(value, wanted.as_numpy_dtype)
        if array.dtype != wanted.np_dtype:
            raise TypeError(f"The input {name!r} has the dtype {wanted.name}; received {array.dtype}.")
        self._check_shape(name, tuple(array.shape))
        return array

    def set_tensor_address(self, name: str, memory: Any) -> bool:
        """Where an input is, or an output shall be: an array."""
        self.engine.get_tensor_mode(name)
        if isinstance(memory, int):
            raise TypeError(
                "Addresses are arrays here: pass the NumPy array, tensor or DLPack object itself instead of a pointer."
            )
        self._addresses[name] = memory
        self._bound = None
        return True

    def get_tensor_address(self, name: str) -> Any:
        return self._addresses.get(name)

    def execute_v2(self, bindings: Sequence[Any]) -> bool:
        """Run on one array for each tensor of the engine, in its order."""
        if len(bindings) != self.engine.num_io_tensors:
            raise ValueError(f"The engine has {self.engine.num_io_tensors} tensors; received {len(bindings)} bindings.")
        if self._bound is None or any([a is not b for a, b in zip(bindings, self._bindings)]):
            for name, memory in zip(self.engine, bindings):
                self.set_tensor_address(name, memory)
            self._bindings = list(bindings)
        return self.execute_async_v3(0)

    def execute_async_v2(self, bindings: Sequence[Any], stream_handle: int = 0) -> bool:
        return self.execute_v2(bindings)

    def execute_async_v3(self, stream_handle: int = 0) -> bool:
        """Run on the arrays that were set.

        The outputs are written when this returns; JAX orders the work, so the stream is not needed.
        """
        if self._bound is not None:
            self._bound()
            return True
        missing = [n for n in self.engine if n not in self._addresses]
        if missing:
            raise ValueError(f"No array was set for {', '.join(map(repr, missing))}: call set_tensor_address.")
        if self._small is not None:
            names = self.engine.input_names, self.engine.output_names
            self._bound = self._small.bound(*([self._addresses[n] for n in some] for some in names))
        if self._bound is not None:
            return self.execute_async_v3(stream_handle)
        results = self.run({n: self._addresses[n] for n in self.engine.input_names})
        for name, value in results.items():
            place = self._addresses[name]
            if not isinstance(place, np.ndarray) or not place.flags.writeable:
                raise TypeError(
                    f"The output {name!r} needs a NumPy array that can be written; received {type(place).__name__}."
                )
            if place.size != value.size or place.dtype != value.dtype:
                raise ValueError(
                    f"The output {name!r} is {value.dtype} {value.shape}; its array is {place.dtype} {place.shape}."
                )
            place.reshape(value.shape)[...] = value
        return True

    def __enter__(self) -> IExecutionContext:
        return self

    def __exit__(self, *_: Any) -> None:
        pass
