"""The dataset of a client."""

import pytest

from reflow.core import errors
from reflow.data.service import clients, saves
from reflow.data.service.servers import Dispatcher


def test_without_a_worker_it_says_so(monkeypatch):
    monkeypatch.setattr(clients, "_PATIENCE", 0.1)
    dispatcher = Dispatcher(0, 60.0, saves.write)
    try:
        dispatcher.register_dataset({"id": "d", "cardinality": 3}, [b"p", b"s"])
        served = clients.Served(f"127.0.0.1:{dispatcher.port}", "d", "OFF", None)
        with pytest.raises(errors.UnavailableError, match="No worker of"):
            next(served.iterate())
        with pytest.raises(errors.UnimplementedError, match="cannot be saved"):
            served.iterate().state()
    finally:
        dispatcher.stop()
