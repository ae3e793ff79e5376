"""Training and validation data behind one handle; an iterator that is initialised again with other data."""

import tensorflow.compat.v1 as tf

training = tf.data.Dataset.range(100).map(lambda i: i * 2).repeat()
validation = tf.data.Dataset.range(1000, 1003)
handle = tf.placeholder(tf.string, [])
iterator = tf.data.Iterator.from_string_handle(
    handle, tf.data.get_output_types(training), tf.data.get_output_shapes(training)
)
element = iterator.get_next()
train_iterator, valid_iterator = training.make_one_shot_iterator(), validation.make_initializable_iterator()
either = tf.data.Iterator.from_structure(tf.int64, [])
to_train, to_valid = either.make_initializer(training), either.make_initializer(validation)
following = either.get_next()
count = tf.placeholder(tf.int64, [])
sized = tf.data.Dataset.range(count).batch(2).make_initializable_iterator()
batch = sized.get_next()
with tf.Session() as session:
    train_handle, valid_handle = session.run([train_iterator.string_handle(), valid_iterator.string_handle()])
    for _ in range(2):
        print([int(session.run(element, {handle: train_handle})) for _ in range(3)])
        session.run(valid_iterator.initializer)
        try:
            while True:
                print(session.run(element, {handle: valid_handle}))
        except tf.errors.OutOfRangeError:
            print("validated")
    for start in (to_valid, to_train):
        session.run(start)
        print(session.run([following]), session.run([following]))
    session.run(sized.initializer, {count: 5})
    print([session.run(batch).tolist() for _ in range(3)])
