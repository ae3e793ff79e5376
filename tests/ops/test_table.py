"""Every op of the registry, in every mode, against values recorded from TensorFlow 2.21.

A case runs eagerly (values, dtypes, shapes, gradients against the golden file), traced with known dimensions, unknown
dimensions
and unknown rank (against eager; inferred shapes against the golden file), with the tape inside and outside a
function, and in compiled programs. Compiling costs 20 to 200 ms a program: some forty cases share one.
"""

import pathlib

import numpy as np
import pytest

import reflow as tf
import reflow.api.jax_functions  # noqa: F401  an op of ours that only `from_jax` loads
from reflow.ops.registry import REGISTRY
from tests.ops import numeric
from tests.ops.golden import Reader
from tests.ops.table import TABLE

GOLDEN = Reader("ops")
HERE = pathlib.Path(__file__).parent
GROUP = 40


def listed(name: str) -> dict[str, str]:
    """A checked-in list: a name a line, then what there is to say about it."""
    lines = [line.split("#")[0].split(None, 1) for line in (HERE / name).read_text().splitlines()]
    return {line[0]: line[1].strip() if len(line) > 1 else "" for line in lines if line}


PENDING = listed("pending_cases.txt")  # "mode:case reason": known failures; one that passes must leave the list
DIFFERENT = listed("different_shapes.txt")  # "dims:case" or "unranked:case", then why Reflow infers something else


def cases(mode: str, test: str) -> list:
    """Parameters of a test: the table's cases of a mode, those on the list of known failures marked so."""
    out = []
    for case in TABLE.values():
        if mode in case.modes:
            reason = PENDING.get(f"{test}:{case.id}")
            marks = [] if reason is None else [pytest.mark.xfail(reason=reason, strict=True)]
            out.append(pytest.param(case, id=case.id, marks=marks))
    return out


def golden(case) -> dict:
    record = GOLDEN.records.get(case.id)
    assert record is not None, f"{case.id} is not in the golden file: run tools/golden/ops.py with real TensorFlow"
    return record


def differentiable(case) -> bool:
    return "grads" in golden(case)


def eager(case):
    """Outputs and dense gradients, at once."""
    inputs = numeric.tensors(tf, case)
    results = numeric.outputs(tf, case, inputs)
    grads = [numeric.dense(tf, g) for g in numeric.gradients(tf, case, inputs)] if differentiable(case) else []
    return results, grads


@pytest.mark.parametrize("case", cases("eager", "eager"))
def test_eager(case):
    """Values, dtypes and shapes are TensorFlow's."""
    results = numeric.outputs(tf, case, numeric.tensors(tf, case))
    expected = golden(case)["outputs"]
    assert len(results) == len(expected)
    for i, (got, place) in enumerate(zip(results, expected)):
        numeric.assert_close(got, *GOLDEN.array(place), case.loose, f"output {i}")


@pytest.mark.parametrize("case", cases("eager", "gradient"))
def test_gradient(case):
    """Gradients are TensorFlow's: values, which are None, which are IndexedSlices."""
    record = golden(case)
    if "grads" not in record:
        return
    grads = numeric.gradients(tf, case, numeric.tensors(tf, case))
    assert [g is None for g in grads] == [p is None for p in record["grads"]]
    assert [i for i, g in enumerate(grads) if numeric.is_sparse(g)] == record.get("sparse", [])
    for i, (got, place) in enumerate(zip(grads, record["grads"])):
        if place is not None:
            numeric.assert_close(numeric.dense(tf, got), *GOLDEN.array(place), case.loose, f"gradient {i}")


def signature(inputs, shape_of):
    return [tf.TensorSpec(shape_of(t), t.dtype) for t in inputs]


KNOWN = lambda t: t.shape
DIMS = lambda t: [None] * len(t.shape)
UNRANKED = lambda t: None


def traced(case, inputs, shape_of):
    return tf.function(lambda *xs: numeric.outputs(tf, case, xs), input_signature=signature(inputs, shape_of))


@pytest.mark.parametrize("case", cases("traced", "traced"))
def test_traced(case):
    """A function traced on known dimensions, on unknown ones and on unknown rank gives what eager code gives."""
    inputs = numeric.tensors(tf, case)
    expected = numeric.outputs(tf, case, inputs) if "eager" in case.modes else None
    for name, shape_of in (("known", KNOWN), ("dims", DIMS), ("unranked", UNRANKED)):
        if name != "known" and golden(case).get(name) is None:
            continue  # TensorFlow does not take it either
        results = traced(case, inputs, shape_of)(*inputs)
        if expected is None:
            expected = results
        numeric.assert_same(results, expected, case.loose, name)
        if name != "known":
            check_shapes(case, inputs, shape_of, name, expected)


def check_shapes(case, inputs, shape_of, name, values):
    """Inferred shapes fit the values, and are TensorFlow's; or are on the list, which must hold exactly."""
    concrete = traced(case, inputs, shape_of).get_concrete_function()
    got = [None if t.shape.rank is None else t.shape.as_list() for t in concrete.structured_outputs]
    for shape, value in zip(got, values):
        assert (
            shape is None or len(shape) == len(value.shape) and all(d in (None, v) for d, v in zip(shape, value.shape))
        ), f"{name}: inferred {shape}, the value has {value.shape}"
    expected = golden(case)[name]
    if f"{name}:{case.id}" in DIFFERENT:
        assert got != expected, f"{name}:{case.id} infers what TensorFlow does: take it off the list"
    elif got != expected:
        worse = "less" if says_less(got, expected) else "more"
        raise AssertionError(f"{name}: inferred {got}, which is {worse} than TensorFlow's {expected}")


