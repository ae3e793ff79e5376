"""Horovod's callbacks for Keras' `fit`."""

from __future__ import annotations

import keras

from reflow.horovod.exchange import allreduce, broadcast_variables
from reflow.horovod.processes import rank, size


class BroadcastGlobalVariablesCallback(keras.callbacks.Callback):
    """Gives model and optimizer of all processes the values of one, when the first batch has made all variables."""

    def __init__(self, root_rank):
        super().__init__()
        self.root_rank, self.done = root_rank, False

    def on_train_batch_end(self, batch, logs=None):
        if not self.done:
            optimizer = self.model.optimizer
            broadcast_variables(self.model.weights, self.root_rank)
            broadcast_variables(getattr(optimizer, "variables", ()), self.root_rank)
            self.done = True


class MetricAverageCallback(keras.callbacks.Callback):
    """Averages the metrics of an epoch over all processes. Put it before callbacks that use them."""

    def on_epoch_end(self, epoch, logs=None):
        for name in sorted(logs or ()):
            logs[name] = float(allreduce(logs[name]))


class LearningRateScheduleCallback(keras.callbacks.Callback):
    """Multiplies the learning rate from `start_epoch` to before `end_epoch`.

    `multiplier` is a number or a function of the epoch. With `staircase` the rate changes at epochs only; else at every
    batch, for which `steps_per_epoch` is needed unless Keras knows it.
    """

    def __init__(self, initial_lr, multiplier, start_epoch=0, end_epoch=None, staircase=True, steps_per_epoch=None):
        super().__init__()
        self.initial_lr, self.start_epoch, self.end_epoch = initial_lr, start_epoch, end_epoch
        self.multiplier = multiplier if callable(multiplier) else lambda epoch: multiplier
        self.staircase = staircase and callable(multiplier)
        self.steps_per_epoch, self.epoch = steps_per_epoch, 0

    def on_train_begin(self, logs=None):
        if not self.staircase and self.steps_per_epoch is None:
            self.steps_per_epoch = self.params.get("steps")
            if not self.steps_per_epoch:
                raise ValueError(
                    "Could not autodetect the number of steps per epoch. Please specify the steps_per_epoch parameter."
                )

    def _set(self, epoch):
        if epoch >= self.start_epoch and (self.end_epoch is None or epoch < self.end_epoch):
            self.model.optimizer.learning_rate = self.initial_lr * self.multiplier(epoch)

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch
        if self.staircase:
            self._set(epoch)

    def on_train_batch_begin(self, batch, logs=None):
        if not self.staircase:
            self._set(self.epoch + batch / self.steps_per_epoch)

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs["lr"] = float(self.model.optimizer.learning_rate)


class LearningRateWarmupCallback(LearningRateScheduleCallback):
    """Grows the learning rate over the first epochs from `initial_lr / size` to `initial_lr`."""

    def __init__(self, initial_lr, warmup_epochs=5, steps_per_epoch=None, verbose=0):
        def multiplier(epoch):
            epoch += 1.0 / self.steps_per_epoch  # from the end of the step on
            return 1.0 / size() * (epoch * (size() - 1) / warmup_epochs + 1)

        super().__init__(initial_lr, multiplier, 0, warmup_epochs, False, steps_per_epoch)
        self.verbose = verbose

    def on_epoch_end(self, epoch, logs=None):
        super().on_epoch_end(epoch, logs)
        if epoch == self.end_epoch - 1 and self.verbose and rank() == 0:
            print(
                f"\nEpoch {epoch + 1}: finished gradual learning rate warmup to "
                f"{float(self.model.optimizer.learning_rate):g}."
            )
