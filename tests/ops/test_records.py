"""Every record is complete and true: what it says about its op is well-formed,
and holds for the cases of the op table."""

import dataclasses
import functools

import numpy as np
import pytest

import reflow as tf
from reflow.compile import batched_rules, call_rules, loops  # noqa: F401 - they add to records
from reflow.core.context import state
from reflow.eager import accelerator  # noqa: F401 - it adds to records
from reflow.function import row_rules  # noqa: F401 - they add to records
from reflow.ops import registry
from reflow.ops.registry import REGISTRY
from reflow.ops.xp import host as host_xp
from reflow.runtime.interpret import host_value, run_instructions
from reflow.runtime.schedule import schedule_of
from tests.ops import numeric, table_training
from tests.ops.table import TABLE

RECORDS = list(REGISTRY.values())
WITH_FUNCTIONS = ("grad", "grad_tensors", "shape", "value", "trace_check", "trace_words", "batch", "lower")
WITH_NAMES = ("needs", "shape_only", "nondiff", "static", "reads", "writes")


def arguments(record, outputs=False) -> set:
    named = [*record.definition.inputs, *(record.definition.outputs if outputs else ())]
    return {arg.name for arg in named}


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_fields_are_well_formed(record):
    for field in WITH_FUNCTIONS:
        value = getattr(record, field, None)
        assert value is None or callable(value), field
    for field in WITH_NAMES:
        names = getattr(record, field) or ()
        if field == "static" and callable(names):  # they depend on the node: gradients
            continue
        assert isinstance(names, tuple) and len(set(names)) == len(names), field
        assert set(names) <= arguments(record, outputs=field in ("needs", "shape_only")), field
    assert record.needs is None or set(record.shape_only) <= set(record.needs), (
        "only what a gradient needs can matter by its shape"
    )
    assert callable(record.shape)
    assert not (record.elementwise and len(record.definition.outputs) != 1), "an elementwise op has one output"


@pytest.mark.parametrize("record", [r for r in RECORDS if r.definition.stateful or r.stateful], ids=lambda r: r.name)
def test_stateful_ops_say_what_they_do(record):
    """Each resource is read or written; what is pure says nothing else."""
    said = record.reads or record.writes or record.effect or record.opaque or record.hidden_counter or record.flow
    assert bool(said) != record.pure
    resources = {arg.name for arg in record.definition.inputs if arg.type == "DT_RESOURCE"}
    assert resources == {*record.reads, *record.writes}
    assert not set(record.reads) & set(record.writes)


def test_graphs_have_a_flow():
    """An op that runs graphs says how, except those of datasets, which keep them for later."""
    functions = {r.name for r in RECORDS if any("func" in a.type for a in r.definition.attrs.values())}
    functions -= {"XlaCallModule"}  # it rejects a program that calls functions
    with_flow = {r.name for r in RECORDS if r.flow}
    assert {n for n in functions - with_flow if "Dataset" not in n and "Iterator" not in n} == set()
    assert with_flow - functions == {"Reflow>VMap"}  # attributes of our own have no type


def test_what_is_refused():
    definition, kernel = registry.opdef.lookup("Assert"), lambda _, condition, data: ()
    with pytest.raises(TypeError, match="Assert is stateful"):
        registry.Op(definition, kernel, shape=lambda f: [])
    with pytest.raises(TypeError, match="unexpected keyword argument 'costs'"):
        registry.Op(definition, kernel, shape=lambda f: [], costs=3)
    with pytest.raises(TypeError, match="shape"):
        registry.Op(definition, kernel, effect=True)


def test_what_only_upper_layers_know_is_said_once():
    record = registry.get("Add")
    with pytest.raises(TypeError, match="`heavy` of Add is said where its kernel is registered"):
        registry.extend(record, heavy=True)
    with pytest.raises(TypeError, match="`costs` of Add"):
        registry.extend(record, costs=3)
    with pytest.raises(ValueError, match="`grad_tensors` of While is set twice"):
        registry.extend(registry.get("While"), grad_tensors=lambda *args: None)


