"""A step in parts: `partial_run_setup` names what will be fed and fetched, `partial_run` does some of it at a time."""

import tensorflow.compat.v1 as tf

a, b, c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
total = a + b
product = total * c
with tf.Session() as session:
    handle = session.partial_run_setup([total, product], [a, b, c])
    print(session.partial_run(handle, total, {a: 1.0, b: 2.0}))
    print(session.partial_run(handle, product, {c: 10.0}))
    for what, function in {
        "twice": lambda: session.partial_run(handle, product, {c: 10.0}),
        "not in the setup": lambda: session.partial_run(session.partial_run_setup([total], [a, b]), product, {a: 1.0}),
        "a feed too few": lambda: session.partial_run(session.partial_run_setup([total], [a, b]), total, {a: 1.0}),
    }.items():
        try:
            print(what, "gives", function())
        except Exception as error:
            print(what, type(error).__name__)
