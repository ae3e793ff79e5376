"""Messages of the data service."""

import concurrent.futures
import threading

import pytest

from reflow.core import errors
from reflow.data.service import messages


def test_answers_and_errors_cross_the_wire():
    def fail(content, blobs):
        raise errors.NotFoundError(None, None, f"no {content['what']}")

    server, port = messages.serve(0, {"Echo": lambda content, blobs: (content, blobs[::-1]), "Fail": fail})
    peer = messages.Peer(f"grpc://127.0.0.1:{port}", patience=0)
    try:
        assert peer.ask("Echo", {"a": [1]}, [b"x", b""]) == ({"a": [1]}, [b"", b"x"])
        with pytest.raises(errors.NotFoundError, match="no bread"):
            peer.ask("Fail", {"what": "bread"})
    finally:
        server.stop(None).wait()
    with pytest.raises(errors.UnavailableError, match="does not answer"):
        peer.ask("Echo")
    peer.close()


def test_a_call_that_is_cut_is_asked_again():
    asked, release = threading.Event(), threading.Event()

    def hang(content, blobs):
        asked.set()
        release.wait(10)

    server, port = messages.serve(0, {"Echo": hang})
    peer = messages.Peer(f"127.0.0.1:{port}")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(peer.ask, "Echo", {"a": 1})
        assert asked.wait(10)
        server.stop(None)
        release.set()
        server.wait_for_termination()
        server, _ = messages.serve(port, {"Echo": lambda content, blobs: content})
        try:
            assert answer.result(10) == ({"a": 1}, [])
        finally:
            peer.close()
            server.stop(None).wait()
    with pytest.raises(errors.UnavailableError, match="has been closed"):
        peer.ask("Echo")
