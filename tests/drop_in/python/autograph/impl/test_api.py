"""The rewriter of functions, with one step of its own."""

import reflow as tf
from reflow.drop_in import gast_rewriter
from reflow.drop_in.python.autograph.core import converter
from reflow.drop_in.python.autograph.impl import api

logical_expressions = gast_rewriter.module("converters.logical_expressions")


class Logical(api.PyToTF):
    """Rewrites `and`, `or` and `not` alone."""

    def transform_ast(self, node, ctx):
        return logical_expressions.transform(self.initial_analysis(node, ctx), ctx)


def both(a, b):
    return a and not b


def test_a_subclass_says_what_is_rewritten():
    options = converter.ConversionOptions(recursive=True)
    context = converter.ProgramContext(options=options, autograph_module=None)
    rewritten, _, _ = Logical().transform_function(both, context)

    @tf.function(autograph=False)
    def f(a, b):
        return rewritten(a, b)

    assert f(tf.constant(True), tf.constant(False)).numpy() and rewritten(True, False) is True
    assert (
        api.is_autograph_artifact(tf.autograph.experimental.do_not_convert(both))
        and not api.is_autograph_artifact(both)
    )


def absolute(x):
    if x < 0:
        x = -x
    return x


def test_a_function_is_converted_when_it_is_called():
    converted = api.convert(recursive=True)(absolute)
    assert api.is_autograph_artifact(converted) and converted.__name__ == "absolute"

    @tf.function(autograph=False)
    def f(x):
        return converted(x)

    assert f(tf.constant(-3)).numpy() == 3


def test_neither_asked_for_nor_forbidden():
    from reflow.drop_in.python.autograph.core import ag_ctx

    with ag_ctx.ControlStatusCtx(ag_ctx.Status.DISABLED):
        status = api.call_with_unspecified_conversion_status(lambda: ag_ctx.control_status_ctx().status)()
    assert status is ag_ctx.Status.UNSPECIFIED
