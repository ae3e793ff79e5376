"""`MultiWorkerMirroredStrategy` as two processes on this machine: input, exchanges, variables, a custom loop."""

import json
import os
import socket
import subprocess
import sys
import tempfile


def start_workers(count):
    """Run this program again as the workers of a cluster; prints what each prints."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    command = [sys.executable, *(["-m", "reflow"] if "reflow" in sys.modules else []), __file__]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(2):
            with open(f"{folder}/{i}.txt", "w") as file:
                file.writelines(f"{i}{j}\n" for j in range(5 - 2 * i))
        workers = []
        for i in range(count):
            task = json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": i}})
            environment = os.environ | {"TF_CONFIG": task, "FOLDER": folder, "CUDA_VISIBLE_DEVICES": ""}
            workers.append(
                subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            )
        for i, worker in enumerate(workers):
            printed, errors = worker.communicate(timeout=100)
            print(f"--- worker {i}")
            print(printed, end="")
            if worker.returncode:
                print(errors, file=sys.stderr)
                for other in workers:
                    other.kill()
                sys.exit(1)


def run_worker():
    import numpy as np
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    me = strategy.cluster_resolver.task_id
    extended = strategy.extended
    print(
        strategy.num_replicas_in_sync, extended.worker_devices, extended.should_checkpoint, extended.should_save_summary
    )

    def show(name, dataset):
        steps = [[v.numpy().tolist() for v in strategy.experimental_local_results(step)] for step in dataset]
        print(name, steps)

    numbers = tf.data.Dataset.range(13)
    for batch in (8, 5, 3):
        show(batch, strategy.experimental_distribute_dataset(numbers.batch(batch)))
    show("dropped", strategy.experimental_distribute_dataset(numbers.batch(4, drop_remainder=True)))
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    show("off", strategy.experimental_distribute_dataset(numbers.batch(8).with_options(options)))
    files = [f"{os.environ['FOLDER']}/{i}.txt" for i in range(2)]
    show("files", strategy.experimental_distribute_dataset(tf.data.TextLineDataset(files).batch(4)))
    readers = tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TextLineDataset)
    show("interleaved", strategy.experimental_distribute_dataset(readers.batch(4)))

    def pipeline(context):
        print(context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync)
        return numbers.shard(context.num_input_pipelines, context.input_pipeline_id).batch(3)

    show("from function", strategy.distribute_datasets_from_function(pipeline))

    with strategy.scope():
        mirrored = tf.Variable(float(me + 5))
        total = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        mean = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
    print(mirrored)

    @tf.function
    def exchange():
        context = tf.distribute.get_replica_context()
        number = tf.cast(context.replica_id_in_sync_group, tf.float32) + 1
        total.assign_add(number)
        mean.assign(number * 4)
        uneven = context.all_gather(tf.zeros([me + 1]) + number, 0)
        both = context.all_reduce("sum", {"a": number, "b": tf.stack([number, 2.0])})
        return both, context.all_reduce("mean", number), context.all_gather(tf.reshape(number, [1]), 0), uneven

    for part in tf.nest.flatten(strategy.run(exchange)):
        print(part.numpy())
    print(total.numpy(), mean.numpy())
    own = strategy.run(lambda: tf.constant([1.0, 2.0 * me]))
    print(strategy.reduce("mean", own, axis=0).numpy(), strategy.reduce("sum", own, axis=None).numpy())
    print(strategy.gather(own, axis=0).numpy())
    print(strategy.experimental_distribute_values_from_function(lambda c: c.replica_id_in_sync_group))

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 8)).astype("float32"), rng.integers(0, 3, 50)
    weights = [rng.normal(size=s).astype("float32") for s in ((8, 16), (16,), (16, 3), (3,))]
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(3)])
        model.set_weights(weights)
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build(model.trainable_variables)
    losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    @tf.function
    def train_step(batch):
        def one(images, labels):
            with tf.GradientTape() as tape:
                value = tf.nn.compute_average_loss(losses(labels, model(images, training=True)), global_batch_size=10)
            optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))
            return value

        return strategy.reduce("sum", strategy.run(one, args=batch), axis=None)

    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
    print([f"{float(train_step(batch)):.4f}" for batch in strategy.experimental_distribute_dataset(data)])


if "TF_CONFIG" in os.environ:
    run_worker()
else:
    start_workers(2)
