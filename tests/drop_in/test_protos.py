"""Modules of protobuf messages."""

import pytest
from tensorboard.compat.proto import tensor_shape_pb2

from reflow.drop_in import facade, install, protos


def test_every_recorded_file_has_its_module():
    for path in protos.recorded():
        if path.startswith("tensorflow/core/") and protos.tensorboards(path) is None:
            made = protos.module(path.removesuffix(".proto").replace("/", ".") + "_pb2")
            assert all(hasattr(made, message["name"]) for message in protos.recorded()[path].get("message_type", ()))


def test_messages_hold_tensorboards_messages():
    made = protos.module("tensorflow.core.example.example_parser_configuration_pb2")
    config = made.ExampleParserConfiguration()
    feature = config.feature_map["a"].fixed_len_feature
    feature.shape.dim.add(size=3)
    assert isinstance(feature.shape, tensor_shape_pb2.TensorShapeProto)
    assert config.SerializeToString().hex() == "0a0d0a016112080a0612041202 0803".replace(" ", "")
    assert made.ExampleParserConfiguration.FromString(config.SerializeToString()) == config


def test_names_of_other_files_are_passed_on():
    codes = protos.module("tensorflow.core.protobuf.error_codes_pb2")
    assert codes.NOT_FOUND == 5 and codes.Code.Name(5) == "NOT_FOUND"
    assert protos.module("tensorflow.core.lib.core.error_codes_pb2").NOT_FOUND == 5


def test_the_drop_in_finds_them():
    assert install._proto("tensorflow.core.framework.model_pb2") is protos.module("tensorflow.core.framework.model_pb2")
    assert (
        install._proto("tensorflow.core.protobuf.tensorflow_server_pb2").ServerDef is facade.resolve("train.ServerDef")
    )
    assert install._proto("tensorflow.core.framework.tensor_shape_pb2") is tensor_shape_pb2
    assert protos.module("tensorflow.core.framework.nothing_pb2") is None
    with pytest.raises(ModuleNotFoundError):
        install._proto("tensorflow.core.framework.nothing_pb2")
