"""Examples are written to record files, parsed, batched and counted, by a dataset and by a queue."""

import numpy as np
import tensorflow.compat.v1 as tf

for part in range(2):
    with tf.python_io.TFRecordWriter(f"part-{part}") as writer:
        for i in range(4):
            features = {
                "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[part * 4 + i])),
                "tags": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"] * i)),
                "values": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 * i, 1.0])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
print(len(list(tf.python_io.tf_record_iterator("part-0"))))
spec = {
    "id": tf.FixedLenFeature([], tf.int64), "tags": tf.VarLenFeature(tf.string),
    "values": tf.FixedLenFeature([2], tf.float32),
}
dataset = tf.data.TFRecordDataset(["part-0", "part-1"]).map(lambda s: tf.parse_single_example(s, spec)).batch(3)
following = dataset.make_one_shot_iterator().get_next()
files = tf.train.string_input_producer(["part-0", "part-1"], num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(files)
parsed = tf.train.batch(
    [tf.parse_single_example(serialized, {"id": spec["id"]})["id"]], 3, allow_smaller_final_batch=True
)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    try:
        while True:
            row = session.run(following)
            print(row["id"], row["values"].ravel(), row["tags"].dense_shape)
    except tf.errors.OutOfRangeError:
        print("end")
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    seen = []
    try:
        while not coordinator.should_stop():
            seen.extend(session.run(parsed).tolist())
    except tf.errors.OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
    print(seen, np.sum(seen))
