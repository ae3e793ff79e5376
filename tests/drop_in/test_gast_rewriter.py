"""AutoGraph's rewriter on trees of `gast`, as TensorFlow's private modules have it."""

import textwrap

import gast

from reflow.drop_in import gast_rewriter

parser, templates, transformer, transpiler = (
    gast_rewriter.module(f"pyct.{name}") for name in ("parser", "templates", "transformer", "transpiler")
)


def scaled(a, *, by: int = 2):
    try:
        return a * by
    except TypeError as error:
        raise ValueError from error


def test_parsed_code_is_made_of_gast_nodes():
    node, source = parser.parse_entity(scaled, future_features=())
    assert isinstance(node, gast.FunctionDef) and source.startswith("def scaled")
    (a,), (by,) = node.args.args, node.args.kwonlyargs
    assert (a.id, by.id) == ("a", "by") and isinstance(a.ctx, gast.Param) and by.annotation.id == "int"
    handler = node.body[0].handlers[0]
    assert isinstance(handler.name, gast.Name)
    assert parser.unparse(node, include_encoding_marker=False).startswith("def scaled(a, *, by: int=2):")


def test_lambda_is_found_by_its_parameters():
    f, g = lambda x, y: x + y, lambda z: z
    assert parser.parse_entity(f, ())[0].body.left.id == "x" and parser.parse_entity(g, ())[0].args.args[0].id == "z"


def test_templates_take_and_give_gast_nodes():
    template = """
      def name(parameter):
        return value
    """
    (made,) = templates.replace(template, name="f", parameter="x", value=parser.parse_expression("x + 1"))
    assert isinstance(made, gast.FunctionDef) and isinstance(made.body[0].value, gast.BinOp)
    assert parser.unparse(made, include_encoding_marker=False) == "def f(x):\n    return x + 1"


class Subtractions(transpiler.PyToPy):
    """Writes `+` as `-`."""

    def get_caching_key(self, context):
        return 0

    def get_extra_locals(self):
        return {}

    def transform_ast(self, node, context):
        class Steps(transformer.Base):
            def visit_BinOp(self, node):
                node.op = gast.Sub()
                return self.generic_visit(node)

        return Steps(context).visit(node)


def added(a, b=1):
    return a + b


def test_transpiler_runs_the_changed_function():
    changed, module, source_map = Subtractions().transform(added, None)
    assert (changed(1), changed(5, 2)) == (0, 3) and module is not None and source_map


def test_activity_knows_parameters():
    names = gast_rewriter.module("pyct.qual_names")
    activity, anno, naming = (gast_rewriter.module(f"pyct.{n}") for n in ("static_analysis.activity", "anno", "naming"))
    source = textwrap.dedent("""
        def f(a, b: c = d):
            e = a
            return e
    """)
    node = parser.parse(source)
    info = transformer.EntityInfo(name="f", source_code=source, source_file=None, future_features=(), namespace={})
    node = activity.resolve(names.resolve(node), transformer.Context(info, naming.Namer({}), None))
    scope = anno.getanno(node, anno.Static.SCOPE)
    assert {str(n) for n in scope.read} == {"c", "d"} and {str(n) for n in scope.annotations} == {"c"}
    parameters = anno.getanno(node.args, anno.Static.SCOPE)
    inside = anno.getanno(node, activity.NodeAnno.ARGS_AND_BODY_SCOPE)
    assert {str(n) for n in parameters.params} == {"a", "b"} and {str(n) for n in inside.bound} == {"a", "b", "e"}


def test_reflow_itself_stays_on_ast():
    from reflow.api.autograph import conversion

    assert conversion.parser.__name__ == "malt.pyct.parser" and parser.__name__ == "malt_on_gast.pyct.parser"


def test_directives_of_user_code_are_recognised():
    from malt.lang import directives

    assert gast_rewriter.module("converters.directives").directives is directives
