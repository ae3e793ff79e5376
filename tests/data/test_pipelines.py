"""Every pipeline of `pipelines.py` against what TensorFlow made of it, in every mode."""

import itertools

import pytest

import reflow as tf
from reflow.data.engine.iterator_resource import IteratorResource
from tests import recorded
from tests.data import failing_pipelines, pipelines
from tests.data.plain_elements import elements_of, plain

GOLDEN = recorded("data/pipelines")
NAMES = sorted(pipelines.PIPELINES)


@pytest.fixture(autouse=True)
def no_global_seed():
    tf.random.set_seed(None)
    yield
    tf.random.set_seed(None)


def test_all_are_recorded():
    assert set(GOLDEN["pipelines"]) == set(pipelines.PIPELINES)
    assert set(GOLDEN["errors"]) == set(failing_pipelines.ERRORS)


def expected(name):
    return GOLDEN["pipelines"][name]


def written(spec: str) -> str:
    return spec.replace("NoneTensorSpec()", "NoneTensorSpec()").replace("DatasetSpec(", "DatasetSpec(")


@pytest.mark.parametrize("name", NAMES)
def test_eager(name):
    dataset = pipelines.PIPELINES[name](tf)
    want = expected(name)
    assert repr(dataset.element_spec) == written(want["spec"])
    assert int(dataset.cardinality()) == want["cardinality"]
    for elements in want["passes"]:
        assert elements_of(dataset, pipelines.LIMIT) == elements


@pytest.mark.parametrize("name", NAMES)
def test_read_in_a_function(name):
    """One trace reads the iterators of both passes."""
    dataset = pipelines.PIPELINES[name](tf)
    traces = []

    @tf.function
    def read(iterator):
        traces.append(1)
        return iterator.get_next()

    def elements(iterator):
        while True:
            try:
                yield read(iterator)
            except tf.errors.OutOfRangeError:
                return

    for want in expected(name)["passes"]:
        assert elements_of(elements(iter(dataset)), pipelines.LIMIT) == want
    assert len(traces) <= 1


@pytest.mark.parametrize(
    "name", [n for n in NAMES if not n.startswith(("map_variable", "shuffle_global", "shuffle_both"))]
)
def test_built_in_a_function(name):
    """The pipeline is part of a function's graph; the function reads its first element."""
    want = expected(name)["passes"][0]
    if not want:
        return

    @tf.function
    def first():
        return next(iter(pipelines.PIPELINES[name](tf)))

    assert plain(first()) == want[0]


@pytest.mark.parametrize("name", NAMES)
def test_position_is_saved_and_restored(name):
    """At every step, an iterator restored from the position goes on with the same elements."""
    value = pipelines.PIPELINES[name](tf)._variant_tensor._value
    iterator = IteratorResource()
    iterator.start(value)
    states, elements = [], []
    for _ in range(12):
        states.append(iterator.state())
        element = iterator.get_next_as_optional().element
        if element is None:
            break
        elements.append(element)
    for step, state in enumerate(states):
        other = IteratorResource()
        other.start(value)
        other.restore(state)
        again = list(itertools.islice(_rest(other), len(elements) - step))
        assert [_values(e) for e in again] == [_values(e) for e in elements[step:]]


def _rest(iterator):
    while (element := iterator.get_next_as_optional().element) is not None:
        yield element


def _values(element):
    return [v.tolist() if hasattr(v, "tolist") else type(v).__name__ for v in element]


# --- errors

#: TensorFlow's own words are no use, or hold addresses
OTHER_WORDS = {"flat_map_without_dataset", "reduce_changes_dtype", "map_fails"}
#: TensorFlow's class is an accident
OTHER_CLASS = {"flat_map_without_dataset": TypeError}


@pytest.mark.parametrize("name", sorted(failing_pipelines.ERRORS))
def test_error(name):
    want = GOLDEN["errors"][name]
    with pytest.raises(Exception) as info:  # noqa: B017, PT011 - the class is compared below
        failing_pipelines.ERRORS[name](tf)
    if name in OTHER_CLASS:
        assert info.type is OTHER_CLASS[name]
    else:
        assert info.type.__name__ == want["class"]
    if name not in OTHER_WORDS:
        assert want["message"].split("The expected structure was")[0] in str(info.value)
