"""The table of renamed names."""

from reflow.drop_in.tools.compatibility.all_renames_v2 import symbol_renames


def test_names_and_their_successors():
    assert symbol_renames["tf.AUTO_REUSE"] == "tf.compat.v1.AUTO_REUSE"
    assert symbol_renames["tf.COMPILER_VERSION"] == "tf.version.COMPILER_VERSION"
