"""Which worker has which place in a dispatcher's list."""

import pytest

from reflow.core import errors
from reflow.data.service.worker_list import WorkerList


def test_places_are_those_of_the_list():
    workers = WorkerList(["a:1", "b", "c:%port%", "c:%port%"])
    for address in ("c:7", "a:1", "b:5", "c:8", "c:7"):
        workers.admit(address)
    assert [workers.place_of(a) for a in ("a:1", "b:5", "c:7", "c:8")] == [0, 1, 2, 3]


@pytest.mark.parametrize("address", ["a:2", "d:1", "b:6"])
def test_others_have_no_place(address):
    workers = WorkerList(["a:1", "b"])
    workers.admit("b:5")
    with pytest.raises(
        errors.NotFoundError,
        match=rf"Failed to assign an index for worker {address}. Configured workers list: \[a:1, b\]",
    ):
        workers.admit(address)


def test_without_a_list_everybody_is_welcome_and_nobody_has_a_place():
    workers = WorkerList(None)
    workers.admit("a:1")
    with pytest.raises(errors.NotFoundError, match="Worker a:1 is not in the workers list. Got workers list ."):
        workers.place_of("a:1")
