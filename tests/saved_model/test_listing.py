"""What a SavedModel contains, as TensorFlow 2.21 prints it. `tests/commands/test_saved_model.py` has the commands."""

import reflow as tf
from reflow.saved_model import listing, saved_model_proto


def test_arguments_of_functions(tmp_path, capsys):
    module, y = tf.Module(), tf.constant([1])
    module.nested = tf.function(lambda values, table, text, *, flag=None: values[0])
    module.nested.get_concrete_function([y, y], {"k": y}, "text", flag=True)
    module.literals = tf.function(lambda values, table: tf.constant(1))
    module.literals.get_concrete_function([1, "a"], {"k": "v", "n": 2})
    tf.saved_model.save(module, str(tmp_path))
    listing.show_functions(saved_model_proto.read(tmp_path).meta_graphs[0].object_graph_def)
    lines = """\

Concrete Functions:
  Function Name: 'literals'
    Option #1
      Callable with:
        Argument #1
          DType: list
          Value: [1, 'a', @]
        Argument #2
          DType: dict
          Value: {'k': 'v', 'n': 2, @}

  Function Name: 'nested'
    Option #1
      Callable with:
        Argument #1
          DType: list
          Value: [TensorSpec(shape=(1,), dtype=tf.int32, name='values_0'), """
    lines += """TensorSpec(shape=(1,), dtype=tf.int32, name='values_1'), @]
        Argument #2
          DType: dict
          Value: {'k': TensorSpec(shape=(1,), dtype=tf.int32, name='table_k'), @}
        Argument #3
          text
        Named Argument #1
          flag
"""
    assert capsys.readouterr().out == lines.replace("@", "\b\b")


def test_scan(capsys):
    meta = saved_model_proto.MetaGraphDef()
    meta.meta_info_def.tags.append("serve")
    meta.graph_def.node.add(name="a", op="ReadFile")
    listing.scan(meta, {"Foo"})
    listing.scan(meta, listing.DENYLIST)
    assert capsys.readouterr().out == (
        "MetaGraph with tag set ['serve'] does not contain the default denylisted ops: {'Foo'}\n"
        "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'ReadFile'}\n"
    )
