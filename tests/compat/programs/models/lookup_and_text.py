"""Words become ids and back by tables, sentences become bags; sparse tensors feed a linear model."""

import tensorflow.compat.v1 as tf

with open("vocabulary.txt", "w") as file:
    file.write("good\nbad\nfilm\n")
words = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(
    "vocabulary.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
), num_oov_buckets=1)
back = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1, 2], tf.int64), ["good", "bad", "film"]), "?"
)
sentences = tf.placeholder(tf.string, [None])
split = tf.string_split(sentences)
ids = tf.SparseTensor(split.indices, words.lookup(split.values), split.dense_shape)
table = tf.get_variable("table", initializer=[[1.0], [-1.0], [0.1], [0.0]])
score = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")
loss = tf.reduce_mean(tf.square(score - [[2.0], [-2.0]]))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    feeds = {sentences: [b"good film", b"bad bad story"]}
    print(
        session.run(tf.sparse_tensor_to_dense(ids, default_value=-1), feeds),
        session.run(back.lookup(ids.values), feeds),
    )
    for _ in range(3):
        print(session.run([loss, train], feeds)[0])
    print(session.run(table).ravel(), session.run(words.size()))
