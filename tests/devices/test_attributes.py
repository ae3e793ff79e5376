"""The message `DeviceAttributes`."""

from reflow.devices.attributes import DeviceAttributes


def test_field_numbers_are_tensorflows():
    """The bytes of a message that real TensorFlow 2.21 wrote: name, type, memory, an empty locality, an id."""
    message = DeviceAttributes(
        name="/device:CPU:0", device_type="CPU", memory_limit=268435456, incarnation=1, xla_global_id=-1
    )
    data = message.SerializeToString()
    assert (
        data
        == b"\n\r/device:CPU:0\x12\x03CPU \x80\x80\x80\x80\x01" + b"1\x01\0\0\0\0\0\0\0" + b"@" + b"\xff" * 9 + b"\x01"
    )
    assert DeviceAttributes.FromString(data).memory_limit == 268435456


def test_locality():
    message = DeviceAttributes()
    message.locality.bus_id = 1
    assert message.SerializeToString() == b"*\x02\x08\x01"
