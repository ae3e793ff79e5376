"""`tf.Module`."""

import collections
import copy
import pickle

import pytest

import reflow as tf
from reflow.core.context import state
from reflow.eager.module import Module, camel_to_snake
from reflow.eager.variables import Variable


class Leaf(Module):
    def __init__(self, name=None):
        super().__init__(name)
        with self.name_scope:
            self.w = Variable(1.0, name="w")
            self.b = Variable(2.0, name="b", trainable=False)


def named(variables) -> list[str]:
    return [v.name for v in variables]


def test_names():
    assert Module().name == "module"
    assert Leaf().name == "leaf"
    assert Leaf("other").name == "other"
    assert camel_to_snake("HTMLParser2X") == "html_parser2_x"
    for bad in ("a-b", "a/b", "1a", ""):
        with pytest.raises(
            ValueError, match="is not a valid module name. Module names must be valid Python identifiers"
        ):
            Module(bad)
    with pytest.raises(TypeError):
        Module(3)


def test_name_scopes_nest():
    class Outer(Module):
        @Module.with_name_scope
        def build(self):
            """Builds."""
            self.v = Variable(1.0)
            self.leaf = Leaf()
            with self.name_scope as scope:
                return scope

    outer = Outer()
    assert outer.build() == "outer/"
    assert outer.v.name == "outer/Variable:0"
    assert outer.leaf.name_scope.name == "outer/leaf/"
    assert outer.leaf.w.name == "outer/leaf/w:0"
    assert Outer.build.__doc__ == "Builds."
    assert state.name_scope == ""
    with pytest.raises(RuntimeError), outer.name_scope:
        raise RuntimeError
    assert state.name_scope == ""


def test_variables_are_sorted_by_attribute_then_by_submodule():
    root = Module("root")
    root.z = Variable(1.0, name="z")
    root.leaf = Leaf("leaf")
    root.a = {"y": [Variable(1.0, name="ay")], "x": (Variable(1.0, name="ax"), 3)}
    root.again = root.leaf
    assert named(root.variables) == ["ax:0", "ay:0", "z:0", "leaf/b:0", "leaf/w:0"]
    assert named(root.trainable_variables) == ["ax:0", "ay:0", "z:0", "leaf/w:0"]
    assert named(root.non_trainable_variables) == ["leaf/b:0"]
    assert root.submodules == (root.leaf,)


def test_cycles_and_paths():
    root, child = Module("root"), Module("child")
    root.items, child.parent, child.v = [child], root, Variable(1.0, name="v")
    assert root.submodules == (child,)
    assert child.submodules == (root,)
    paths = [path for path, leaf in root._flatten(predicate=lambda x: isinstance(x, Variable), with_path=True)]
    assert paths[0] == ("items", 0, "v")
    assert all(path[-1] == "v" for path in paths)
    direct = list(root._flatten(recursive=False, predicate=lambda x: isinstance(x, (Module, Variable))))
    assert direct == [child]
    backwards = Leaf()._flatten(
        predicate=lambda x: isinstance(x, Variable), attribute_traversal_key=lambda k: -ord(k[0])
    )
    assert named(backwards) == ["leaf/w:0", "leaf/b:0"]


def test_without_calling_the_constructor():
    class Lazy(Module):
        def __init__(self):
            self.v = Variable(1.0)

    lazy = Lazy()
    assert len(lazy.variables) == 1
    with pytest.raises(AttributeError, match="_name"):
        _ = lazy.name


def test_composites_are_taken_apart():
    from reflow.core.indexed_slices import IndexedSlices

    module = Module()
    module.slices = IndexedSlices(Variable([1.0], name="values"), Variable([0], name="indices"))
    assert named(module.variables) == ["values:0", "indices:0"]


def test_attributes_that_cannot_be_sorted():
    module = Module()
    module.d = {1: 2, "a": 3}
    with pytest.raises(ValueError, match="Error processing property 'd' of DictWrapper"):
        _ = module.variables


def test_copies():
    module = Leaf()
    module.items = [Variable(3.0)]
    copied = copy.deepcopy(module)
    assert copied.w is not module.w
    assert copied.w.numpy() == 1.0
    copied.w.assign(5.0)
    assert module.w.numpy() == 1.0
    assert [id(x) for x in copied._trackable_children().values()] == [id(copied.w), id(copied.b), id(copied.items)]
    restored = pickle.loads(pickle.dumps(module))
    assert restored.w.numpy() == 1.0
    assert list(restored._trackable_children()) == ["w", "b", "items"]


def test_namedtuple_attributes():
    pair = collections.namedtuple("Pair", "a b")
    module = Module()
    module.pair = pair(Variable(1.0, name="first"), [Variable(2.0, name="second")])
    assert named(module.variables) == ["first:0", "second:0"]


def test_classes_among_the_attributes():
    """`dict(locals())` of a constructor, which TensorFlow Probability keeps, holds the class itself."""

    class Pair(tf.experimental.ExtensionType):
        x: tf.Tensor

    module = Module()
    module.parameters = {"__class__": Pair, "v": Variable(1.0), "value": Pair(tf.constant(2.0))}
    assert [v.numpy() for v in module.trainable_variables] == [1.0]


def test_a_deep_copy_of_a_module_has_functions_of_its_own():
    module = tf.Module()
    module.v = tf.Variable(1.0)
    module.step = tf.function(lambda x, by=2.0: x * by, input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    module.step(3.0)
    copied = copy.deepcopy(module)
    assert copied.step is not module.step and copied.step(3.0).numpy() == 6.0
    assert copied.step.input_signature == module.step.input_signature
    copied.v.assign(5.0)
    assert module.v.numpy() == 1.0
