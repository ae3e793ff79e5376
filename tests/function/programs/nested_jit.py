"""A function with jit_compile inside one without: compiled whole, unchecked, refused for what XLA lacks; with state, loops, gradients."""
import tensorflow as tf

v = tf.Variable(1.0)
jit = tf.function(jit_compile=True)
energy = jit(lambda x: tf.reduce_sum(x * x))
pick = jit(lambda x, i: tf.gather(x, i))
text = jit(lambda x: tf.strings.length(tf.strings.as_string(x)))
rows = jit(lambda x, n: tf.reshape(x, [n, -1]))
distinct = jit(lambda x: tf.unique(x)[0])


@jit
def update(x):
    v.assign_add(x)
    return v * 2


@jit
def positive(x):
    tf.debugging.assert_positive(x)
    return x


@tf.function
def step(x):
    a = energy(x) + 1
    update(a)
    v.assign(v * 2)
    b = update(1.0)
    return a, b, v.read_value()


@tf.function
def loop(x, n):
    for _ in tf.range(n):
        x = x + energy(x[None]) * 0.1
        update(0.5)
    return x


for _ in range(3):
    print([float(t) for t in step(tf.ones([3]))], float(loop(tf.constant(1.0), tf.constant(3))), float(v))


@tf.function
def unchecked(x, i):
    return pick(x, i) * 2, x[0]


@tf.function
def half_checked(x, i):
    return pick(x, i) + tf.gather(x, i)


for _ in range(3):
    print([float(t) for t in unchecked(tf.constant([1.0, 2.0]), tf.constant(7))])
    try:
        print(half_checked(tf.constant([1.0, 2.0]), tf.constant(7)))
    except tf.errors.InvalidArgumentError as e:
        print("refused", "indices = 7 is not in [0, 2)" in str(e))


@tf.function
def only_if(x):
    if x > 0:
        return text(x)
    return x


print(int(only_if(tf.constant(-1))))
for function in (lambda x: text(x) + 1, only_if, text):
    for _ in range(2):
        try:
            print(tf.function(function)(tf.constant(1)))
        except tf.errors.InvalidArgumentError as e:
            print("Detected unsupported operations when trying to compile graph" in str(e), "AsString" in str(e))
shaped = tf.function(lambda x, n: rows(x * 2, n) + 1)
print([shaped(tf.ones([6]), tf.constant(n)).shape for n in (1, 2, 3, 2)])
print([tf.function(lambda x: distinct(x) + 1)(tf.constant([1, 1, 2])).numpy().tolist() for _ in range(2)])
print([float(tf.function(lambda x: positive(x) * 2)(tf.constant(-1.0))) for _ in range(2)])


@tf.function
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = energy(x) ** 2
    return tape.gradient(y, x)


w = tf.Variable(3.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        y = tf.function(lambda: energy(w[None]) * 2)()
    print(float(tape.gradient(y, w)), slope(tf.constant([1.0, 2.0])).numpy())
with tf.GradientTape() as tape:
    x = tf.constant([1.0, 2.0])
    tape.watch(x)
    total = tf.reduce_sum(slope(x))
print(tape.gradient(total, x).numpy())
print(tf.vectorized_map(energy, tf.ones([3, 2])).numpy(), tf.map_fn(energy, tf.ones([3, 2])).numpy())
print(list(tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0]]).map(energy).as_numpy_iterator()))
print(energy.get_concrete_function(tf.ones([2])).function_def.attr["_XlaMustCompile"].b)
