"""`tensorflow.python.util.example_parser_configuration`: what a graph's op that parses examples does, as a message for
servers that parse examples themselves."""

from reflow.api.framework.graph_names import make_tensor_proto
from reflow.drop_in import protos
from reflow.ops import registry


def extract_example_parser_configuration(parse_example_op, sess):
    """The ExampleParserConfiguration of an op `ParseExample` or `ParseExampleV2`.

    A session computes its keys and default values.
    """
    if parse_example_op.record is registry.get("ParseExample"):
        return _extract_from_parse_example(parse_example_op, sess)
    if parse_example_op.record is registry.get("ParseExampleV2"):
        return _extract_from_parse_example_v2(parse_example_op, sess)
    raise ValueError(
        "Found unexpected type when parsing example. Expected `ParseExample` object. Received type: "
        f"{parse_example_op.type}"
    )


def _extract_from_parse_example(parse_example_op, sess):
    sparse, dense = parse_example_op.get_attr("Nsparse"), parse_example_op.get_attr("Ndense")
    given = sess.run(list(parse_example_op.inputs)[2:])
    return _configuration(parse_example_op, given[:sparse], given[sparse : sparse + dense], given[sparse + dense :])


def _extract_from_parse_example_v2(parse_example_op, sess):
    if parse_example_op.get_attr("ragged_value_types"):
        raise ValueError("Ragged features are not yet supported by example_parser_configuration.proto")
    sparse_keys, dense_keys, _, *defaults = sess.run(list(parse_example_op.inputs)[2:])
    return _configuration(parse_example_op, sparse_keys, dense_keys, defaults)


def _configuration(op, sparse_keys, dense_keys, defaults):
    """The message of an op with these keys and default values. Its outputs are the indices, values and shapes of the
    sparse features, then the dense ones."""
    config = protos.module("tensorflow.core.example.example_parser_configuration_pb2").ExampleParserConfiguration()  # type: ignore[union-attr]
    names = [output.name for output in op.outputs]
    count = len(sparse_keys)
    for i, (key, dtype) in enumerate(zip(sparse_keys, op.get_attr("sparse_types"), strict=True)):
        feature = config.feature_map[key.decode()].var_len_feature
        feature.dtype = dtype.as_datatype_enum
        feature.indices_output_tensor_name = names[i]
        feature.values_output_tensor_name = names[count + i]
        feature.shapes_output_tensor_name = names[2 * count + i]
    rows = zip(
        dense_keys, op.get_attr("Tdense"), op.get_attr("dense_shapes"), defaults, names[3 * count :], strict=True
    )
    for key, dtype, shape, default, name in rows:
        feature = config.feature_map[key.decode()].fixed_len_feature
        feature.dtype = dtype.as_datatype_enum
        feature.shape.CopyFrom(shape.as_proto() if hasattr(shape, "as_proto") else shape)
        feature.default_value.CopyFrom(make_tensor_proto(default, dtype))
        feature.values_output_tensor_name = name
    return config
