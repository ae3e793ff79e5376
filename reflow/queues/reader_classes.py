"""`tf.compat.v1.TextLineReader` and the other public reader classes."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state as context
from reflow.ops.convert import convert_to_tensor
from reflow.queues.public import QueueBase


@export("compat.v1.ReaderBase")
class ReaderBase:
    r"""A reader by its handle.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     name = folder + "/data"
    ...     with open(name, "w") as file:
    ...         _ = file.write("first\nsecond\n")
    ...     queue = tf.queue.FIFOQueue(1, [tf.string])
    ...     session.run(queue.enqueue(name))
    ...     key, value = tf.compat.v1.TextLineReader().read(queue)
    ...     session.run(value)
    b'first'
    """

    def __init__(self, reader_ref, supports_serialize=False):
        if context.graph is None:
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, please use tf.data to "
                "get data into your model."
            )
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    reader_ref = property(lambda self: self._reader_ref, doc="The tensor that holds the reader.")
    supports_serialize = property(lambda self: self._supports_serialize, doc="Whether its state can be saved.")

    def _run(self, op, *inputs, name=None):
        return call(f"Reader{op}V2", (self._reader_ref, *inputs), {}, name)

    def read(self, queue, name=None):
        """The key and value of the next record of the files that a queue names."""
        return self._run("Read", _handle(queue), name=name)

    def read_up_to(self, queue, num_records, name=None):
        """The keys and values of up to `num_records` records of one file."""
        return self._run("ReadUpTo", _handle(queue), convert_to_tensor(num_records, dtypes.int64), name=name)

    def num_records_produced(self, name=None):
        """How many records have been read."""
        return self._run("NumRecordsProduced", name=name)

    def num_work_units_completed(self, name=None):
        """How many files have been read to their ends."""
        return self._run("NumWorkUnitsCompleted", name=name)

    def reset(self, name=None):
        """An operation that lets the reader begin again."""
        self._run("Reset", name=name)
        return context.graph.nodes[-1]


    def serialize_state(self, name=None):
        """Where the reader is, as a string."""
        return self._run("SerializeState", name=name)

    def restore_state(self, state, name=None):
        """An operation that takes the reader to where `serialize_state` was run."""
        self._run("RestoreState", convert_to_tensor(state, dtypes.string), name=name)
        return context.graph.nodes[-1]


def _handle(queue):
    return queue.queue_ref if isinstance(queue, QueueBase) else queue


@export("compat.v1.IdentityReader")
class IdentityReader(ReaderBase):
    """Gives the names in the queue as keys and values.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     queue = tf.queue.FIFOQueue(1, [tf.string])
    ...     session.run(queue.enqueue("a name"))
    ...     session.run(tf.compat.v1.IdentityReader().read(queue))
    [b'a name', b'a name']
    """

    def __init__(self, name=None):
        super().__init__(call("IdentityReaderV2", (), {}, name), supports_serialize=True)


@export("compat.v1.WholeFileReader")
class WholeFileReader(ReaderBase):
    """Gives a file's name as key and its content as value.

    >>> with tf.Graph().as_default():      # `ReaderBase` shows how records are read
    ...     tf.compat.v1.WholeFileReader().supports_serialize
    True
    """

    def __init__(self, name=None):
        super().__init__(call("WholeFileReaderV2", (), {}, name), supports_serialize=True)


@export("compat.v1.TextLineReader")
class TextLineReader(ReaderBase):
    """Gives the lines of text files.

    >>> with tf.Graph().as_default():
    ...     queue = tf.compat.v1.train.string_input_producer(["people.csv"])
    ...     keys, lines = tf.compat.v1.TextLineReader(skip_header_lines=1).read_up_to(queue, 10)
    ...     names, ages = tf.compat.v1.decode_csv(lines, [[""], [0]])
    >>> ages.dtype
    tf.int32
    """

    def __init__(self, skip_header_lines=None, name=None):
        attrs = {"skip_header_lines": skip_header_lines or 0}
        super().__init__(call("TextLineReaderV2", (), attrs, name))


@export("compat.v1.FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """Gives records of a fixed number of bytes.

    >>> with tf.Graph().as_default():
    ...     queue = tf.compat.v1.train.string_input_producer(["images.bin"])
    ...     key, image = tf.compat.v1.FixedLengthRecordReader(record_bytes=1 + 32 * 32 * 3).read(queue)
    >>> image.dtype
    tf.string
    """

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        attrs = {
            "record_bytes": record_bytes,
            "header_bytes": header_bytes or 0,
            "footer_bytes": footer_bytes or 0,
            "hop_bytes": hop_bytes or 0,
            "encoding": encoding or "",
        }
        super().__init__(call("FixedLengthRecordReaderV2", (), attrs, name))


@export("compat.v1.TFRecordReader")
class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     name = folder + "/data"
    ...     with tf.io.TFRecordWriter(name) as writer:
    ...         writer.write(b"a record")
    ...     queue = tf.queue.FIFOQueue(1, [tf.string])
    ...     session.run(queue.enqueue(name))
    ...     key, value = tf.compat.v1.TFRecordReader().read(queue)
    ...     session.run(value)
    b'a record'
    """

    def __init__(self, name=None, options=None):
        compression = "" if options is None else options.get_compression_type_string(options)
        super().__init__(call("TFRecordReaderV2", (), {"compression_type": compression}, name))
