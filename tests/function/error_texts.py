"""Errors inside functions: their class, their text, and the user's line first."""

from tests.function.recorded import program, show_error


def helper(tf, x):
    return tf.reshape(x, [7, 7])


@program
def while_tracing(tf):
    @tf.function
    def calls_helper(x):
        y = x + 1.0
        return helper(tf, y)

    show_error(calls_helper, tf.ones([3]))

    @tf.function
    def product(x):
        return tf.matmul(x, x)

    show_error(product, tf.ones([2, 3]))

    @tf.function
    def wrong_dtype(x):
        return x + tf.constant(1)

    show_error(wrong_dtype, tf.ones([2, 3]))

    @tf.function
    def lost_key(x):
        return {}["q"]

    show_error(lost_key, 1)

    @tf.function
    def lost_name(x):
        return undefined_name + x  # noqa: F821

    show_error(lost_name, 1)

    @tf.function
    def outer(x):
        return inner(x)

    @tf.function
    def inner(x):
        return tf.reshape(x, [9])

    show_error(outer, tf.ones([2]))

    @tf.function(autograph=False)
    def unconverted(x):
        return 1 if x > 0 else 2

    show_error(unconverted, tf.constant(1))


@program
def shapes_that_do_not_fit(tf):
    def check(function, *shapes):
        specs = [tf.TensorSpec(s) for s in shapes]
        show_error(tf.function(function, autograph=False).get_concrete_function, *specs)

    check(lambda a, b: a + b, [2], [3])
    check(lambda a, b: tf.add(a, b), [2, 3], [3, 2])
    check(lambda a, b: tf.equal(a, b), [2], [3])
    check(lambda a: tf.reshape(a, [4]), [3])
    check(lambda a: tf.reshape(a, [-1, 2]), [3])
    check(lambda a, b: tf.matmul(a, b), [2, 3], [2, 3])
    check(lambda a, b: tf.matmul(a, b), [4, 2, 3], [5, 3, 2])
    check(lambda a, b: tf.matmul(a, b), [4, 2, 3], [4, 2, 3])
    check(lambda a, b: tf.where(a > 0, a, b), [2, 3], [4])
    check(lambda a: tf.broadcast_to(a, [3, 3]), [2])
    check(lambda a, b: tf.nn.bias_add(a, b), [2, 3], [4])
    check(lambda a: tf.logical_not(a), [2])


@program
def while_running(tf):
    @tf.function
    def gathers(x, i):
        y = x * 2.0
        z = tf.gather(y, i)
        return z + 1.0

    for _ in range(3):  # interpreted, compiled, again
        show_error(gathers, tf.ones([3]), tf.constant(7))

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def divides(x, y):
        return tf.cast(x, tf.int32) // tf.cast(y, tf.int32)

    show_error(divides, 1.0, 0.0)

    @tf.function
    def takes_next(iterator):
        return next(iterator)

    iterator = iter(tf.data.Dataset.range(1))
    takes_next(iterator)
    show_error(takes_next, iterator)

    @tf.function
    def parses(x):
        return tf.strings.to_number(x)

    show_error(parses, tf.constant("abc"))


@program
def leaked(tf):
    kept = []

    @tf.function
    def f(x):
        kept.append(x + 1)
        return x

    f(tf.constant(1))
    for use in (lambda: kept[0] + 1, lambda: tf.add(kept[0], 1), lambda: tf.stack([kept[0], 1])):
        try:
            use()
        except TypeError as error:
            print(error)
    try:
        tf.function(lambda: kept[0] * 2, autograph=False)()
    except (TypeError, ValueError) as error:
        print(str(error).split("\n")[0])
    print(kept[0], hasattr(kept[0], "numpy"))


@program
def undefined_variables(tf):
    @tf.function
    def one_branch(x):
        if x > 0:
            y = 1
        return y

    show_error(one_branch, tf.constant(1))

    @tf.function
    def one_return(x):
        if x > 0:
            return 1

    show_error(one_return, tf.constant(1))

    @tf.function
    def two_dtypes(x):
        if x > 0:
            y = 1
        else:
            y = "a"
        return y

    show_error(two_dtypes, tf.constant(1))

    @tf.function
    def none_before(x):
        y = None
        if x > 0:
            y = 1
        return y

    show_error(none_before, tf.constant(1))

    @tf.function
    def changes_dtype(x):
        s = 0
        for _ in tf.range(3):
            s = s + 0.5
        return s

    show_error(changes_dtype, 1)

    @tf.function
    def grows(n):
        x = tf.zeros([1, 2])
        for _ in tf.range(n):
            x = tf.concat([x, tf.ones([1, 2])], 0)
        return x

    show_error(grows, tf.constant(2))

    @tf.function
    def python_loop(x):
        for i in [1, 2, 3]:
            if x > i:
                break
        return x

    show_error(python_loop, tf.constant(1))

    @tf.function
    def vector_condition(x):
        if x:
            return 1
        return 2

    show_error(vector_condition, tf.constant([True, False]))

    @tf.function
    def loop_without_iterations(x):
        while x > 0:
            y = x
            x -= 1
        return y

    print(loop_without_iterations(tf.constant(2)))
    show_error(loop_without_iterations, tf.constant(0))


@program
def without_source(tf):
    names = {"tf": tf, "__name__": "a_shell"}
    exec(compile("def f(x):\n  if x > 0: return 1\n  return 2", "<in a shell>", "exec"), names)
    show_error(tf.function(names["f"]), tf.constant(1))
    exec("def g(x):\n  return x + 1", names)
    print(tf.function(names["g"])(tf.constant(1)))


@program
def not_converted(tf):
    @tf.autograph.experimental.do_not_convert
    def f(x):
        return 1 if x > 0 else 2

    @tf.function
    def g(x):
        return f(x)

    show_error(g, tf.constant(1))
    print(g(1), f.__name__)


@program
def conversion_by_hand(tf):
    def f(x):
        return x if x > 0 else -x

    print(tf.autograph.to_graph(f)(tf.constant(-2)), tf.autograph.to_graph(f).__name__)
    for thing in (3, tf.function(f)):
        show_error(tf.autograph.to_graph, thing)


@program
def optional_features(tf):
    feature = tf.autograph.experimental.Feature

    @tf.function(experimental_autograph_options=feature.BUILTIN_FUNCTIONS)
    def prints(x):
        print("value", x)
        return x

    prints(tf.constant(1))
    prints(tf.constant(2))

    @tf.function(experimental_autograph_options=(feature.ASSERT_STATEMENTS, feature.LISTS))
    def asserts(x):
        assert x > 0, "negative"
        return x

    print(asserts(tf.constant(1)))
    try:
        asserts(tf.constant(-1))
    except tf.errors.InvalidArgumentError as error:
        print("negative" in str(error))

    @tf.function(experimental_autograph_options=feature.EQUALITY_OPERATORS)
    def compares(x):
        return x == 3, x != 3

    print(compares(tf.constant(3)))
    print(sorted(f.name for f in feature.all()), sorted(f.name for f in feature.all_but(feature.LISTS)))


@program
def a_method_outlives_its_object(tf):
    class C:
        @tf.function
        def m(self, x):
            return x * self.k

    show_error(lambda: C().m(tf.constant(2)))
