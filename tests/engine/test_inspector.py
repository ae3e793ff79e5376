"""What an engine is made of."""

import json

import reflow.engine as trt
from tests.engine.engines import engine


def test_the_table_names_layers_passes_and_precisions():
    text = engine().inspect()
    assert "scales folded into weights: 1" in text and "Conv2D" in text and "precisions: " in text


def test_times_of_layers():
    inspector = engine().create_engine_inspector()
    times = inspector.layer_times()
    assert all(t > 0 for t in times.values()) and any("Conv2D" in name for name in times)
    assert " us " in inspector.table(times=True)


def test_information_as_json():
    found = json.loads(engine().get_engine_information(trt.LayerInformationFormat.JSON))
    assert len(found["Layers"]) == engine().num_layers and found["Bindings"] == ["x", "y"]
    assert "Conv2D" in engine().create_engine_inspector().get_engine_information()
