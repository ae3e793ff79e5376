"""Messages of the data service."""

import pytest

from reflow.core import errors
from reflow.data.service import messages


def test_answers_and_errors_cross_the_wire():
    def fail(content, blobs):
        raise errors.NotFoundError(None, None, f"no {content['what']}")

    server, port = messages.serve(0, {"Echo": lambda content, blobs: (content, blobs[::-1]), "Fail": fail})
    peer = messages.Peer(f"grpc://127.0.0.1:{port}", patience=4)
    try:
        assert peer.ask("Echo", {"a": [1]}, [b"x", b""]) == ({"a": [1]}, [b"", b"x"])
        with pytest.raises(errors.NotFoundError, match="no bread"):
            peer.ask("Fail", {"what": "bread"})
    finally:
        server.stop(None).wait()
    with pytest.raises(errors.UnavailableError, match="does not answer"):
        peer.ask("Echo")
    peer.close()
