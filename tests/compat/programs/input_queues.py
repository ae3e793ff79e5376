"""Input pipelines of queues: producers, readers, batches, queue runners, a coordinator."""

import os
import tempfile

import tensorflow.compat.v1 as tf

folder = tempfile.mkdtemp()
for name, lines in {"a.csv": "1,x\n2,y\n", "b.csv": "3,z\n"}.items():
    with open(os.path.join(folder, name), "w") as file:
        file.write(lines)
with tf.python_io.TFRecordWriter(os.path.join(folder, "r.tfrecord")) as writer:
    for i in range(3):
        writer.write(b"record %d" % i)
with open(os.path.join(folder, "fixed.bin"), "wb") as file:
    file.write(b"hhaabbccf")


def drain(tensors):
    """Everything that a pipeline gives for one epoch."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        rows = []
        try:
            while not coordinator.should_stop():
                rows.append(session.run(tensors))
        except tf.errors.OutOfRangeError:
            rows.append("end")
        finally:
            coordinator.request_stop()
            coordinator.join(threads)
        return rows


def short(key):
    return key.replace(folder.encode(), b"")


csv = [os.path.join(folder, n) for n in ("a.csv", "b.csv")]
names = tf.train.string_input_producer(csv, num_epochs=2, shuffle=False)
key, line = tf.TextLineReader().read(names)
for row in drain([key, line]):
    print(row if row == "end" else (short(row[0]), row[1]))

tf.reset_default_graph()
names = tf.train.string_input_producer([csv[0]], num_epochs=1)
reader = tf.TextLineReader(skip_header_lines=1)
_, line = reader.read(names)
print(drain([line, reader.num_records_produced()]))

tf.reset_default_graph()
names = tf.train.string_input_producer([os.path.join(folder, "r.tfrecord")], num_epochs=1)
key, value = tf.TFRecordReader().read(names)
lengths = tf.strings.length(value)
print(drain(tf.train.batch([value, lengths], 2, allow_smaller_final_batch=True)))

tf.reset_default_graph()
names = tf.train.string_input_producer([os.path.join(folder, "fixed.bin")], num_epochs=1)
reader = tf.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=1)
keys, values = reader.read_up_to(names, 2)
print([row if row == "end" else row[1].tolist() for row in drain([keys, values])])

tf.reset_default_graph()
names = tf.train.string_input_producer([csv[1]], num_epochs=1)
print([row if row == "end" else row[1] for row in drain(tf.WholeFileReader().read(names))])

tf.reset_default_graph()
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch({"n": number, "square": number * number}, 2)
print([row if row == "end" else {k: v.tolist() for k, v in sorted(row.items())} for row in drain(batch)])

tf.reset_default_graph()
x, y = tf.train.slice_input_producer([tf.range(6), tf.range(6) * 10], num_epochs=1, shuffle=False)
shuffled = tf.train.shuffle_batch([x, y], 3, capacity=10, min_after_dequeue=2, seed=1)
rows = drain(shuffled)
print(sorted(sum((r[0].tolist() for r in rows[:-1]), [])), all((10 * r[0] == r[1]).all() for r in rows[:-1]), rows[-1])

tf.reset_default_graph()
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
even = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 3)
print([row if isinstance(row, str) else row.tolist() for row in drain(even)])

tf.reset_default_graph()
number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
padded = tf.train.batch([tf.range(number)], 4, dynamic_pad=True)
print([row if isinstance(row, str) else row.tolist() for row in drain(padded)])

tf.reset_default_graph()
queue = tf.FIFOQueue(10, tf.float32, shapes=[[]])
bad = tf.placeholder(tf.float32)
runner = tf.train.QueueRunner(queue, [queue.enqueue(bad)])
tf.train.add_queue_runner(runner)
print(runner.name, [op.name for op in runner.enqueue_ops], runner.close_op.name, runner.cancel_op.name)
with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        coordinator.join(threads)
    except tf.errors.InvalidArgumentError as error:
        print("reported", "You must feed" in str(error))

for wrong in (
    lambda: tf.train.string_input_producer([]),
    lambda: tf.train.limit_epochs(tf.constant(1), 0),
    lambda: tf.train.start_queue_runners(),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)

tf.reset_default_graph()
total = tf.ConditionalAccumulator(tf.float32, shape=[2])
rows = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
with tf.Session() as session:
    for gradient in ([1.0, 2.0], [3.0, 5.0]):
        session.run(total.apply_grad(gradient))
    print(session.run(total.num_accumulated()), session.run(total.take_grad(2)), session.run(total.num_accumulated()))
    session.run(total.apply_grad([9.0, 9.0], local_step=0))
    print("too old:", session.run(total.num_accumulated()))
    session.run(rows.apply_grad([0, 2], [[1.0, 1.0], [2.0, 2.0]], [4, 2]))
    session.run(rows.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[4.0, 4.0]]), tf.constant([2], tf.int64))))
    taken = session.run(rows.take_grad(1))
    print(taken.indices, taken.values.tolist(), taken.shape)
