"""`tensorflow.python.ops.linalg.linear_operator`: operators of libraries as composite tensors."""


def make_composite_tensor(cls, module_name="tf.linalg"):
    """A class of linear operators whose objects functions take apart: every one is, by the fields that it names in
    `_composite_tensor_fields`."""
    return cls
