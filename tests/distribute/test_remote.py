"""Requests between processes: values travel, failures are named."""

import numpy as np
import pytest

import reflow as tf
from reflow.distribute.remote import Answering, RemoteHandle, Request, call, decode, encode
from tests.distribute.workers import free_addresses


def test_values_travel():
    for value in (np.arange(6, dtype=np.float32).reshape(2, 3), np.array(3), np.array([b"a", b""], object)):
        got = decode(encode(value))
        assert got.dtype == value.dtype and got.tolist() == value.tolist()
    handle = decode(encode(RemoteHandle(tf.float32, (2, None), "v", "a:1", "v/7")))
    assert (handle.address, handle.key, handle.dtype, handle.dims) == ("a:1", "v/7", tf.float32, (2, None))


def test_a_server_answers_every_request():
    server = Answering("here:1")
    assert server(Request(keep="v", arguments=[encode(np.float32(2))])).code == 0
    mine = RemoteHandle(tf.float32, (), "v", "here:1", "v")
    server(Request(op="AssignAddVariableOp", arguments=[encode(mine), encode(np.float32(3))]))
    assert decode(server(Request(op="ReadVariableOp", arguments=[encode(mine)])).results[0]) == 5
    assert server(Request(function="f")).code == tf.errors.NOT_FOUND
    lost = server(Request(op="ReadVariableOp", arguments=[encode(RemoteHandle(tf.float32, (), "w", "here:1", "w"))]))
    assert lost.code == tf.errors.UNAVAILABLE and "here:1 has no resource 'w'" in lost.message


def test_nobody_answers():
    (address,) = free_addresses(1)
    with pytest.raises(tf.errors.UnavailableError, match=f"The server at {address} does not answer"):
        call(address, op="NoOp")
