"""Our ops in terms of ONNX operators, one file per family."""
