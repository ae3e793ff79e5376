"""Where plans lie beside a SavedModel, and who reads them."""

import os

from reflow.function.plans import PLANS, plans


def test_the_engine_reads_plans_in_a_folder_that_tensorflow_leaves_alone():
    assert PLANS.split(os.sep)[0] == "assets.extra"
    assert callable(plans.load().serve_by_plans)
