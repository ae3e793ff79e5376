"""`Runtime`, `ICudaEngine`, `IExecutionContext`: running engines.

An engine holds weights on the device and, for each profile, a compiled program; other shapes within a profile get a
program when they first occur. Contexts are light: any number of threads can run one each.
"""

from __future__ import annotations

import functools
import json
import mmap
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from reflow import native
from reflow.core.tensor import EagerTensor
from reflow.engine import plan, program, small
from reflow.engine.builder import fingerprint
from reflow.engine.enums import DataType, LayerInformationFormat, TensorIOMode, TensorLocation, data_type, volume
from reflow.engine.logger import ILogger, Logger, Severity
from reflow.graph.func_graph import FuncGraph
from reflow.graph.import_ import Library
from reflow.ops.xp.xla.base import wide_types


class Runtime:
    """Reads plans."""

    def __init__(self, logger: ILogger) -> None:
        self.logger = logger

    def deserialize_cuda_engine(self, serialized_engine: Any) -> ICudaEngine:
        """An engine from its plan: bytes, or a mapped file (`mmap.mmap`), of which only the needed parts are in memory.

        Raises:
          PlanError: the bytes are damaged; the text names the offset.
        """
        data = serialized_engine if isinstance(serialized_engine, mmap.mmap) else bytes(serialized_engine)
        sections = plan.read(data)
        missing = [name for name in ("meta", "graph", "weights") if name not in sections]
        if missing:
            raise plan.PlanError(f"The plan has no section {missing[0]!r}.")
        return ICudaEngine(sections, self.logger, data)


