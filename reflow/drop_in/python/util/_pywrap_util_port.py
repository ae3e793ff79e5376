"""`tensorflow.python.util._pywrap_util_port`: what TensorFlow was built with and for."""

import platform


def IsBuiltWithXLA() -> bool:
    return True


def _no() -> bool:
    return False


IsGoogleCudaEnabled = IsBuiltWithROCm = IsBuiltWithNvcc = GpuSupportsHalfMatMulAndConv = IsMklEnabled = _no


def IsX86Available() -> bool:
    return platform.machine() in ("x86_64", "AMD64", "i686")


def IsAArch64Available() -> bool:
    return platform.machine() in ("aarch64", "arm64")


def IsAArch32Available() -> bool:
    return platform.machine().startswith("armv7")


def IsPowerPCAvailable() -> bool:
    return platform.machine().startswith("ppc")


def IsSystemZAvailable() -> bool:
    return platform.machine() == "s390x"
