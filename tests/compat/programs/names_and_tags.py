"""Names of nodes in scopes, tags of summaries, devices that functions choose."""

import tensorflow.compat.v1 as tf

with tf.name_scope("outer"):
    for make in (
        lambda scope: tf.add(1.0, 2.0, name=scope),
        lambda scope: tf.identity(tf.ones([2]), name=scope),
        lambda scope: tf.placeholder(tf.float32, name=scope),
        lambda scope: tf.nn.relu(tf.nn.bias_add(tf.ones([1, 2]), tf.ones([2])), name=scope),
        lambda scope: tf.group(tf.no_op(), name=scope),
    ):
        with tf.name_scope(None, "s", [1.0]) as scope:
            print(scope, make(scope).name)
    summaries = [
        tf.summary.scalar("a b", 1.0),
        tf.summary.scalar("a b", 2.0),
        tf.summary.histogram("h", [1.0, 2.0], family="fam"),
        tf.summary.text("text", tf.constant(["x", "y"])),
        tf.summary.tensor_summary("t", tf.constant([1, 2]), display_name="shown", summary_description="two numbers"),
        tf.summary.audio("sound", tf.zeros([1, 8, 1]), 8000.0, family="fam"),
    ]
with tf.Session() as session:
    for summary in summaries:
        value = tf.Summary.FromString(session.run(summary)).value[0]
        print(
            summary.name, summary.op.type, value.tag, value.metadata.display_name,
            value.metadata.plugin_data.plugin_name,
        )
    print(len(tf.Summary.FromString(session.run(tf.summary.merge_all())).value))

cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    v, w = tf.Variable([1, 2]), tf.Variable([2, 1])
    with tf.device("/cpu:0"):
        total = v + w
    print(v.device, w.device, v.initializer.device, total.device)
with tf.device(tf.train.replica_device_setter(ps_tasks=1, ps_device="/job:moon", merge_devices=False)):
    with tf.device("/job:sun"):
        u = tf.Variable(1.0)
    print(u.device, tf.Variable(2.0).device, tf.constant(1).device)
print(
    tf.train.get_global_step(), tf.Variable(0, name="global_step", trainable=False).name,
    tf.train.get_global_step().name,
)
