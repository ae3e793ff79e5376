"""Message classes made from a table: the bytes are protobuf's."""

import pytest

from reflow.io.messages import define


def test_fields_of_every_kind():
    Outer = define(
        "test_messages.proto", [],
        {
            "TestInner": [(1, "int64", "size")],
            "TestOuter": [
                (1, "repeated .reflow.TestInner", "inner"), (2, "optional int64", "length"), (3, "bytes", "data"),
                (4, "bool", "done"),
            ],
        },
    )["TestOuter"]
    message = Outer(data=b"x", done=True)
    message.inner.add(size=5)
    assert message.SerializeToString() == b"\x0a\x02\x08\x05\x1a\x01x\x20\x01"
    assert not message.HasField("length")
    message.length = 0
    assert message.HasField("length") and Outer.FromString(message.SerializeToString()) == message
    with pytest.raises(ValueError):
        message.length = 2**63
