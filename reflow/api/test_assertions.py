"""Assertions of `tf.test.TestCase` that are not on tensors: protos, devices, threads, streams."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

from reflow.core import errors
from reflow.devices.names import DeviceSpec
from reflow.graph.export import PRODUCER


class CapturedWrites:
    """What was written to a stream. It can still be read after the block in which it was captured."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._kept: str | None = None

    def contents(self) -> str:
        """All that was written up to now."""
        return self._read() if self._kept is None else self._kept

    def keep(self) -> None:
        """Read the file, before it is removed."""
        self._kept = self._read()

    def _read(self) -> str:
        with open(self._path) as file:
            return file.read()


class CheckedThread:
    """A thread whose failure is that of the test."""

    def __init__(self, test: Any, target: Callable[..., Any], args: tuple, kwargs: dict) -> None:
        self._test = test
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(target, args, kwargs))

    def _run(self, target: Callable[..., Any], args: tuple, kwargs: dict) -> None:
        try:
            target(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - told where the thread is joined
            self._error = error

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end; the test fails if the thread has."""
        self._thread.join()
        if self._error is not None:
            self._test.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()


class Assertions:
    """A part of `tf.test.TestCase`."""

    fail: Callable[..., Any]
    assertEqual: Callable[..., Any]
    assertRaisesRegex: Callable[..., Any]
    evaluate: Callable[[Any], Any]

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Checks that two sequences have equal lengths and differ by at most `err` in each place."""
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for i, (a, b) in enumerate(zip(farray1, farray2, strict=True)):
            if not abs(float(a) - float(b)) <= err:
                self.fail(f"array element {i}: {a} != {b} +/- {err}{f' ({msg})' if msg else ''}")

    def assertDeviceEqual(self, device1, device2, msg=None):
        """Checks that two device names mean the same device, however they are written."""
        names = [DeviceSpec.from_string(str(d or "")).to_string() for d in (device1, device2)]
        self.assertEqual(*names, msg=f"Devices {device1} and {device2} are not equal. {msg or ''}")

    def assertProtoEquals(self, expected_message_maybe_ascii, validate_message, msg=None, relative_tolerance=None):
        """Checks that a message is the expected one, which may be given as text.

        `relative_tolerance` is how far its numbers may be off.
        """
        from google.protobuf import text_format

        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            expected = text_format.Parse(expected, type(validate_message)())
        if type(expected).DESCRIPTOR.name != type(validate_message).DESCRIPTOR.name:
            self.fail(f"Can't compare protos of type {type(expected)} and {type(validate_message)}. {msg or ''}")
        one, other = (text_format.MessageToString(m) for m in (expected, validate_message))
        if one == other or relative_tolerance is not None and _close_texts(one, other, relative_tolerance):
            return
        self.assertEqual(one, other, msg=msg)

    def assertProtoEqualsVersion(self, expected, actual, producer=PRODUCER, min_consumer=0, msg=None):
        """Checks a graph against one given as text without versions, and its versions."""
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}"
        self.assertProtoEquals(f"{versions}\n{expected}", actual, msg=msg)

    def assertRaisesIncompatibleShapesError(self, exception_type=errors.InvalidArgumentError):
        """A `with` block that expects an error about shapes that cannot be broadcast."""
        return self.assertRaisesRegex(
            exception_type, r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        )

    def assertItemsEqual(self, first, second, msg=None):
        """Checks that two collections have the same items, in any order."""
        return self.assertCountEqual(first, second, msg)  # type: ignore[attr-defined]

    def evaluate_if_both_tensors(self, a, b):
        """Both as arrays if both are tensors, else both as they are."""
        both = all(hasattr(x, "shape") and hasattr(x, "dtype") and hasattr(x, "ref") for x in (a, b))
        return self.evaluate((a, b)) if both else (a, b)

    def checkedThread(self, target, args=None, kwargs=None) -> CheckedThread:
        """A thread, to be started and joined, whose failure is that of the test."""
        return CheckedThread(self, target, args or (), kwargs or {})

    @contextlib.contextmanager
    def captureWritesToStream(self, stream) -> Iterator[CapturedWrites]:
        """A `with` block in which what is written to a stream such as `sys.stderr`, also by C++, goes to a file.

        The object that `as` gives has the method `contents()`.
        """
        number = stream.fileno()
        stream.flush()
        with tempfile.NamedTemporaryFile("w+b") as file:
            before = os.dup(number)
            os.dup2(file.fileno(), number)
            captured = CapturedWrites(file.name)
            try:
                yield captured
            finally:
                stream.flush()
                os.dup2(before, number)
                os.close(before)
                captured.keep()


_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")


def _close_texts(one: str, other: str, tolerance: float) -> bool:
    """Whether two texts differ only in numbers, and these by little."""
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= tolerance * max(abs(float(a)), abs(float(b))) for a, b in pairs)
