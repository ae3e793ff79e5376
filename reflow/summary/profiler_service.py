"""Profiles on demand: `tf.profiler.experimental.server` and `.client`.

A training process starts a server; another process requests a profile of the next few milliseconds. The server is XLA's
and speaks TensorFlow's protocol (the gRPC service `tensorflow.ProfilerService`), so either side may be TensorFlow. The
server writes the profile to the folder that the client names, where TensorBoard finds it.
"""

from __future__ import annotations

import datetime
import os
from typing import Any

import grpc

from reflow.api.export import export
from reflow.core import errors
from reflow.io.messages import define
from reflow.summary.profiler import ProfilerOptions

SERVICE = "/tensorflow.ProfilerService/"
MAX_EVENTS = 1_000_000
GRACE_S = 60.0  # how long a server may take to write a profile

_messages = define(
    "profiler_service.proto",
    [],
    {
        "ProfileOptions": [
            (1, "bool", "include_dataset_ops"), (2, "uint32", "host_tracer_level"),
            (3, "uint32", "device_tracer_level"), (4, "uint32", "python_tracer_level"), (5, "uint32", "version"),
            (8, "uint64", "start_timestamp_ns"), (9, "uint64", "duration_ms"), (10, "string", "repository_path"),
        ],
        "ProfileRequest": [
            (1, "uint64", "duration_ms"), (2, "uint64", "max_events"), (4, ".reflow.ProfileOptions", "opts"),
            (5, "string", "repository_root"), (6, "string", "session_id"), (7, "string", "host_name"),
        ],
        "ProfileResponse": [(7, "bool", "empty_trace")],
        "MonitorRequest": [(1, "uint64", "duration_ms"), (2, "int32", "monitoring_level"), (3, "bool", "timestamp")],
        "MonitorResponse": [(1, "string", "data")],
    },
)
_servers: dict[int, Any] = {}  # by port; a server ends with the object


@export("profiler.experimental.server.start")
def start(port: int) -> None:
    """Start a server on a port, which lets clients profile this process until it ends.

    Args:
      port: the number of a free port.

    Returns:
      None.

    Raises:
      RuntimeError: this process has a server already.

    >>> import socket
    >>> with socket.socket() as probe:
    ...     probe.bind(("127.0.0.1", 0))
    ...     port = probe.getsockname()[1]
    >>> tf.profiler.experimental.server.start(port)
    >>> tf.profiler.experimental.client.monitor(f"grpc://127.0.0.1:{port}", 10)
    Traceback (most recent call last):
    ...
    RuntimeError: UNIMPLEMENTED: unimplemented.
    """
    import jax

    if _servers:
        raise RuntimeError(f"A profiler server runs already, on port {next(iter(_servers))}.")
    _servers[port] = jax.profiler.start_server(port)


def stop() -> None:
    """End the server of this process, if there is one."""
    import jax

    if _servers:
        _servers.clear()
        jax.profiler.stop_server()


@export("profiler.experimental.client.trace")
def trace(
    service_addr: str, logdir: str, duration_ms: int, worker_list: str = "", num_tracing_attempts: int = 3,
    options: Any = None,
) -> None:
    """Profile the processes at some addresses for a while; each writes its file below `logdir`.

    Args:
      service_addr: addresses of servers, with commas between them: "grpc://localhost:6009,grpc://10.0.0.3:6009".
      logdir: a folder that clients and servers reach; TensorBoard reads it.
      duration_ms: how long, in milliseconds.
      worker_list: more addresses, as TPU programs give them.
      num_tracing_attempts: how often to try while nothing happens there.
      options: a `tf.profiler.experimental.ProfilerOptions`, or a dictionary of the same; `delay_ms` is when to begin.

    Returns:
      None.

    Raises:
      InvalidArgumentError: `duration_ms` is not positive.
      RuntimeError: no server answered, or nothing happened.

    >>> tf.profiler.experimental.client.trace("grpc://localhost:6009", "logs", 0)
    Traceback (most recent call last):
    ...
    reflow.core.errors.InvalidArgumentError: duration_ms must be greater than zero.
    """
    if duration_ms <= 0:
        raise errors.InvalidArgumentError(None, None, "duration_ms must be greater than zero.")
    addresses = [_plain(a) for a in f"{service_addr},{worker_list}".split(",") if a]
    chosen = options if options is not None else ProfilerOptions()
    settings = ProfilerOptions(**chosen) if isinstance(chosen, dict) else chosen
    for left in reversed(range(num_tracing_attempts)):
        print(f"\nStarting to trace for {duration_ms} ms. Remaining attempt(s): {left}")
        if _trace_once(addresses, os.fspath(logdir), duration_ms, settings):
            return
        print("No trace event is collected. Automatically retrying." if left else "No trace event is collected.")
    raise RuntimeError(
        "UNAVAILABLE: No trace event was collected because there were no responses from clients or the responses did "
        "not have trace data."
    )


def _trace_once(addresses: list[str], logdir: str, duration_ms: int, settings: Any) -> bool:
    """Ask all servers at once. Whether one of them had something to write."""
    now = datetime.datetime.now()
    begin = int(now.timestamp() * 1e9) + int(settings.delay_ms or 0) * 1_000_000
    root = os.path.join(logdir, "plugins", "profile")
    details = _messages["ProfileOptions"](
        version=1, include_dataset_ops=True, host_tracer_level=settings.host_tracer_level,
        device_tracer_level=settings.device_tracer_level, python_tracer_level=settings.python_tracer_level,
        start_timestamp_ns=begin if settings.delay_ms else 0, duration_ms=duration_ms, repository_path=root,
    )
    limit = duration_ms / 1e3 + (settings.delay_ms or 0) / 1e3 + GRACE_S
    asked = []
    for address in addresses:
        request = _messages["ProfileRequest"](
            duration_ms=duration_ms, max_events=MAX_EVENTS, opts=details, repository_root=root,
            session_id=now.strftime("%Y_%m_%d_%H_%M_%S"), host_name=address,
        )
        asked.append(_method(address, "Profile").future(request, timeout=limit))
    replies = [reply.result() for reply in asked if reply.exception() is None]
    return any(not reply.empty_trace for reply in replies)


@export("profiler.experimental.client.monitor")
def monitor(service_addr: str, duration_ms: int, level: int = 1) -> str:
    """A short report on what a process does, which servers on TPUs give.

    Args:
      service_addr: the address of a server.
      duration_ms: how long to look.
      level: 1, or 2 for more.

    Returns:
      The report, a text.

    Raises:
      RuntimeError: the server gives no report: XLA's on CPUs and GPUs do not.

    >>> try:
    ...     tf.profiler.experimental.client.monitor("grpc://127.0.0.1:1", 10)
    ... except RuntimeError as error:
    ...     print(str(error).partition(":")[0])
    UNAVAILABLE
    """
    request = _messages["MonitorRequest"](duration_ms=duration_ms, monitoring_level=level, timestamp=True)
    try:
        return _method(_plain(service_addr), "Monitor")(request, timeout=duration_ms / 1e3 + GRACE_S).data
    except grpc.RpcError as error:
        raise RuntimeError(f"{error.code().name}: {error.details()}") from None


def _plain(address: str) -> str:
    return address.strip().removeprefix("grpc://")


def _method(address: str, name: str) -> Any:
    """A method of the server at an address."""
    channel = grpc.insecure_channel(address)
    request, response = _messages[f"{name}Request"], _messages[f"{name}Response"]
    return channel.unary_unary(SERVICE + name, request.SerializeToString, response.FromString)
