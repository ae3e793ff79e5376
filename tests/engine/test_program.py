"""Graphs as one program."""

import jax
import numpy as np
from jax import export

import reflow as tf
from reflow.engine import program
from reflow.function.tracing import trace_to_graph


def test_a_program_is_exported_and_its_compiled_code_found_again(tmp_path):
    graph = trace_to_graph(lambda x: x * 2.0, "double", (tf.TensorSpec([3]),))
    function = program.whole_function(graph)
    made = program.exported(function, [], [jax.ShapeDtypeStruct((3,), np.float32)])
    x = np.ones(3, np.float32)
    call, files = program.compiled(made, 1, {})
    np.testing.assert_array_equal(call([], [x])[0], [2, 2, 2])
    jax.clear_caches()  # as in another process
    again = export.deserialize(bytearray(made.serialize()))
    events: list[str] = []
    listen = lambda event, **_: events.append(event)
    jax.monitoring.register_event_listener(listen)
    try:
        call, found = program.compiled(again, 1, files)
    finally:
        jax.monitoring.unregister_event_listener(listen)
    kinds = {event.rpartition("/")[2] for event in events}
    assert len(files) == 1 and found == files and "cache_hits" in kinds and "cache_misses" not in kinds
    np.testing.assert_array_equal(call([], [x])[0], [2, 2, 2])
    assert program.workspace(made) >= 0 and program.seconds(call, [], [x]) > 0


def test_small_weights_are_constants_of_a_program(monkeypatch):
    monkeypatch.setattr(program, "FEW_BYTES", 0)
    bias, matrix = np.ones(3, np.float32), np.full((3, 3), 2, np.float32)
    monkeypatch.setattr(program, "SMALL_WEIGHT", bias.nbytes)
    shape = jax.ShapeDtypeStruct((1, 3), np.float32)
    made = program.exported(lambda w, x: [x[0] @ w[1] + w[0]], [bias, matrix], [shape])
    assert program.arguments([bias, matrix]) == [1] and [a.shape for a in made.in_avals] == [(3, 3), (1, 3)]
    call, _ = program.compiled(made, 1, {})
    for _ in range(2):
        np.testing.assert_array_equal(call([bias, matrix], [np.ones((1, 3), np.float32)])[0], [[7, 7, 7]])


def test_what_xla_has_no_form_of_is_no_program():
    graph = trace_to_graph(lambda x: tf.where(x), "places", (tf.TensorSpec([3], tf.bool),))
    assert program.whole_function(graph) is None


def test_our_kernels_are_found_by_name():
    assert program.kernels_in("custom_call @reflow_product(%a) custom_call @other") == ["reflow_product"]


def test_the_cache_folder_is_set_for_a_while(tmp_path):
    before = jax.config.jax_compilation_cache_dir
    with program.compilation_cache_in(str(tmp_path)):
        assert jax.config.jax_compilation_cache_dir == str(tmp_path)
    assert jax.config.jax_compilation_cache_dir == before


def test_exact_products_are_not_rounded_to_tf32():
    x = jax.ShapeDtypeStruct((4, 4), "float32")
    product = lambda a, b: a @ b
    assert "HIGHEST" in jax.jit(program.exact(product)).lower(x, x).as_text()
    assert "HIGHEST" not in jax.jit(product).lower(x, x).as_text()