# --- facts that can be tried out --------------------------------------------------------------------------------------


@functools.cache
def calls() -> dict:
    """Record -> the calls of it in the op table: (attributes, operands, outputs). Cases are traced and interpreted."""
    found: dict = {}
    for case in TABLE.values():
        wanted = [REGISTRY[name] for name in case.covers if name in REGISTRY]
        if "traced" not in case.modes or not any(r.batch for r in wanted):
            continue
        tensors = numeric.tensors(tf, case)
        traced = tf.function(functools.partial(lambda case, *xs: numeric.outputs(tf, case, xs), case))
        graph = traced.get_concrete_function(*tensors).graph
        plan = schedule_of(graph)
        env = dict(zip(plan.inputs, [host_value(t._value) for t in (*tensors, *graph.external_captures)], strict=True))
        for i in plan.instructions:
            run_instructions([i], env, [()])
            found.setdefault(i.op, []).append((i.attrs, [env[s] for s in i.ins], [env[s] for s in i.outs]))
    return found


def run(op, attrs, values):
    out = state.run(op.call, host_xp, values, attrs)
    return [out] if op.single else list(out)


def assert_same(got, expected):
    """NumPy may compute an element a little differently at another place of an array."""
    if expected.dtype.kind in "fc":
        np.testing.assert_allclose(got, expected, 8 * np.finfo(expected.dtype).eps)
    else:
        np.testing.assert_array_equal(got, expected)


def shuffled(values):
    """Operands broadcast against each other, as flat arrays in another order, and that order."""
    shape = np.broadcast_shapes(*[v.shape for v in values])
    order = np.random.default_rng(3).permutation(int(np.prod(shape)))
    return [np.broadcast_to(v, shape).reshape(-1)[order] for v in values], order


@pytest.mark.parametrize("record", [r for r in RECORDS if r.identity], ids=lambda r: r.name)
def test_identities_hand_on_their_inputs(record):
    values = [np.arange(3), np.arange(4)][: 2 if record.has_lists else 1]
    assert [id(v) for v in run(record, {}, values)] == [id(v) for v in values]


#: a schedule has no `Identity`, and a gradient is put into no case as such: `tests/function/test_vectorized.py`
NEVER_CALLED = ("Identity", "Reflow>VJP")


@pytest.mark.parametrize("record", [r for r in RECORDS if r.elementwise and not r.identity], ids=lambda r: r.name)
def test_elementwise_ops_are(record):
    """Each element of the result depends on one element of each operand."""
    for attrs, values, (expected,) in calls()[record]:
        flat, order = shuffled(values)
        (got,) = run(record, attrs, flat)
        assert_same(got, expected.reshape(-1)[order])


@pytest.mark.parametrize("record", [r for r in RECORDS if r.batch and r.name not in NEVER_CALLED], ids=lambda r: r.name)
def test_a_batching_rule_does_what_rows_do(record):
    tried = 0
    for attrs, values, _ in calls().get(record, ()):
        second = [np.roll(v.reshape(-1), 1).reshape(v.shape) for v in values]
        for flags in [*{tuple(i == k for i in range(len(values))) for k in range(len(values))}, (True,) * len(values)]:
            rows = [np.stack([v, w]) if f else v for v, w, f in zip(values, second, flags, strict=True)]
            batched = record.batch(record, attrs, rows, list(flags))
            if batched is None:
                continue
            tried += 1
            op, new_attrs, operands = batched
            (got,) = run(op, new_attrs, operands)
            for n in range(2):
                (expected,) = run(record, attrs, [r[n] if f else r for r, f in zip(rows, flags, strict=True)])
                assert_same(got[n], expected)
    assert tried, "no case of the op table shows its batching rule"


# --- lowering ---------------------------------------------------------------------------------------------------------


@tf.function(jit_compile=True)
def drawn_twice(v):
    return v + tf.random.uniform([2]), tf.random.normal([2])


