"""Names of specs in files."""

import reflow as tf
from reflow.drop_in.python.framework.specs import type_spec_registry


def test_the_tables_are_those_of_the_registry():
    assert type_spec_registry._NAME_TO_TYPE_SPEC["tf.TensorSpec"] is tf.TensorSpec
    assert type_spec_registry.get_name(tf.TensorSpec) == type_spec_registry._TYPE_SPEC_TO_NAME[tf.TensorSpec]
