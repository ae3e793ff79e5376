"""What TensorFlow was built with and for."""

from reflow.drop_in.python.util import _pywrap_util_port as port


def test_one_processor():
    kinds = (
        port.IsX86Available,
        port.IsAArch64Available,
        port.IsAArch32Available,
        port.IsPowerPCAvailable,
        port.IsSystemZAvailable,
    )
    assert sum(kind() for kind in kinds) <= 1 and port.IsBuiltWithXLA() and not port.IsGoogleCudaEnabled()
