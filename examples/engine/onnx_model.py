"""From an ONNX model to an engine: parse, build with a range of batch sizes, run, look inside.

    python examples/engine/onnx_model.py [model.onnx]

Without a model it makes one: a convolution, batch normalisation, a residual connection and a classifier.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import reflow.engine as trt
import reflow.onnx


def example_model() -> bytes:
    """A small residual network, as an exporter writes it."""
    rng = np.random.default_rng(0)
    weights = {
        "w1": 0.2 * rng.standard_normal((8, 3, 3, 3)), "w2": 0.2 * rng.standard_normal((8, 8, 3, 3)),
        "fc": rng.standard_normal((8, 10)), "scale": np.linspace(0.5, 1.5, 8), "shift": np.zeros(8),
        "mean": np.full(8, 0.1), "variance": np.full(8, 0.5),
    }  # fmt: skip
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["image", "w1"], ["a"], name="first", **pads),
        helper.make_node("BatchNormalization", ["a", "scale", "shift", "mean", "variance"], ["b"], name="norm"),
        helper.make_node("Relu", ["b"], ["c"], name="relu"),
        helper.make_node("Conv", ["c", "w2"], ["d"], name="second", **pads),
        helper.make_node("Add", ["c", "d"], ["e"], name="residual"),
        helper.make_node("GlobalAveragePool", ["e"], ["f"], name="pool"),
        helper.make_node("Flatten", ["f"], ["g"], name="flatten"),
        helper.make_node("MatMul", ["g", "fc"], ["scores"], name="classify"),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, 16, 16])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 10])
    held = [numpy_helper.from_array(w.astype(np.float32), name) for name, w in weights.items()]
    graph = helper.make_graph(nodes, "residual", [image], [scores], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model)
    return model.SerializeToString()


def main():
    model = open(sys.argv[1], "rb").read() if len(sys.argv) > 1 else example_model()
    logger = trt.Logger(trt.Logger.WARNING)
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH))
    parser = trt.OnnxParser(network, logger)
    if not parser.parse(model):
        sys.exit("\n".join(parser.get_error(i).desc() for i in range(parser.num_errors)))

    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    for tensor in network.inputs:
        low, best, high = (tuple(size if n < 0 else n for n in tensor.shape) for size in (1, 4, 8))
        profile.set_shape(tensor.name, low, best, high)
    config.add_optimization_profile(profile)
    engine = trt.Runtime(logger).deserialize_cuda_engine(builder.build_serialized_network(network, config))
    print(engine.inspect())

    rng = np.random.default_rng(1)
    context = engine.create_execution_context()
    reference = reflow.onnx.load(model)
    for batch in (4, 2):
        shapes = {t.name: tuple(batch if n < 0 else n for n in t.shape) for t in network.inputs}
        inputs = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
        wanted = reference.run(list(inputs.values()))
        found = context.run(inputs)
        difference = max(np.abs(a - b.numpy()).max() for a, b in zip(found.values(), wanted))
        print(f"batch {batch}: largest difference to the model, run op by op: {difference:.1e}")


if __name__ == "__main__":
    main()
