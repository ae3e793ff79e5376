"""`tensorflow.python.pywrap_sanitizers`: whether TensorFlow was built with a sanitizer. It was not."""


def _no() -> bool:
    return False


is_asan_enabled = is_msan_enabled = is_tsan_enabled = is_ubsan_enabled = _no
