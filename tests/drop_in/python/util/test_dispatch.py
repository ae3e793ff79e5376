"""Functions that are taken over for other types."""

import pytest

import reflow as tf
from reflow.drop_in.python.util import dispatch

internal = tf.__internal__.dispatch


class Text(tf.experimental.ExtensionType):
    value: tf.Tensor


@internal.add_dispatch_support
def size(x, factor=1, name=None):
    return "size", x, factor


def test_a_function_with_support_is_taken_over_before_it_runs():
    @tf.experimental.dispatch_for_api(size, {"x": Text})
    def size_of_text(x, factor=1, name=None):
        return "text", factor

    assert size(Text("a"), 2) == ("text", 2) and size(1) == ("size", 1, 1)
    assert dispatch.type_based_dispatch_signatures_for(Text)[size] == [{"x": Text}]
    known = dispatch.apis_with_type_based_dispatch()
    assert size in known and any(function.__name__ == "concat" for function in known)
    tf.experimental.unregister_dispatch_for(size_of_text)
    assert size(Text("a"))[0] == "size" and size not in dispatch.type_based_dispatch_signatures_for(Text)


def test_further_elementwise_functions():
    @dispatch.register_unary_elementwise_api
    @internal.add_dispatch_support
    def double(x):
        return x + x

    @tf.experimental.dispatch_for_unary_elementwise_apis(Text)
    def handle(function, x):
        return function(x.value)

    @dispatch.register_unary_elementwise_api
    @internal.add_dispatch_support
    def triple(x):
        return x + x + x

    assert double(Text("a")).numpy() == b"aa" and triple(Text("a")).numpy() == b"aaa"
    assert (
        {tf.abs, double, triple} < set(dispatch.unary_elementwise_apis())
        and tf.add in dispatch.binary_elementwise_apis()
    )
    tf.experimental.unregister_dispatch_for(handle)
    with pytest.raises(ValueError, match="does not support dispatch"):
        dispatch.register_binary_elementwise_api(lambda x, y: x)


def test_dispatchers_of_a_function():
    @dispatch.dispatch_for_types(size, dict)
    def size_of_dict(x, factor=1, name=None):
        return "dict"

    assert dispatch.dispatch(size, ({},), {}) == "dict"
    assert dispatch.dispatch(size, (1,), {}) is internal.OpDispatcher.NOT_SUPPORTED
    listed = dispatch.add_fallback_dispatch_list(lambda x: x)
    with pytest.raises(AssertionError, match="already has a dispatch list"):
        dispatch.add_fallback_dispatch_list(listed)


def test_a_function_with_fewer_parameters():
    fitted = dispatch.get_compatible_func(size, lambda x, factor=1: (x, factor))
    assert fitted(3, 4) == (3, 4)
    with pytest.raises(AssertionError, match="`name` set to a non-default value"):
        fitted(3, name="n")
    with pytest.raises(AssertionError, match=r"func has \['q'\]. op has \['x'\]"):
        dispatch.get_compatible_func(size, lambda q: q)


def test_iterables_become_lists():
    assert dispatch.replace_iterable_params((iter([1]), 2), {}, [("x", 0)]) == (([1], 2), {})
    assert dispatch.replace_iterable_params((), {"x": iter([1])}, [("x", 0)]) == ((), {"x": [1]})


def test_a_type_is_noted_once():
    class Noted:
        pass

    assert dispatch.register_dispatchable_type(Noted) is Noted
    with pytest.raises(ValueError, match="has already been registered"):
        dispatch.register_dispatchable_type(Noted)
    with pytest.raises(ValueError, match="Expected a type object; got object with type int"):
        dispatch.register_dispatchable_type(3)


def test_a_function_that_asks_its_targets_itself():
    @dispatch.add_type_based_api_dispatcher
    def plain(x, name=None):
        return "plain"

    @tf.experimental.dispatch_for_api(plain, {"x": Text})
    def for_text(x, name="other"):
        return "text"

    targets = getattr(plain, dispatch.TYPE_BASED_DISPATCH_ATTR)
    assert plain(Text("a")) == "plain" and targets.Dispatch((Text("a"),), None) == "text"
    assert targets.Dispatch((1,), {}) is NotImplemented and plain in dispatch._TYPE_BASED_DISPATCH_SIGNATURES
    tf.experimental.unregister_dispatch_for(for_text)
    with pytest.raises(ValueError, match="already has a type-based API dispatcher"):
        dispatch.add_type_based_api_dispatcher(plain)
    assert not hasattr(dispatch.add_type_based_api_dispatcher(lambda *a: a), dispatch.TYPE_BASED_DISPATCH_ATTR)


def test_checkers_of_annotations():
    found = [
        dispatch.make_type_checker(annotation).Check(value).name
        for annotation, value in ((list[int], [1]), (int | str, "a"), (None, None), (int, "s"))
    ]
    assert found == ["MATCH", "MATCH", "MATCH", "NO_MATCH"]


def test_docstrings_with_lists_of_functions():
    def decorator():
        """For:
        <<API_LIST>>"""

    dispatch._update_docstring_with_api_list(decorator, [tf.abs, size])
    assert decorator.__doc__.endswith("  * `tf.math.abs(x, name)`")
    dispatch.update_docstrings_with_api_lists()


def test_what_cannot_be_taken_over():
    with pytest.raises(AssertionError, match="Dispatching not enabled for"):
        internal.OpDispatcher().register(lambda x: x)
    with pytest.raises(TypeError, match="iterable_parameters should be a list or tuple of string"):
        internal.add_dispatch_support(iterable_parameters="xs")
    text = r"Dispatch function's signature \(a, name=None\) does not match API's signature \(x, factor=1, name=None\)"
    with pytest.raises(ValueError, match=text):
        tf.experimental.dispatch_for_api(size, {"x": Text})(lambda a: a)
