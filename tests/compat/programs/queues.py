"""Queues of every kind: order, batches, waiting, closing, sharing, errors."""

import threading

import tensorflow.compat.v1 as tf


def outcome(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        lines = [line for line in str(getattr(error, "message", error)).splitlines() if line[:1].strip()]
        skipped = ("Graph exec", "Detected", "Node")
        return f"{type(error).__name__} {next(line for line in lines if not line.startswith(skipped))}"


session = tf.Session()
run = session.run

q = tf.FIFOQueue(10, tf.float32)
one, some, out = q.enqueue(1.0), q.enqueue_many([[2.0, 3.0]]), q.dequeue()
print(q.name, one.name, some.name, out.name, q.size().name, q.dtypes, q.shapes, q.names)
run(one)
run(some)
print(run(out), run(q.size()), run(out))
run(q.close())
print(run(out), run(q.is_closed()))
print(outcome(run, out))
print(outcome(run, one))

q = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[], [2]], names=["a", "b"], shared_name="shared", name="q")
for _ in range(3):
    run(q.enqueue({"a": 1, "b": [1.0, 2.0]}))
batch, single = q.dequeue_many(2), q.dequeue()
print(batch["b"].shape, {k: x.tolist() for k, x in sorted(run(batch).items())})
print(sorted(run(single)))
print(outcome(q.enqueue, {"a": 1}))
print(outcome(q.enqueue, 3))
print(outcome(q.enqueue, {"a": 1, "b": [1.0]}))
print(outcome(tf.FIFOQueue, 10, [tf.int32], shapes=[[], []]))

q = tf.FIFOQueue(10, tf.float32, shapes=[[2]])
x = tf.placeholder(tf.float32)
print(outcome(run, q.enqueue(x), {x: [1.0]}))
print(outcome(run, q.enqueue_many([x]), {x: [[1.0]]}))
print(outcome(run, tf.FIFOQueue(10, tf.float32).dequeue_many(2)))

q = tf.FIFOQueue(3, tf.int32, shapes=[[]], name="small")
many, all_of_them, rest = q.enqueue_many([tf.range(10)]), q.dequeue_many(10), q.dequeue_up_to(4)
thread = threading.Thread(target=run, args=(many,))
thread.start()
print(run(all_of_them))
thread.join()
run(q.enqueue_many([[7, 8]]))
run(q.close())
print(outcome(run, all_of_them))
print(run(q.size()), run(rest))
print(outcome(run, rest))

q = tf.FIFOQueue(1, tf.int32, shapes=[[]])
into = q.enqueue(1)
run(into)
results = []
thread = threading.Thread(target=lambda: results.append(outcome(run, into)))
thread.start()
thread.join(0.1)
run(q.close(cancel_pending_enqueues=True))
thread.join()
print(results[0].split()[0], run(q.dequeue()))

q = tf.FIFOQueue(1, tf.int32, shapes=[[]])
print(outcome(run, q.dequeue(), options=tf.RunOptions(timeout_in_ms=50)))
first, then = q.dequeue(), q.enqueue(5)
print(run([first, then]))
impatient = tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=50))
print(outcome(impatient.run, first))

q = tf.PaddingFIFOQueue(10, tf.int32, shapes=[[None]])
x = tf.placeholder(tf.int32)
for row in ([1], [1, 2], [1, 2, 3], [4]):
    run(q.enqueue(x), {x: row})
print(run(q.dequeue_many(3)).tolist(), run(q.dequeue()))
print(outcome(tf.PaddingFIFOQueue, 10, tf.int32, shapes=None))

q = tf.RandomShuffleQueue(50, 5, tf.int32, shapes=[[]], seed=7)
run(q.enqueue_many([tf.range(20)]))
print(run(q.dequeue_many(10)))
run(q.close())
print(run(q.dequeue_many(10)))

q = tf.PriorityQueue(50, [tf.string], shapes=[[]])
run(q.enqueue_many(([3, 1, 2, 1], ["c", "a", "b", "a2"])))
print(q.dtypes, [x.tolist() for x in run(q.dequeue_many(3))], run(q.dequeue()))

queues = [tf.FIFOQueue(5, tf.int32, shapes=[[]]) for _ in range(2)]
which = tf.placeholder(tf.int32)
run(tf.QueueBase.from_list(which, queues).enqueue(9), {which: 1})
print(run([q.size() for q in queues]), outcome(tf.QueueBase.from_list, 0, []))

same = [tf.FIFOQueue(5, tf.int32, shapes=[[]], shared_name="s") for _ in range(2)]
run(same[0].enqueue(1))
print(run(same[1].dequeue()))
print(outcome(run, tf.FIFOQueue(6, tf.int32, shapes=[[]], shared_name="s").size()))
print(outcome(run, tf.FIFOQueue(5, tf.float32, shapes=[[]], shared_name="s").size()))
