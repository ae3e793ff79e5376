"""Variables that are found again: get_variable in functions, lists of variables as arguments of traces, updates that do not fit."""
import tensorflow as tf

v1 = tf.compat.v1
traces = []


@tf.function
def scaled(x):
    traces.append(1)
    with v1.variable_scope("s", reuse=v1.AUTO_REUSE):
        w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
    w.assign_add(tf.ones([2]))
    return x * w


print(scaled(tf.ones([2])).numpy(), scaled(tf.ones([2])).numpy(), scaled(tf.ones([1])).numpy(), len(traces))


def model(x):
    with v1.variable_scope("m"):
        return x * v1.get_variable("w", [2], initializer=v1.ones_initializer())


for _ in range(2):  # each wrapped function has variables of its own
    wrapped = v1.wrap_function(model, [tf.TensorSpec([2])])
    print(wrapped(tf.ones([2])).numpy(), [v.name for v in wrapped.variables])
    wrapped.variables[0].assign([5.0, 5.0])


@tf.function
def update(variables, d):
    variables[0].assign_add(d["k"])
    return variables[0] + variables[1] + d["k"]


a, b = tf.Variable(1.0), tf.Variable(10.0)
c = update.get_concrete_function([a, b], {"k": tf.TensorSpec([])})
print(c.structured_input_signature, [t.name for t in c.inputs], c.variables)
print(float(c([b, a], {"k": tf.constant(1.0)})), float(a), float(b))
c = update.get_concrete_function([a, a], {"k": b})
print(c.structured_input_signature)
print(float(c([b, b], {"k": a})), float(a), float(b), float(update([a, b], {"k": b})), update.experimental_get_tracing_count())
u = tf.Variable([1.0], shape=tf.TensorShape([None]))
v = tf.Variable([1.0, 2.0])


def refused(function, *args):
    try:
        print("fine:", function(*args))
    except (ValueError, tf.errors.InvalidArgumentError) as e:
        line = next(line for line in str(e).splitlines() if "hape" in line)
        print(type(e).__name__, line[max(line.find("Cannot"), line.find("Shapes")) :][:80])


for value in ([1.0, 2.0], [[1.0]]):
    refused(u.assign_add, value)
    refused(tf.function(lambda x: u.assign_add(x) + 0.0), tf.constant(value))
    refused(tf.function(lambda x: v.assign_sub(x) + 0.0), tf.constant(value))
    refused(tf.function(lambda x: v.assign(x) + 0.0), tf.constant(value))
print(v.numpy(), u.numpy())
