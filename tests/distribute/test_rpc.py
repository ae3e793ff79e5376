"""Functions that other processes call by name."""

import pytest

import reflow as tf

rpc = tf.distribute.experimental.rpc
NUMBER = tf.TensorSpec([], tf.float32)


@pytest.fixture
def server():
    server = rpc.Server.create("grpc", ":0")  # this machine alone
    calls = tf.Variable(0)

    @tf.function(input_signature=[NUMBER, NUMBER])
    def add(a, b):
        calls.assign_add(1)
        return a + b

    @tf.function(input_signature=[{"a": NUMBER}])
    def nested(d):
        return {"x": d["a"] * 2.0, "y": [d["a"]]}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def rows(indices):
        return tf.gather(tf.constant([1, 2]), indices)

    for function in (add, nested, rows):
        server.register(function.__name__, function)
    server.register("count", tf.function(lambda: calls.read_value(), input_signature=[]).get_concrete_function())
    server.start()
    return server


@pytest.fixture
def client(server):
    return rpc.Client.create("grpc", server._address, timeout_in_ms=20_000)


def test_calls(client):
    result = client.call("add", [1.0, tf.constant(2.0)], output_specs=NUMBER)
    assert bool(result.is_ok()) and float(result.get_value()) == 3.0
    code, message = result.get_error()
    assert (int(code), message.numpy()) == (0, b"")
    assert float(client.add(1.0, 4.0).get_value()) == 5.0 and int(client.count_blocking()) == 2
    values = client.nested({"a": tf.constant(3.0)}).get_value()
    assert float(values["x"]) == 6.0 and float(values["y"][0]) == 3.0
    with pytest.raises(ValueError, match="structure"):
        client.add(1.0)
    assert client.add.__doc__ == f"RPC Call for add method to server {client._address}"


def test_calls_from_a_function(client):
    @tf.function
    def program(x, index):
        good = client.call("add", [x, x], output_specs=NUMBER)
        bad = client.call("rows", [index], output_specs=tf.TensorSpec([None], tf.int32))
        return good.get_value(), bad.is_ok(), bad.get_error()

    for _ in range(2):
        total, ok, (code, message) = program(tf.constant(3.0), tf.constant([5]))
        assert float(total) == 6.0 and not bool(ok) and int(code) == 3 and b"is not in [0, 2)" in message.numpy()

    @tf.function
    def failing(index):
        return client.call("rows", [index], output_specs=tf.TensorSpec([None], tf.int32)).get_value()

    assert failing(tf.constant([1])).numpy().tolist() == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        failing(tf.constant([5]))


@pytest.mark.parametrize(
    "name, args, words",
    [
        ("missing", [], "missing is not registered"), ("add", [1.0], "float32"), ("add", [1, 2], "int32"),
        ("rows", [[5]], r"is not in \[0, 2\)"),
    ],
)
def test_errors_come_back(client, name, args, words):
    result = client.call(name, args, output_specs=NUMBER)
    assert not bool(result.is_ok()) and int(result.get_error()[0]) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        result.get_value()


def test_what_is_refused(server, client):
    for kind in (rpc.Server, rpc.Client):
        with pytest.raises(ValueError, match="Only GRPC"):
            kind.create("http", "127.0.0.1:1")
    with pytest.raises(tf.errors.FailedPreconditionError, match="late"):
        server.register("late", tf.function(lambda: 1, input_signature=[]))
    other = rpc.Server.create("grpc", server._address)
    with pytest.raises(ValueError, match="Input signature"):
        other.register("f", tf.function(lambda x: x))
    with pytest.raises(ValueError, match="Only TF functions"):
        other.register("f", lambda x: x)
    other.register("f", tf.function(lambda: 1, input_signature=[]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="already registered"):
        other.register("f", tf.function(lambda: 1, input_signature=[]))
    with pytest.raises(tf.errors.UnknownError, match=server._address):
        other.start()
    with pytest.raises(tf.errors.InvalidArgumentError, match="number of output types"):
        client.call("add", [1.0, 2.0]).get_value()


def test_nobody_answers():
    with pytest.raises(tf.errors.DeadlineExceededError, match="127.0.0.1:1"):
        rpc.Client.create("grpc", "127.0.0.1:1", timeout_in_ms=200)