class ICudaEngine:
    """An engine: names, shapes and dtypes of its tensors, contexts that run it, its plan."""

    def __init__(
        self, sections: Mapping[str, memoryview], logger: ILogger | None = None, serialized: Any = b""
    ) -> None:
        self.meta: dict[str, Any] = json.loads(bytes(sections["meta"]))
        self._logger, self._serialized, self._sections = logger or Logger(), serialized, sections
        self._bindings = {name: (role, dtype, tuple(shape)) for name, role, dtype, shape in self.meta["bindings"]}
        # what every call needs
        self.input_names, self.output_names = self._names("input"), self._names("output")
        self.dtypes = {name: data_type(dtype).dtype for name, (_, dtype, _) in self._bindings.items()}
        self.bounds = [
            {name: (tuple(low), tuple(high)) for name, (low, _, high) in shapes.items()}
            for shapes in self.meta["profiles"]
        ]
        plan.unpack_arrays(self.meta["weights"], sections["weights"])  # damage is an error now, not at the first call
        self._lock = threading.Lock()
        self._programs: dict[Any, Callable[..., Any]] = {}
        self._graph: FuncGraph | None = None
        self._load_programs()

    name = property(lambda self: "reflow")

    @functools.cached_property
    def weights(self) -> list[jax.Array]:
        """The weights on the device. A small network that runs in steps has its own and never asks."""
        with wide_types():
            return [
                jax.device_put(array) for array in plan.unpack_arrays(self.meta["weights"], self._sections["weights"])
            ]

    # --- tensors

    def _names(self, role: str) -> list[str]:
        return [name for name, binding in self._bindings.items() if binding[0] == role]

    num_io_tensors = num_bindings = property(lambda self: len(self._bindings))
    num_layers = property(lambda self: len(self.meta["report"]["layers"]))
    num_optimization_profiles = property(lambda self: len(self.meta["profiles"]))

    def get_tensor_name(self, index: int) -> str:
        return list(self._bindings)[index]

    get_binding_name = get_tensor_name

    def get_binding_index(self, name: str) -> int:
        return list(self._bindings).index(name) if name in self._bindings else -1

    def _binding(self, name: str | int) -> tuple[str, str, tuple[int, ...]]:
        key = self.get_tensor_name(name) if isinstance(name, int) else name
        if key not in self._bindings:
            raise ValueError(f"The engine has no tensor {key!r}; it has {', '.join(map(repr, self._bindings))}.")
        return self._bindings[key]

    def get_tensor_shape(self, name: str | int) -> tuple[int, ...]:
        return self._binding(name)[2]

    get_binding_shape = get_tensor_shape

    def get_tensor_dtype(self, name: str | int) -> DataType:
        return data_type(self._binding(name)[1])

    get_binding_dtype = get_tensor_dtype

    def get_tensor_mode(self, name: str | int) -> TensorIOMode:
        return TensorIOMode.INPUT if self._binding(name)[0] == "input" else TensorIOMode.OUTPUT

    def get_tensor_location(self, name: str | int) -> TensorLocation:
        self._binding(name)
        return TensorLocation.DEVICE

    def binding_is_input(self, name: str | int) -> bool:
        return self._binding(name)[0] == "input"

    def get_tensor_profile_shape(self, name: str, profile_index: int) -> list[tuple[int, ...]]:
        """The min, opt and max shapes of an input."""
        return [tuple(shape) for shape in self.meta["profiles"][profile_index][name]]

    def fits(self, shapes: Mapping[str, Sequence[int]], profile_index: int = 0) -> bool:
        """Whether a profile holds inputs of these shapes."""
        bounds = self.bounds[profile_index]
        return bounds.keys() == shapes.keys() and all(holds(bounds[name], shape) for name, shape in shapes.items())

    get_profile_shape = lambda self, profile_index, binding: self.get_tensor_profile_shape(binding, profile_index)  # noqa: E731

    def __iter__(self):
        return iter(self._bindings)

    def __len__(self) -> int:
        return len(self._bindings)

    def __getitem__(self, key: Any) -> Any:
        return self.get_tensor_name(key) if isinstance(key, int) else self.get_binding_index(key)

    # --- running

    def _load_programs(self) -> None:
        if self.meta["fingerprint"] != fingerprint():
            before = self.meta["fingerprint"]
            self._logger.log(
                Severity.WARNING, f"the plan was built for {before}; this is {fingerprint()}: it is compiled again"
            )
        for number, shapes in enumerate(self.meta["profiles"]):
            if f"steps:{number}" in self._sections and self._load_steps(number, shapes):
                continue
            section = self._sections.get(f"program:{number}")
            exported = None if section is None else self._exported(section)
            if exported is None:
                continue
            if export.default_export_platform() not in exported.platforms or not _has_kernels(exported):
                self._logger.log(
                    Severity.WARNING, f"profile {number} was compiled for {exported.platforms}: it is made again"
                )
                continue
            cache = self._sections.get(f"cache:{number}")
            call, _ = program.compiled(exported, len(shapes), plan.unpack_files(cache) if cache is not None else {})
            self._programs[_key([jax.ShapeDtypeStruct(*pair) for pair in self._best_shapes(shapes)])] = call
            jax.block_until_ready(self.weights)  # on the device before the first call

    def _best_shapes(self, shapes: Mapping[str, Any]) -> list[tuple[tuple[int, ...], Any]]:
        """Shape and NumPy dtype of each input, for a profile's `opt`."""
        return [(tuple(shapes[name][1]), self.dtypes[name].as_numpy_dtype) for name in self.input_names]

    def _load_steps(self, number: int, shapes: Mapping[str, Any]) -> bool:
        """Set up a small network to run in steps; False if there are no kernels, or another device runs it."""
        if jax.default_backend() != "cpu" or not native.available():
            return False
        made = small.unpacked(
            self._sections[f"steps:{number}"], self._sections.get(f"constants:{number}", memoryview(b""))
        )
        if made is None:
            self._logger.log(
                Severity.WARNING, f"the steps of profile {number} are for a processor with other registers: XLA runs it"
            )
            return False
        best = self._best_shapes(shapes)
        if made.inputs != [shape for shape, _ in best] or any(dtype != np.float32 for _, dtype in best):
            raise plan.PlanError(
                f"The steps of profile {number} are for inputs of {made.inputs}, the profile for "
                f"{[s for s, _ in best]}."
            )
        self._programs[_key([jax.ShapeDtypeStruct(*pair) for pair in best])] = made
        return True

    def _exported(self, section: memoryview) -> export.Exported | None:
        """A program of the plan; None if a package to read it is missing."""
        try:
            return export.deserialize(bytearray(section))
        except ImportError as error:
            self._logger.log(Severity.WARNING, f"{error}: the engine is compiled from its graph")
            return None

    def graph(self) -> FuncGraph:
        """The optimised graph, from the plan."""
        if self._graph is None:
            from tensorboard.compat.proto.function_pb2 import FunctionDefLibrary

            library = Library(FunctionDefLibrary.FromString(bytes(self._sections["graph"])).function)
            name = next(n for n in library.protos if n.startswith("__inference_engine"))
            self._graph = library.load([name])[name]
        return self._graph

    def call(self, inputs: Sequence[Any]) -> list[Any]:
        """Run on arrays of the device or the host, in the order of the inputs; arrays of the device."""
        key = _key(inputs)
        run = self._programs.get(key)
        if run is None:
            with self._lock:
                run = self._programs.setdefault(key, self._program_for(inputs))
        if isinstance(run, small.SmallProgram):
            return run((), inputs)
        with wide_types():
            return run(self.weights, list(inputs))

    def small_program(self, profile_index: int) -> small.SmallProgram | None:
        """The network of a profile if it runs in steps: a context calls it without asking the engine."""
        shapes = self._best_shapes(self.meta["profiles"][profile_index])
        made = self._programs.get(_key([jax.ShapeDtypeStruct(*pair) for pair in shapes]))
        return made if isinstance(made, small.SmallProgram) else None

    def _program_for(self, inputs: Sequence[Any]) -> Callable[..., Any]:
        """A program for shapes that come for the first time."""
        graph = self.graph()
        function = program.whole_function(graph)
        if function is not None:
            jitted = jax.jit(function if "TF32" in self.meta["flags"] else program.exact(function))
            try:
                with wide_types():
                    jitted.lower(self.weights, list(inputs))
                return jitted
            except program.NOT_WHOLE:
                pass
        return lambda weights, values: graph.run([*[np.asarray(v) for v in values], *weights])

    def create_execution_context(self) -> Any:
        from reflow.engine.context import IExecutionContext

        return IExecutionContext(self)

    @property
    def device_memory_size(self) -> int:
        """Bytes of weights, and of inputs and outputs of the first profile's largest shapes."""
        total = sum(w.nbytes for w in self.weights)
        largest = self.meta["profiles"][0]
        return total + sum(
            volume(shape[2]) * data_type(self._bindings[name][1]).itemsize for name, shape in largest.items()
        )

    # --- saving and looking

    def serialize(self) -> bytes:
        """The plan."""
        return bytes(self._serialized)

    def create_engine_inspector(self) -> Any:
        from reflow.engine.inspector import EngineInspector

        return EngineInspector(self)

    def inspect(self, times: bool = False) -> str:
        """A table of the engine's layers, their precisions and the optimizations applied;
        with `times`, each layer's separate time."""
        return self.create_engine_inspector().table(times)

    def get_engine_information(self, format: LayerInformationFormat = LayerInformationFormat.JSON) -> str:  # noqa: A002
        return self.create_engine_inspector().get_engine_information(format)

    def __enter__(self) -> ICudaEngine:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


def _key(inputs: Sequence[Any]) -> tuple:
    return tuple([(x.shape, x.dtype) for x in inputs])


def holds(bounds: tuple[Sequence[int], Sequence[int]], shape: Sequence[int]) -> bool:
    """Whether a shape is between the minimum and the maximum."""
    low, high = bounds
    if shape == low == high:
        return True
    return len(shape) == len(low) and all(a <= n <= b for a, n, b in zip(low, shape, high))


def _has_kernels(exported: export.Exported) -> bool:
    """Whether the kernels that a program calls are built on this machine."""
    if not program.kernels_in(exported.mlir_module()):
        return True
    return native.available()


def as_array(value: Any) -> Any:
    """A user's value as an array: NumPy, tensors, and whatever speaks DLPack."""
    if isinstance(value, EagerTensor):
        return value._value
    if isinstance(value, (np.ndarray, jax.Array)):
        return value
    if hasattr(value, "__dlpack__"):
        return jax.dlpack.from_dlpack(value)
    return np.asarray(value)


