"""What each op is in ONNX' operators, a file for each family."""
