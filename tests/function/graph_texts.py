"""Graphs: names, scopes, look-ups, collections, what an operation tells about itself."""

from tests.function.recorded import program, show_error


def nodes(graph):
    for op in graph.get_operations():
        print(op.name, op.type, [t.name for t in op.inputs], [n.name for n in op.control_inputs])


@program
def names_of_operators(tf):
    with tf.Graph().as_default() as g:
        a = tf.constant(1.0)
        b = tf.constant(2.0, name="b")
        for c in (a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, abs(a), 2.0 - a, 1.0 + a):
            print(c.name)
        i = tf.constant([1, 2])
        print((i > 1).name, (i <= 2).name, ((i > 0) & (i < 5)).name, (~(i > 3)).name, (i[0]).name)
        print((tf.ones([2, 2]) @ tf.ones([2, 2])).name)
    nodes(g)


@program
def names_of_functions(tf):
    with tf.Graph().as_default() as g:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
        tf.add(x, x)
        tf.add(x, 1.0, name="sum")
        tf.subtract(x, x)
        tf.multiply(x, 2.0)
        tf.divide(x, 2.0)
        tf.matmul(x, x)
        tf.reduce_sum(x, axis=1)
        tf.reshape(x, [4])
        tf.transpose(x, [1, 0])
        tf.concat([x, x], 0)
        tf.stack([x, x])
        tf.unstack(x)
        tf.split(x, 2)
        tf.cast(x, tf.int32)
        tf.identity(x)
        tf.square(x)
        tf.exp(x)
        tf.tanh(x)
        tf.nn.relu(x)
        tf.nn.softmax(x)
        tf.expand_dims(x, 0)
        tf.squeeze(x)
        tf.one_hot([1, 2], 3)
        tf.argmax(x, 1)
        tf.tile(x, [1, 2])
        tf.pad(x, [[1, 1], [0, 0]])
        tf.maximum(x, 0.0)
        tf.range(6)
        tf.zeros([2])
        tf.ones([2])
        tf.linalg.diag(x)
        tf.group(x)
        tf.no_op()
    nodes(g)


@program
def names_of_reductions(tf):
    with tf.Graph().as_default() as g:
        x = tf.constant([[1.0, 2.0]], name="x")
        p = tf.compat.v1.placeholder(tf.float32, name="p")
        tf.reduce_sum(x)
        tf.reduce_mean(x)
        tf.reduce_max(p)
        tf.reduce_all(x > 0)
        tf.reduce_sum(x, [0, 1])
    nodes(g)


@program
def scopes(tf):
    with tf.Graph().as_default() as g:
        for name in ("a", "a", "a/b", "A", ""):
            with tf.name_scope(name) as scope:
                print(repr(scope), tf.constant(1, name="x").name)
        with tf.name_scope("outer") as outer, tf.name_scope("inner"):
            print(g.get_name_scope(), tf.constant(1).name)
            with tf.name_scope(outer):
                print(tf.constant(1).name)
        print(g.unique_name("x"), g.unique_name("new", mark_as_used=False), g.unique_name("new"), g.unique_name("new"))
        tf.constant(1, name="taken")
        with tf.name_scope("taken") as scope:
            print(scope)
        show_error(tf.name_scope, 3)
        for bad in ("bad scope", "_x", "é"):
            show_error(tf.name_scope(bad).__enter__)
        show_error(tf.identity, tf.constant(1), name="bad*")


