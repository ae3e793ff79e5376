"""The messages between the parts of the data service, over gRPC.

A message is a JSON object and a list of byte strings: the length of the JSON in 4 bytes, little-endian, the JSON (which
contains "sizes": the lengths of the byte strings), then the byte strings. Tensors are TensorProtos, as in saved
datasets (`engine/snapshot_files.py`). Received data is never run as Python: a pipeline is sent as a SavedModel.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from typing import Any

from reflow.core import errors

SERVICE = "reflow.data.Service"
_LIMIT = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
# a server that is back is soon found
_RECONNECT = [(f"grpc.{which}_reconnect_backoff_ms", 200) for which in ("initial", "min", "max")]


def pack(content: dict, blobs: list[bytes] | None = None) -> bytes:
    """
    >>> unpack(pack({"a": 1}, [b"xy"]))
    ({'a': 1}, [b'xy'])
    """
    blobs = blobs or []
    head = json.dumps({**content, "sizes": [len(b) for b in blobs]}).encode()
    return b"".join([struct.pack("<I", len(head)), head, *blobs])


def unpack(data: bytes) -> tuple[dict, list[bytes]]:
    (size,) = struct.unpack_from("<I", data)
    content = json.loads(data[4 : 4 + size])
    at, blobs = 4 + size, []
    for length in content.pop("sizes"):
        blobs.append(data[at : at + length])
        at += length
    return content, blobs


def serve(port: int, methods: dict[str, Callable[[dict, list[bytes]], Any]]):
    """A running server on 127.0.0.1 and its port.

    A method gets a message and returns one: a dictionary, or a pair with byte strings.
    """
    import grpc

    def handler(method):
        def call(request, context):
            try:
                answer = method(*unpack(request))
            except errors.OpError as error:
                return pack({"error": type(error).__name__, "text": error.message})
            except Exception as error:  # errors in a user's pipeline are reported to its reader
                return pack({"error": "UnknownError", "text": f"{type(error).__name__}: {error}"})
            return pack(*answer) if isinstance(answer, tuple) else pack(answer or {})

        return grpc.unary_unary_rpc_method_handler(call)

    import concurrent.futures

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(16, "reflow-service"), options=_LIMIT)
    handlers = {name: handler(method) for name, method in methods.items()}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    if not bound:
        raise errors.UnknownError(None, None, f"Could not start gRPC server on port {port}")
    server.start()
    return server, bound


class Peer:
    """A server, from the side of who calls it.

    With `patience`, in seconds, it waits for a server that is away, and asks again when a connection breaks: methods
    must bear to be asked twice. Without, it waits for an answer as long as the connection holds.
    """

    def __init__(self, address: str, patience: float = 60.0):
        import grpc

        self.address, self.patience, self._closed = address.removeprefix("grpc://"), patience, False
        self._channel = grpc.insecure_channel(self.address, options=[*_LIMIT, *_RECONNECT])

    def ask(
        self, method: str, content: dict | None = None, blobs: list[bytes] | None = None
    ) -> tuple[dict, list[bytes]]:
        """The reply of a method. Errors of the other side are raised here; UnavailableError if there is no reply."""
        import grpc

        call, request = self._channel.unary_unary(f"/{SERVICE}/{method}"), pack(content or {}, blobs)
        cut, deadline = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), time.monotonic() + self.patience
        while True:
            left = deadline - time.monotonic()
            try:
                answer = call(
                    request, timeout=max(left, 0.001) if self.patience else None, wait_for_ready=self.patience > 0
                )
                break
            except ValueError as error:  # a call on a channel that was closed
                raise errors.UnavailableError(
                    None, None, f"The connection to {self.address} has been closed."
                ) from error
            except grpc.RpcError as error:
                if error.code() not in cut or left <= 0 or self._closed:
                    text = f"{self.address} does not answer: {error.code().name}"
                    raise errors.UnavailableError(None, None, text) from error
            time.sleep(0.02)
        found, parts = unpack(answer)
        if "error" in found:
            raise getattr(errors, found["error"])(None, None, found["text"])
        return found, parts

    def close(self):
        """End the connection, and the waiting of other threads on it."""
        self._closed = True
        self._channel.close()
