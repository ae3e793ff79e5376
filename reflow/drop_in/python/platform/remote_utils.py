"""`tensorflow.python.platform.remote_utils`: how the processes of a cluster talk to each other."""

from typing import Any


def get_default_communication_protocol() -> str:
    """The protocol of servers for which a program names none."""
    return "grpc"


def is_remote_path(path: str) -> bool:
    """Whether a path names a place on another machine: no file system that is answered for does."""
    return False


def get_appendable_file_encoding() -> str:
    """The suffix that lets a file system append to a file; none needs one."""
    return ""


def coordination_service_type(*args: Any, **kwargs: Any) -> None:
    """The kind of service by which processes find each other: there is none beside the servers themselves."""
