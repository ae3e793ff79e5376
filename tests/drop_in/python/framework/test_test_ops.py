"""The ops of TensorFlow's own tests. They are registered for good, so a process of its own asks for them."""

from tests.drop_in.processes import check


def test_nodes_and_kernels():
    out = check(
        """
        import tensorflow as tf
        from tensorflow.python.framework import test_ops

        with tf.Graph().as_default() as g:
            x = test_ops.float_output(name="x")
            print(x.shape, g.create_op("TwoFloatInputs", [x, x], []).node_def.input, len(test_ops.n_ints_out(N=3)))
            print(test_ops.namespace_test_string_output(x)._fields, [t.dtype.name for t in test_ops.foo2(x, "a", "b")])
        print(test_ops.graph_def_version().numpy(), test_ops.sleep_identity_op(0, [5]).numpy(), test_ops.old())
        handle = test_ops.stub_resource_handle_op(container="a", shared_name="b")
        before = test_ops.resource_initialized_op(handle).numpy()
        test_ops.resource_create_op(handle)
        print(before, test_ops.resource_initialized_op(handle).numpy())
        try:
            test_ops.float_output()
        except tf.errors.NotFoundError as error:
            print(str(error).splitlines()[1:3])
        """
    )
    assert out.splitlines() == [
        "<unknown> ['x', 'x'] 3",
        "('output1', 'output2') ['float32', 'int32']",
        "2474 [5] None",
        "False True",
        "['All kernels registered for op FloatOutput:', '  <no registered kernels>']",
    ]