def says_less(got, expected) -> bool:
    def less(a, b):
        return a is None or b is not None and len(a) == len(b) and all(x in (None, y) for x, y in zip(a, b))

    return all(map(less, got, expected))


@pytest.mark.parametrize("case", cases("traced", "tape"))
def test_tape(case):
    """The tape inside a function and the tape around a function give the eager gradients."""
    if not differentiable(case):
        return
    inputs = numeric.tensors(tf, case)
    expected = [numeric.dense(tf, g) for g in numeric.gradients(tf, case, inputs)]
    inside = tf.function(lambda *xs: [numeric.dense(tf, g) for g in numeric.gradients(tf, case, xs)])
    numeric.assert_same(inside(*inputs), expected, case.loose, "tape inside")
    function = tf.function(lambda *xs: numeric.outputs(tf, case, xs))
    around = [numeric.dense(tf, g) for g in numeric.gradients(tf, case, inputs, function)]
    numeric.assert_same(around, expected, case.loose, "tape around")
    if golden(case).get("dims") is not None:
        inside = tf.function(lambda *xs: [numeric.dense(tf, g) for g in numeric.gradients(tf, case, xs)],
                             input_signature=signature(inputs, DIMS))
        numeric.assert_same(inside(*inputs), expected, case.loose, "tape inside, unknown dimensions")


# --- compiled: groups of cases in one program


def program(group):
    """One function of all inputs of a group, giving all outputs and gradients."""
    def everything(*tensors):
        rest, out = list(tensors), []
        for case in group:
            inputs, rest = rest[: len(case.inputs)], rest[len(case.inputs):]
            out.append(numeric.outputs(tf, case, inputs))
            out.append(
                [numeric.dense(tf, g) for g in numeric.gradients(tf, case, inputs)] if differentiable(case) else []
            )
        return out

    return tf.function(everything)


def check_compiled(group):
    """Three calls of one function agree with eager code, and it is traced once."""
    function = program(group)
    inputs = [t for case in group for t in numeric.tensors(tf, case)]
    expected = [part for case in group for part in eager(case)] if all("eager" in c.modes for c in group) else None
    for call in ("first", "second", "third"):
        results = function(*inputs)
        expected = expected or results
        for i, (got, wanted) in enumerate(zip(results, expected)):
            case, part = group[i // 2], ("outputs", "gradients")[i % 2]
            numeric.assert_same(got, wanted, case.loose, f"{call} call of {case.id}, {part}")
    assert function.experimental_get_tracing_count() == 1


COMPILED = [c for c in TABLE.values() if "compiled" in c.modes and f"compiled:{c.id}" not in PENDING]
GROUPS = [COMPILED[i: i + GROUP] for i in range(0, len(COMPILED), GROUP)]


@pytest.mark.parametrize("group", GROUPS, ids=[f"{g[0].op}..{g[-1].op}-{i}" for i, g in enumerate(GROUPS)])
def test_compiled(group):
    """A later call of a function is compiled, and gives what the first one gave. On failure each case runs alone."""
    try:
        check_compiled(group)
    except Exception as error:
        failures = []
        for case in group:
            try:
                check_compiled([case])
            except Exception as own:
                failures.append(f"{case.id}: {type(own).__name__}: {str(own).strip()[:300]}")
        raise AssertionError("\n".join(failures) or f"only together: {error}") from error


@pytest.mark.parametrize("name", [n for n in PENDING if n.startswith("compiled:")])
def test_pending_compiled(name):
    """What is listed as not compiling still does not."""
    with pytest.raises(Exception):  # noqa: B017 - any failure at all
        check_compiled([TABLE[name.partition(":")[2]]])


# --- the lists


def test_every_op_has_a_case():
    """Ops without a case are listed, with the place where they are tested; the list only shrinks."""
    covered = {name for case in TABLE.values() for name in case.covers}
    without = listed("ops_without_case.txt")
    missing = sorted(n for n in REGISTRY if n not in covered and n not in without)
    assert not missing, f"Add a line to tests/ops/table_*.py for: {' '.join(missing)}"
    assert not sorted(n for n in without if n in covered), "these have a case now: take them off the list"
    assert not sorted(n for n in without if n not in REGISTRY), "these are no ops of Reflow: take them off the list"


def test_cases_run_their_op():
    """The op that a case is named after is in its trace, unless all of it was folded to constants (results pass an
    Identity)."""
    wrong = []
    for case in TABLE.values():
        if "traced" not in case.modes or f"traced:{case.id}" in PENDING or case.dtype == "bfloat16":
            continue
        graph = traced(
            case, numeric.tensors(tf, case), DIMS if golden(case).get("dims") else KNOWN
        ).get_concrete_function().graph
        names = {n.type for g in with_callees(graph) for n in g.get_operations()}
        if names - {"Placeholder", "Const", "Identity"} and case.op not in names:
            wrong.append(f"{case.id}: {sorted(names)}")
    assert not wrong, "\n".join(wrong)


def with_callees(graph):
    """A graph and the graphs its nodes call."""
    yield graph
    for node in graph.nodes:
        for value in node.attrs.values():
            for callee in value if isinstance(value, (list, tuple)) else [value]:
                if hasattr(callee, "get_operations"):
                    yield from with_callees(callee)


def test_lists_name_cases():
    """The lists of known failures name cases that exist."""
    for name in [*PENDING, *DIFFERENT]:
        assert name.partition(":")[2] in TABLE, name


def test_cotangents_do_not_cancel():
    assert abs(np.sum(numeric.cotangent((7, 5), "float32", 0))) > 1e-3
