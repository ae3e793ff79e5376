"""Whether conversion is on, for a `with` block."""

from reflow.drop_in.python.autograph.core import ag_ctx


def test_blocks():
    before = ag_ctx.control_status_ctx()
    with ag_ctx.NullCtx() as nothing:
        assert nothing is None and ag_ctx.control_status_ctx() is before
    with ag_ctx.ControlStatusCtx(ag_ctx.Status.DISABLED):
        assert ag_ctx.control_status_ctx().status is ag_ctx.Status.DISABLED
