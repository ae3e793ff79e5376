"""`EngineInspector`: describes an engine's layers."""

from __future__ import annotations

import json
import time
from collections import Counter

import numpy as np

from reflow.engine.enums import LayerInformationFormat
from reflow.engine.runtime import ICudaEngine
from reflow.runtime.interpret import run_instructions
from reflow.runtime.schedule import schedule_of


class EngineInspector:
    """Shows layers, precisions, what passes did, and the time of each layer."""

    def __init__(self, engine: ICudaEngine) -> None:
        self.engine = engine
        self.report = engine.meta["report"]

    def get_layer_information(  # noqa: A002
        self, layer_index: int, format: LayerInformationFormat = LayerInformationFormat.ONELINE
    ) -> str:
        layer = self.report["layers"][layer_index]
        return (
            json.dumps(layer) if format is LayerInformationFormat.JSON
            else f"{layer['Name']} ({layer['LayerType']}, {layer['Precision']})"
        )

    def get_engine_information(self, format: LayerInformationFormat = LayerInformationFormat.ONELINE) -> str:  # noqa: A002
        if format is LayerInformationFormat.JSON:
            return json.dumps(
                {"Layers": self.report["layers"], "Bindings": list(self.engine), "Report": self.report}, indent=1
            )
        return "\n".join(self.get_layer_information(i) for i in range(len(self.report["layers"])))

    def layer_times(self) -> dict[str, float]:
        """node name -> seconds of its kernel by itself, on inputs of the first profile's `opt` shapes. In the program,
        neighbours are fused, so the sum is more than a call takes."""
        engine = self.engine
        graph = engine.graph()
        schedule = schedule_of(graph)
        shapes = engine.meta["profiles"][0]
        rng = np.random.default_rng(0)
        values = [
            rng.standard_normal(shapes[n][1]).astype(engine.get_tensor_dtype(n).dtype.as_numpy_dtype)
            for n in engine.input_names
        ]
        env = dict(zip(schedule.inputs, [*values, *[np.asarray(w) for w in engine.weights]]))
        found: dict[str, float] = {}
        for instruction in schedule.instructions:
            started = time.perf_counter()
            _run(instruction, env)
            found[instruction.node.name] = time.perf_counter() - started
        return found

    def table(self, times: bool = False) -> str:
        """The report as text."""
        taken = self.layer_times() if times else {}
        lines = [
            f"engine of {self.engine.num_layers} layers, {sum(w.nbytes for w in self.engine.weights):,} bytes of "
            "weights"
        ]
        lines += [
            f"  {name}: {role} {dtype} {tuple(shape)}" for name, role, dtype, shape in self.engine.meta["bindings"]
        ]
        lines += [f"  {what}: {count}" for what, count in sorted(self.report["passes"].items())]
        lines += [f"  {name} stays in FP32: {why}" for name, why in self.report["kept in FP32"].items()]
        kinds = Counter(layer["Precision"] for layer in self.report["layers"])
        lines.append("  precisions: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
        for layer in self.report["layers"]:
            spent = f"{taken[layer['Name']] * 1e6:10.1f} us" if layer["Name"] in taken else ""
            lines.append(f"  {layer['LayerType']:<22} {layer['Precision']:<9} {spent} {layer['Name']}")
        return "\n".join(lines)


def _run(instruction, env: dict) -> None:
    run_instructions([instruction], env, [()])
