"""GraphDefs: written to files, imported under names that are taken, with maps and functions; graphs that are wrong leave nothing behind."""
import os
import tempfile

import tensorflow as tf

v1 = tf.compat.v1


@tf.function
def square(x):
    return x * x + 1.0


with tf.Graph().as_default() as g:
    a = v1.placeholder(tf.float32, [None], name="a")
    b = v1.placeholder_with_default([1.0, 2.0], [2], name="b")
    c = tf.add(square(a), b, name="c")
    with tf.control_dependencies([c]):
        e = tf.identity(a, name="e")
    i = tf.cond(a[0] > 0, lambda: a, lambda: -a, name="choice")
proto = g.as_graph_def()
print([(n.name, n.op, list(n.input)) for n in proto.node], len(proto.library.function))
print(e.op.control_inputs, a.op.colocation_groups())
folder = tempfile.mkdtemp()
paths = [tf.io.write_graph(proto, folder, "g.pbtxt"), tf.io.write_graph(g, os.path.join(folder, "new"), "g.pb", as_text=False)]
print([os.path.relpath(p, folder) for p in paths])
with open(paths[1], "rb") as file:
    print(v1.GraphDef.FromString(file.read()) == proto)


def show(*args, **kwargs):
    try:
        print("fine:", tf.import_graph_def(*args, **kwargs))
    except (ValueError, TypeError, tf.errors.NotFoundError) as error:
        print(type(error).__name__, str(error).splitlines()[0][:60])


def nodes(*given):
    made = v1.GraphDef()
    for name, op, inputs, dtype in given:
        node = made.node.add(name=name, op=op)
        node.input.extend(inputs)
        if dtype:
            node.attr["T" if op == "Sqrt" else "dtype"].type = dtype
    return made


with tf.Graph().as_default() as h:
    x = tf.constant([2.0, 3.0], name="x")
    found = tf.import_graph_def(proto, {"a": x, "b:0": x * 2}, ["c:0", "e", "choice/Identity:0"], name="imp")
    print(found)
    with v1.Session() as session:
        print(session.run([found[0], found[2]]))
    for bad in ({"nope": x}, {"c:3": x}, {"nope:1": x}):
        show(proto, input_map=bad)
    show(proto, return_elements=["zz:0"])
    show(proto, return_elements=["c:4"])
    show(proto, name="bad name")
    show(nodes(("q", "Sqrt", ["zz"], 1)), name="")
    for wrong in (
        nodes(("q", "Placeholder", [], 0)),
        nodes(("p", "Placeholder", [], 1), ("q", "Sqrt", ["p:2"], 1)),
        nodes(("q", "NoOp", [], 0), ("q", "NoOp", [], 0)),
        nodes(("q", "NoSuchOp", [], 0)),
    ):
        try:
            tf.import_graph_def(wrong)
        except (ValueError, tf.errors.NotFoundError) as error:
            text = str(error)
            known = ("missing attr 'dtype'", "invalid output 2 of source node p", "'q' is not unique", "not registered 'NoSuchOp'")
            print(type(error).__name__, [k for k in known if k in text])
    size = len(h.get_operations())
    one = nodes(("x", "NoOp", [], 0), ("y", "NoOp", ["^x"], 0))
    for name in ("k", "k", "", "", "k/", None):
        tf.import_graph_def(one, name=name)
    print([op.name for op in h.get_operations()[size:]])
    print([[n.name for n in op.control_inputs] for op in h.get_operations()[size:]])
