"""The dispatcher's state."""

import pytest

from reflow.core import errors
from reflow.data.service import saves
from reflow.data.service.servers import Dispatcher


def test_datasets_and_jobs():
    dispatcher = Dispatcher(0, 60.0, saves.write)
    try:
        first = dispatcher.register_dataset({"fingerprint": "1"}, [b"p", b"s"])
        assert dispatcher.register_dataset({"fingerprint": "1"}, [b"p", b"s"]) == first
        assert dispatcher.register_dataset({"fingerprint": "2"}, [b"q", b"s"]) != first
        with pytest.raises(errors.InvalidArgumentError, match="another element spec"):
            dispatcher.register_dataset(first, [b"p", b"other"])
        job = dispatcher.get_or_create_job({"name": "j", "parameters": {"policy": "OFF", **first}}, [])
        with pytest.raises(errors.InvalidArgumentError, match="different parameters"):
            dispatcher.get_or_create_job({"name": "j", "parameters": {"policy": "DYNAMIC", **first}}, [])
        with pytest.raises(errors.NotFoundError, match="Dataset id 7 not found"):
            dispatcher.get_dataset({"id": "7"}, [])
        asked = [("a", 0), ("b", 0), ("a", 1), ("a", 1), ("b", 0), ("b", 1)]  # a turn that is asked for again gets its index again
        assert [dispatcher.get_split({**job, "task": t, "turn": n}, [])["index"] for t, n in asked] == [0, 1, 2, 2, 1, 3]
    finally:
        dispatcher.stop()
