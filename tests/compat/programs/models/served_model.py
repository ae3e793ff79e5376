"""A model is saved with a signature by the builder of version 1 and loaded into another session, and by simple_save."""

import tensorflow.compat.v1 as tf

with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", initializer=[[2.0], [3.0]])
    y = tf.matmul(x, w)
    session.run(tf.global_variables_initializer())
    signature = tf.saved_model.signature_def_utils.predict_signature_def({"inputs": x}, {"outputs": y})
    builder = tf.saved_model.builder.SavedModelBuilder("export/1")
    key = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    builder.add_meta_graph_and_variables(session, [tf.saved_model.tag_constants.SERVING], {key: signature})
    builder.save()
    tf.saved_model.simple_save(session, "export/2", {"x": x}, {"y": y})
for version in (1, 2):
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], f"export/{version}")
        found = meta.signature_def["serving_default"]
        (given,), (wanted,) = found.inputs.values(), found.outputs.values()
        print(sorted(found.inputs), found.method_name, session.run(wanted.name, {given.name: [[1.0, 1.0]]}))
print(
    tf.saved_model.loader.maybe_saved_model_directory("export/1"),
    tf.saved_model.loader.maybe_saved_model_directory("export"),
)
