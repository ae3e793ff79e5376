"""Which ops can run."""

from reflow.drop_in.python.framework.inspection import kernels


def test_kernels_of_one_op_and_of_all():
    first = kernels.get_registered_kernels_for_op("MatMul").kernel[0]
    assert (first.op, first.device_type) == ("MatMul", "CPU")
    assert not kernels.get_registered_kernels_for_op("NoSuchOp").kernel
    assert {"Add", "MatMul"} <= {k.op for k in kernels.get_all_registered_kernels().kernel}