@program
def look_ups(tf):
    with tf.Graph().as_default() as g:
        a = tf.constant([1.0, 2.0], name="a")
        tf.split(a, 2, name="parts")
    print(repr(g.get_operation_by_name("a")), g.get_tensor_by_name("a:0"), g.get_tensor_by_name("parts:1"))
    for name in ("a", "zz:0", "a:3", "a:x"):
        show_error(g.get_tensor_by_name, name)
    for name in ("a:0", "zz"):
        show_error(g.get_operation_by_name, name)
    show_error(g.get_tensor_by_name, 3)
    show_error(g.get_operation_by_name, 3)
    print(
        g.as_graph_element("a:0"), g.as_graph_element("a").name, g.as_graph_element(a) is a,
        g.as_graph_element(a.op) is a.op,
    )
    show_error(g.as_graph_element, 3)
    show_error(g.as_graph_element, "a:0", allow_tensor=False)
    show_error(g.as_graph_element, "a", allow_operation=False)
    show_error(tf.Graph().as_graph_element, a)
    print(g.version, g.finalized, g.building_function, g.is_feedable(a), g.is_fetchable(a))
    g.prevent_feeding(a)
    g.prevent_fetching(a.op)
    print(g.is_feedable(a), g.is_fetchable(a))
    g.finalize()
    with g.as_default():
        show_error(tf.constant, 1)


@program
def an_operation(tf):
    with tf.Graph().as_default():
        a = tf.constant([1.0, 2.0], name="a")
        z = tf.constant(3.0, name="z")
        with tf.control_dependencies([a, z]):
            b = tf.identity(a, name="b")
        m = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), transpose_a=True)
        c = tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), strides=1, padding="SAME")
        s = tf.split(a, 2)
    op = b.op
    print(
        op.type, op.name, repr(op.device), [t.name for t in op.inputs], op.outputs, [n.name for n in op.control_inputs]
    )
    print(
        repr(op), op.values(), op.op_def.name, [i.name for i in op.op_def.input_arg], [o.name for o in op.op_def.attr]
    )
    print(sorted(m.op.node_def.attr), m.op.node_def.input, m.op.node_def.op)
    print(m.op.get_attr("transpose_a"), m.op.get_attr("T"), s[0].op.get_attr("num_split"), c.op.get_attr("strides"))
    print(c.op.get_attr("padding"), c.op.get_attr("data_format"), a.op.get_attr("value").tensor_shape.dim[0].size)
    show_error(a.op.get_attr, "zzz")
    print(a, repr(a), a.name, a.value_index, a.dtype, a.shape, repr(a.device), [n.name for n in a.consumers()])


@program
def collections(tf):
    g = tf.Graph()
    g.add_to_collection("k", 1)
    g.add_to_collections(["k", "j"], 3)
    print(g.get_collection("k"), g.get_collection("j"), g.get_collection("none"), sorted(g.get_all_collection_keys()))
    g.get_collection_ref("k").append(9)
    print(g.get_collection("k"), g.get_collection_ref("new"), sorted(g.collections))
    g.clear_collection("k")
    print(g.get_collection("k"))
    with g.as_default():
        with tf.name_scope("s"):
            g.add_to_collection("t", tf.constant(1.0, name="x"))
        g.add_to_collection("t", tf.constant(1.0, name="y"))
    print(g.get_collection("t", "s/"), g.get_collection("t", scope="y"))


@program
def where_we_are(tf):
    print(tf.executing_eagerly(), tf.inside_function())
    with tf.Graph().as_default() as g:
        print(tf.executing_eagerly(), tf.inside_function(), tf.compat.v1.get_default_graph() is g)
        with tf.Graph().as_default() as inner:
            print(tf.compat.v1.get_default_graph() is inner)
        with g.device("/cpu:0"):
            print(repr(tf.constant(1.0).device))

    @tf.function
    def f(x):
        graph = tf.compat.v1.get_default_graph()
        print(tf.executing_eagerly(), tf.inside_function(), type(graph).__name__, graph.name, graph.building_function)
        with tf.init_scope():
            print(tf.executing_eagerly(), type(tf.constant(1.0) + 1.0).__name__)
        return x

    f(tf.constant(1.0))


