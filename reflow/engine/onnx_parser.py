"""`OnnxParser`: converts an ONNX model to layers of a network."""

from __future__ import annotations

import os
from typing import Any

from reflow.engine.enums import data_type
from reflow.engine.layers import FunctionLayer
from reflow.engine.logger import ILogger, Severity
from reflow.engine.network import INetworkDefinition
from reflow.onnx.node import OnnxError
from reflow.onnx.table import conversion


class ParserError:
    """What a parser could not do."""

    def __init__(self, text: str) -> None:
        self._text = text

    def desc(self) -> str:
        return self._text

    __str__ = desc


class OnnxParser:
    """Reads models into a network; `num_errors` and `get_error` say what went wrong."""

    def __init__(self, network: INetworkDefinition, logger: ILogger) -> None:
        self.network, self.logger = network, logger
        self._errors: list[ParserError] = []

    num_errors = property(lambda self: len(self._errors))

    def get_error(self, index: int) -> ParserError:
        return self._errors[index]

    def clear_errors(self) -> None:
        self._errors.clear()

    def parse_from_file(self, path: str) -> bool:
        with open(path, "rb") as file:
            return self.parse(file.read(), path)

    def parse(self, model: bytes, path: str | None = None) -> bool:
        """Add a model's inputs, layers and outputs to the network; False if it cannot be read.

        `path` is where its external data is.
        """
        from reflow.onnx.model import read_proto
        from reflow.onnx.reader import Reader

        try:
            proto, _ = read_proto(bytes(model))
            reader = Reader(proto, None if path is None else os.path.dirname(os.path.abspath(path)))
            reader.check()
            self._add(proto, reader)
            self.network._trace(None)
        except (OnnxError, ValueError, TypeError, OSError) as error:
            self._errors.append(ParserError(str(error)))
            self.logger.log(Severity.ERROR, str(error))
            return False
        return True

    def supports_model(self, model: bytes, path: str | None = None) -> bool:
        return OnnxParser(INetworkDefinition(), self.logger).parse(model, path)

    def supports_operator(self, op_name: str) -> bool:
        return conversion("", op_name) is not None

    def _add(self, proto: Any, reader: Any) -> None:
        """One layer for each node; weights are known, so what follows from them alone is computed where needed."""
        from reflow.onnx.reader import input_spec

        network, values = self.network, {}
        known = reader.constants(proto.graph)
        for info in proto.graph.input:
            if info.name not in known:
                spec = input_spec(info)
                if spec is None or spec.shape.rank is None:
                    raise ValueError(f"The input {info.name!r} is no tensor, or has no rank.")
                shape = [-1 if n is None else n for n in spec.shape.as_list()]
                values[info.name] = network.add_input(info.name, data_type(spec.dtype), shape)
        state = _State(reader, proto, known)
        for node in proto.graph.node:
            state.add(network, node, values)
        for info in proto.graph.output:
            if info.name not in values:
                raise ValueError(f"The output {info.name!r} does not depend on the model's inputs.")
            values[info.name].name = info.name
            network.mark_output(values[info.name])


class _State:
    """What is known while layers are made: weights, and what follows from them."""

    def __init__(self, reader: Any, proto: Any, known: dict[str, Any]) -> None:
        self.reader, self.proto, self.known = reader, proto, known

    def add(self, network: INetworkDefinition, node: Any, values: dict[str, Any]) -> None:
        """Make a layer of a node."""
        names = sorted(self._needed(node))
        live = [n for n in names if n in values]
        if not live:  # it follows from weights: computed now
            self.known.update(self._read(node, {}))
            return

        def run(*tensors: Any) -> Any:
            found = self._read(node, dict(zip(live, tensors)))
            return tuple(found[o] for o in node.output if o)

        outputs = [o for o in node.output if o]
        layer = network.add(FunctionLayer(network, [values[n] for n in live], run, len(outputs)))
        layer.name = node.name or f"{node.op_type}_{len(network.layers)}"
        for tensor, name in zip(layer.outputs, outputs):
            tensor._name = name
            values[name] = tensor

    def _read(self, node: Any, given: dict[str, Any]) -> dict[str, Any]:
        values = {**self.known, **given}
        self.reader._read_nodes([node], values, self.reader.opsets)
        return {o: values.get(o) for o in node.output if o}

    def _needed(self, node: Any) -> set[str]:
        """Names that a node, or a graph inside it, takes from around it."""
        names = {n for n in node.input if n}
        for attribute in node.attribute:
            if attribute.HasField("g"):
                for inner in attribute.g.node:
                    names |= self._needed(inner)
                names -= {o for inner in attribute.g.node for o in inner.output}
        return names
