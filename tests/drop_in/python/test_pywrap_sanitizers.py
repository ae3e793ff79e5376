"""No sanitizer is built in."""

from reflow.drop_in.python import pywrap_sanitizers


def test_none():
    assert not pywrap_sanitizers.is_asan_enabled() and not pywrap_sanitizers.is_tsan_enabled()
