"""Nested Python structures as protos."""

import pytest

import reflow as tf
from reflow.drop_in.python.saved_model import nested_structure_coder as coder


@pytest.mark.parametrize(
    "value",
    [
        [1, {"a": (2.5, None)}], tf.TensorShape([1, None]), tf.TensorArraySpec([None], tf.int32),
        tf.TensorSpec([2], tf.float32, "x"),
    ],
)
def test_there_and_back(value):
    assert coder.can_encode(value)
    assert coder.decode_proto(coder.encode_structure(nested_structure=value)) == value


def test_what_has_no_proto():
    assert not coder.can_encode([1, object()])
    with pytest.raises(coder.NotEncodableError, match="No encoder for object"):
        coder.encode_structure(object())


class Complex:
    """Writes complex numbers as pairs."""

    def can_encode(self, value):
        return type(value) is complex

    def do_encode(self, value, encode):
        return encode((value.real, value.imag))

    def can_decode(self, proto):
        return proto.HasField("tuple_value")

    def do_decode(self, proto, decode):
        return complex(*[decode(part) for part in proto.tuple_value.values])


def test_codecs_of_a_program(monkeypatch):
    monkeypatch.setattr(coder.structures, "CODECS", [])
    assert not coder.can_encode(1j)
    coder.register_codec(Complex())
    assert coder.decode_proto(coder.encode_structure({"a": [1 + 2j]})) == {"a": [1 + 2j]}


def test_type_specs_with_numbers(monkeypatch):
    codec = coder.BuiltInTypeSpecCodec

    class Mine(tf.TensorSpec):
        """A spec."""

    for spec, number, words in (
        (int, 5, "does not subclass tf.TypeSpec"), (tf.SparseTensorSpec, 9, "already has an instantiated codec"),
        (Mine, 1, "The proto value '1' is already registered"), (Mine, 0, "The proto value '0' is invalid"),
        (Mine, 11, "The proto value '11' is invalid"), (Mine, "x", "The proto value 'x' is invalid"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            codec(spec, number)
    monkeypatch.setattr(codec, "_BUILT_IN_TYPE_SPEC_PROTOS", [])
    monkeypatch.setattr(codec, "_BUILT_IN_TYPE_SPECS", [])
    mine = codec(Mine, 10)
    proto = mine.do_encode(Mine([2], tf.int32), coder.encode_structure)
    assert mine.can_encode(Mine([1])) and not mine.can_encode(tf.TensorSpec([1])) and mine.can_decode(proto)
    assert mine.do_decode(proto, coder.decode_proto) == Mine([2], tf.int32)
    assert proto.type_spec_value.type_spec_class_name == "Mine" and not mine.can_decode(coder.encode_structure(1))