def use_state(v, n):
    """One use of each op with a lowering rule that the op table's compiled programs do not hold."""
    v.assign(v * 1.0)
    v.assign_add(v)
    v.assign_sub(v / 2.0)
    rows = tf.IndexedSlices(tf.ones([1, 2]), [1], [3, 2])
    for scatter in (v.scatter_add, v.scatter_sub, v.scatter_mul, v.scatter_max, v.scatter_min, v.scatter_update):
        scatter(rows)
    v[0, :1].assign([7.0])
    with tf.GradientTape() as tape:
        picked = tf.gather(v, [n, 0])
    slices = tape.gradient(picked, v)
    tf.cond(n > 0, lambda: v.assign_add(v), lambda: v.assign_sub(v))
    tf.switch_case(n, [lambda: v.assign_add(v), lambda: v.assign_sub(v / 4.0)])
    tf.while_loop(lambda i: i < n + 2, lambda i: (v.assign_add(tf.ones([3, 2])), i + 1)[1:], [0])
    draws = [tf.random.uniform([2]), tf.random.normal([2]), tf.random.truncated_normal([2]), *drawn_twice(picked[0])]
    draws += [tf.random.uniform([2], maxval=5, dtype=tf.int32), tf.random.categorical([[0.5, 0.5]], n)]
    return picked, tf.convert_to_tensor(slices), [d.shape.as_list() for d in draws]


def take_steps(variables):
    """One step of each optimizer."""
    for optimizer in table_training.SLOTS:
        operands = {name: table_training.SCALARS[name] for name in table_training.OPERANDS[optimizer].split()}
        operands |= {
            name: variables[optimizer, name].handle for name in ("var", *table_training.SLOTS[optimizer].split())
        }
        operands["delta" if "GradientDescent" in optimizer else "grad"] = tf.constant([0.3, -0.2])
        if optimizer == "AdagradDA":
            operands["global_step"] = tf.constant(3, tf.int64)
        getattr(tf.raw_ops, f"ResourceApply{optimizer}")(**operands)


def optimized() -> dict:
    """A variable and its slots for each optimizer; a mean gradient `mg` whose square is less than the mean square."""
    slots = [(optimizer, name) for optimizer, names in table_training.SLOTS.items() for name in ("var", *names.split())]
    return {slot: tf.Variable([0.1, 0.2] if slot[1] == "mg" else [1.0, 2.0]) for slot in slots}


def test_every_lowering_rule_is_used(monkeypatch):
    """By a case of the op table that is compiled, or here; and what is computed here is what eager code computes."""
    used = set()

    def watched(record, lower):
        return lambda *args: used.add(record.name) or lower(*args)

    for record in RECORDS:
        if record.lower is not None:
            monkeypatch.setattr(record, "lower", watched(record, record.lower))
    start = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    eager, compiled = tf.Variable(start), tf.Variable(start)
    expected = [use_state(eager, tf.constant(1)) for _ in range(2)]
    function = tf.function(use_state)
    got = [function(compiled, tf.constant(1)) for _ in range(2)]
    for (a, b, _), (c, d, _) in zip(expected, got, strict=True):
        np.testing.assert_allclose(a, c, 1e-6)
        np.testing.assert_allclose(b, d, 1e-6)
    np.testing.assert_allclose(eager, compiled, 1e-6)
    stepped, again = optimized(), optimized()
    steps = tf.function(lambda: take_steps(again))
    for _ in range(2):
        take_steps(stepped)
        steps()
    np.testing.assert_allclose(list(stepped.values()), list(again.values()), 1e-5)
    in_table = {name for case in TABLE.values() if "compiled" in case.modes for name in case.covers}
    assert {r.name for r in RECORDS if r.lower} - in_table == used - in_table


def test_every_field_is_a_fact_of_some_op():
    """A field that no record uses is dead."""
    for field in dataclasses.fields(registry.Op):
        if field.default is not dataclasses.MISSING:
            assert any(getattr(r, field.name) != field.default for r in RECORDS), f"no record says `{field.name}`"