@program
def symbolic_tensors(tf):
    with tf.Graph().as_default():
        a = tf.constant([1.0, 2.0], name="a")
        show_error(bool, a > 1.0)
        show_error(len, a)
        show_error(iter, a)
        show_error(a.__array__)
        show_error(a.eval)
        show_error(a.set_shape, [3])
        show_error(a.set_shape, [1, 2])
        print(a == a, a != a, a in [a], {a: 1}[a], f"{a}", str(a))
        p = tf.compat.v1.placeholder(tf.float32, [None, 3], name="p")
        print(p, repr(p), p.shape)
        p.set_shape([4, 3])
        u = tf.compat.v1.placeholder(tf.float32)
        print(p.shape, u, repr(u))
        show_error(len, u)


@program
def gradient_override(tf):
    name = "ReflowTest>Halved"

    @tf.RegisterGradient(name)
    def halved(op, grad):
        return grad * 0.5 * op.inputs[0]

    @tf.function
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Square": name}):
            y = tf.square(x)
        print(y.op.get_attr("_gradient_op_type"))
        return y

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(float(y), float(tape.gradient(y, x)))
    show_error(tf.Graph().gradient_override_map([]).__enter__)
    show_error(tf.Graph().gradient_override_map({"a": 1}).__enter__)


@program
def nodes_of_a_function(tf):
    v = tf.Variable(2.0)
    w = tf.Variable([1.0, 2.0], trainable=False)

    @tf.function
    def f(x, y):
        return x * v + w, {"k": tf.nn.relu(y)}

    c = f.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([None, 3]))
    print([t.name for t in c.inputs], [t.name for t in c.outputs])
    for op in c.graph.get_operations():
        if op.type != "NoOp":
            print(op.name, op.type, [t.name for t in op.inputs])
    proto = c.function_def
    print(
        [a.name for a in proto.signature.output_arg], sorted(proto.ret),
        [n.name for n in proto.node_def if n.op != "NoOp"],
    )


@program
def control_dependencies(tf):
    with tf.Graph().as_default() as g:
        a = tf.constant(1, name="a")
        b = tf.constant(2, name="b")
        with tf.control_dependencies([a, b.op]):
            c = tf.constant(3, name="c")
            tf.add(a, 1, name="d")
            with tf.control_dependencies([c]):
                tf.identity(b, name="e")
                tf.identity(c, name="f")
            with tf.control_dependencies(None):
                tf.constant(1, name="g")
        with tf.control_dependencies(["a"]):
            tf.constant(1, name="h")
        for wrong in (3, "zz"):
            show_error(lambda w=wrong: tf.control_dependencies([w]).__enter__())
    nodes(g)


@program
def imports(tf):
    with tf.Graph().as_default() as g:
        a = tf.compat.v1.placeholder(tf.float32, [2], name="a")
        c = tf.add(a, tf.constant([1.0, 2.0], name="b"), name="c")
        tf.split(c, 2, name="d")
    proto = g.as_graph_def()
    for n in proto.node:
        print(n.name, n.op, list(n.input), sorted(n.attr))
    print(sorted(g.as_graph_def(add_shapes=True).node[2].attr))
    with tf.Graph().as_default() as h:
        x = tf.constant([5.0, 6.0], name="x")
        print(tf.import_graph_def(proto, input_map={"a:0": x}, return_elements=["c:0", "d:1", "c"], name="pre"))
        print(tf.import_graph_def(proto), tf.import_graph_def(proto, return_elements=["c:0"]))
        print(tf.import_graph_def(proto, return_elements=["c"], name=""))
        with tf.name_scope("outer"):
            print(tf.import_graph_def(proto, return_elements=["c:0"], name="in"))
        print([op.name for op in h.get_operations()])
        show_error(tf.import_graph_def, proto, input_map={"zz:0": x})
        for elements in (["zz:0"], ["zz"], ["d:5"], [3]):
            show_error(tf.import_graph_def, proto, return_elements=elements)
        show_error(tf.import_graph_def, proto, input_map=3)
        show_error(tf.import_graph_def, 3)

    @tf.function
    def f(x):
        return tf.import_graph_def(proto, input_map={"a:0": x}, return_elements=["c:0"])[0] * 2.0

    print(f(tf.constant([1.0, 1.0])))
