"""`tensorflow.python.eager.polymorphic_function.concrete_function`: traces of functions, made from graphs."""

from reflow.drop_in.python.eager.polymorphic_function.attributes import parse_func_attrs
from reflow.function import concrete


class _Checked(type):
    """Knows every trace as an instance."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, concrete.ConcreteFunction)


class ConcreteFunction(metaclass=_Checked):
    """`ConcreteFunction(atomic)`: the trace behind a graph function, as a new object."""

    def __new__(cls, atomic_fn, shared_func_graph=True):
        made = object.__new__(concrete.ConcreteFunction)
        vars(made).update(vars(atomic_fn.concrete))
        return made

    @staticmethod
    def from_func_graph(graph, function_type, attrs=None, shared_func_graph=True):
        """The trace whose body is a graph; `attrs` are attributes of its FunctionDef."""
        parse_func_attrs(attrs or {})  # refuses what is none
        graph.attributes = dict(attrs or {})
        return concrete.ConcreteFunction(graph)
