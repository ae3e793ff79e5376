"""The state of a dispatcher."""

from reflow.data.service.state import State


def test_the_same_changes_give_the_same_state():
    changes = [
        {"kind": "dataset", "id": "1000", "fingerprint": "f", "cardinality": 3},
        {"kind": "worker", "address": "a"},
        {"kind": "job", "key": "k", "name": "j", "parameters": {"policy": "DYNAMIC"}},
        {"kind": "task", "job": "k", "address": "a", "index": 0},
        *({"kind": "split", "job": "k", "task": "t", "turn": n} for n in range(3)),
        {"kind": "round", "job": "k", "number": 0, "workers": ["a"]},
        {"kind": "round", "job": "k", "number": 1, "workers": None},
        {"kind": "round", "job": "k", "number": 2, "workers": ["b", "c"]},
        {"kind": "save", "path": "p", "request": "r"},
    ]
    state = State()
    for change in changes:
        state.apply(change)
    job = state.jobs[state.names["j"]]
    assert (state.new_id(), state.known, state.workers, state.saves) == ("1001", {"f": "1000"}, {"a"}, {"p": "r"})
    assert (job.workers, job.next, job.given) == ({"a": 0}, 3, {"t": (2, 2)})
    assert [job.worker_of(r) for r in range(5)] == ["a", "a", "b", "c", "b"] and job.round == 2
    state.apply({"kind": "job_gone", "key": "k"})
    assert not state.jobs and not state.names
