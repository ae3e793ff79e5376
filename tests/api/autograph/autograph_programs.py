"""Programs for AutoGraph: plain Python functions, each with arguments to try.

Every program runs twice: as Python, on numbers and NumPy arrays, and traced, on tensors. Both must agree. The same
source serves both, since `range`, `len`, `abs`, ... of a tensor become nodes when the function is converted.
"""

import functools

import numpy as np

PROGRAMS: list = []


def on(*argument_lists):
    """Register a program with the lists of arguments that it is tried on."""

    def register(function):
        PROGRAMS.append((function, argument_lists))
        return function

    return register


V = np.array([3, -1, 4, -1, 5, -9], np.int32)
M = np.arange(6, dtype=np.float32).reshape(3, 2)

# --- if


@on([1], [-1], [0])
def sign(x):
    if x > 0:
        y = 1
    elif x < 0:
        y = -1
    else:
        y = 0
    return y


@on([5], [-5])
def defined_before(x):
    y = 10
    if x > 0:
        y = y + x
    return y


@on([5], [-5])
def if_without_outputs(x):
    if x > 0:
        _ = x + 1
    return x


@on([5], [-5])
def two_results(x):
    if x > 0:
        a, b = x, x * 2
    else:
        a, b = -x, 0
    return a + b


@on([7, 2], [7, -2], [-7, 2], [-7, -2])
def nested_if(x, y):
    if x > 0:
        if y > 0:
            r = 1
        else:
            r = 2
    else:
        if y > 0:
            r = 3
        else:
            r = 4
    return r


@on([3], [-3])
def return_in_both(x):
    if x > 0:
        return x * 10
    else:
        return x - 10


@on([3], [-3])
def early_return(x):
    if x > 0:
        return x * 10
    return x - 10


@on([1], [2], [3], [4])
def chain_of_returns(x):
    if x == 1:
        return 10
    if x == 2:
        return 20
    if x == 3:
        return 30
    return 0


@on([1, True], [1, False])
def python_condition(x, flag):
    if flag is True:
        return x + 1
    return x - 1


@on([4], [-4])
def conditional_expression(x):
    return x * 2 if x > 0 else x * 3


@on([4], [-4], [0])
def nested_conditional_expression(x):
    return 1 if x > 0 else -1 if x < 0 else 0


@on([5], [-5])
def structures(x):
    d = {"a": x, "b": [x, x]}
    if x > 0:
        d = {"a": x + 1, "b": [x, x * 2]}
    return d["a"] + d["b"][1]


@on([5], [-5])
def tuple_result(x):
    if x > 0:
        return x, (x + 1, x + 2)
    return x, (x - 1, x - 2)


@on([5], [50])
def dictionary_item(x):
    d = {"n": x}
    if x > 10:
        d["n"] = d["n"] * 2
    return d["n"]


class Box:
    def __init__(self, n):
        self.n = n


@on([5], [50])
def attribute(x):
    box = Box(x)
    if x > 10:
        box.n = box.n * 2
    return box.n


# --- logic


@on([5, 3], [5, 30], [-5, 3], [-5, 30])
def and_or(x, y):
    if (x > 0 and y < 10) or (x < 0 and not y < 10):
        return 1
    return 0


@on([5], [15], [0])
def chained_comparison(x):
    return 1 if 0 < x < 10 else 0


@on([1, 2, 3], [3, 2, 1], [1, 2, 2])
def long_chain(x, y, z):
    return 1 if x < y < z else 0


@on([5], [-5])
def not_(x):
    return 1 if not x > 0 else 2


@on([0], [4])
def short_circuit(n):
    if n != 0 and 12 // n > 2:
        return 12 // n
    return -1


@on([4], [5])
def equality(x):
    if x == 4:
        return 1
    return 2


@on([4], [5])
def inequality(x):
    if x != 4:
        return 1
    return 2


@on([3, False], [3, True])
def mixed_logic(x, flag):
    if flag and x > 0:
        return 1
    return 0


# --- while


@on([10], [0], [1])
def count_down(n):
    steps = 0
    while n > 0:
        n -= 1
        steps += 1
    return steps


@on([27], [1], [6])
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@on([48, 18], [7, 13])
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@on([50], [3])
def while_break(n):
    i = 0
    while i < n + 100:
        if i * i > n:
            break
        i += 1
    return i


@on([10])
def while_continue(n):
    i, s = 0, 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        s += i
    return s


@on([20], [1000])
def while_return(n):
    i = 0
    while i < n:
        i += 1
        if i * i > 200:
            return i
    return -i


@on([9.0], [2.0])
def newton(x):
    y = x
    while abs(y * y - x) > 1e-3:
        y = (y + x / y) / 2.0
    return y


@on([4], [0])
def nested_while(n):
    i, total = 0, 0
    while i < n:
        j = 0
        while j < i:
            total += i * j
            j += 1
        i += 1
    return total


@on([10])
def two_conditions(n):
    a, b = 0, n
    while a < b and b > 2:
        a += 1
        b -= 1
    return a * 100 + b


@on([5])
def python_while(x):
    i = 0
    while i < 3:
        x = x + i
        i += 1
    return x


# --- for


@on([10], [0])
def sum_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


@on([2, 9], [9, 2])
def range_two(a, b):
    s = 0
    for i in range(a, b):
        s += i
    return s


@on([1, 20, 3], [20, 1, -4])
def range_three(a, b, c):
    s = 0
    for i in range(a, b, c):
        s += i
    return s


@on([5])
def last_index(n):
    for i in range(n):  # noqa: B007
        pass
    return i


@on([V])
def sum_rows(v):
    s = 0
    for x in v:
        s += x
    return s


@on([M])
def matrix_rows(m):
    s = 0.0
    for row in m:
        s += row[0] * row[1]
    return s


@on([V])
def positive_only(v):
    s = 0
    for x in v:
        if x < 0:
            continue
        s += x
    return s


@on([V, 4], [V, 100])
def find(v, wanted):
    at = -1
    i = 0
    for x in v:
        if x == wanted:
            at = i
            break
        i += 1  # noqa: SIM113
    return at


@on([V, 4], [V, 100])
def find_by_return(v, wanted):
    i = 0
    for x in v:
        if x == wanted:
            return i
        i += 1  # noqa: SIM113
    return -1


@on([5, 4], [5, 0], [0, 4])
def nested_for(n, m):
    s = 0
    for i in range(n):
        for j in range(m):
            if j > i:
                break
            s += i * j
    return s


@on([6], [40])
def return_from_nested(n):
    for i in range(n):
        for j in range(i):
            if i * j > 30:
                return i * 100 + j
    return 0


@on([V])
def maximum(v):
    best = v[0]
    for x in v:
        if x > best:
            best = x
    return best


@on([V])
def bubble_step(v):
    swaps = 0
    for i in range(len(v) - 1):
        if v[i] > v[i + 1]:
            swaps += 1
    return swaps


@on([10])
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@on([3])
def python_for(x):
    for i in [1, 2, 3]:
        x = x * i
    return x


@on([3], [-3])
def python_for_with_tensor_if(x):
    for i in (1, 2, 3):
        if x > i:
            x = x - i
    return x


@on([3])
def enumerate_list(x):
    s = 0
    for i, k in enumerate([10, 20]):
        s += i * k + x
    return s


@on([3])
def zip_lists(x):
    s = 0
    for a, b in zip([1, 2], [3, 4]):
        s += a * b * x
    return s


@on([5])
def loop_carries_structure(n):
    state = {"sum": 0, "pair": (0, 1)}
    for i in range(n):
        state = {"sum": state["sum"] + i, "pair": (state["pair"][1], state["sum"])}
    return state["sum"] * 1000 + state["pair"][1]


@on([5])
def loop_changes_attribute(n):
    box = Box(0)
    for i in range(n):
        box.n = box.n + i
    return box.n


# --- functions


def helper(x):
    if x > 3:
        return x * 2
    return x


@on([2], [5])
def calls_function(x):
    return helper(x) + helper(x + 1)


@on([6])
def python_recursion(x):
    def power(base, n):
        if n == 0:
            return 1
        return base * power(base, n - 1)

    return power(x, 3)


@on([2], [-2])
def nested_function(x):
    def inner(y):
        if y > 0:
            return y + x
        return y - x

    return inner(x) * inner(-x)


@on([2], [-2])
def lambda_in_function(x):
    pick = lambda a: a + 1 if a > 0 else a - 1
    return pick(x) + pick(-x)


@on([4], [-4])
def partial(x):
    def f(a, b):
        if b > 0:
            return a * b
        return a - b

    return functools.partial(f, 3)(x)


@on([4])
def nonlocal_variable(n):
    total = 0

    def add(k):
        nonlocal total
        total = total + k

    for i in [1, 2, 3]:
        add(n * i)
    return total


class Counter:
    def __init__(self, step):
        self.step = step

    def times(self, n):
        s = 0
        for _ in range(n):
            s = s + self.step
        return s

    def __call__(self, x):
        if x > 2:
            return self.times(x)
        return x


class Doubling(Counter):
    def times(self, n):
        return 2 * super().times(n)


@on([1], [5])
def method_and_call(x):
    return Counter(3)(x) + Doubling(2)(x)


@on([2, 3])
def arguments(x, y):
    def f(a, *rest, scale=1, **more):
        s = a * scale
        for r in rest:
            s += r
        for k in sorted(more):
            s += more[k]
        return s

    return f(x, y, *[1, 2], scale=2, **{"p": y, "q": x})


@on([5], [-5])
def map_and_filter(x):
    total = 0
    for y in map(helper, [x, x + 1]):
        total += y
    for n in filter(lambda k: k > 1, [1, 2, 3]):
        total += n
    return total


@on([5], [-5])
def comprehension(x):
    return sum([helper(x + k) for k in range(3)])


# --- builtins


@on([-4])
def absolute(x):
    return abs(x)


@on([-4.7], [4.7])
def to_int(x):
    return int(x) * 2


@on([3])
def to_float(x):
    return float(x) / 2.0


@on([V])
def length(v):
    return len(v) * 2


@on([4, 9], [9, 4])
def min_max(x, y):
    return min(x, y) * 100 + max(x, y)


@on([V])
def sorting(v):
    ordered = sorted(v)
    return ordered[0] * 10 + ordered[1]


@on([[True, False]], [[True, True]])
def any_all(flags):
    return (1 if any(flags) else 0) + (10 if all(flags) else 0)


@on([5])
def assertion(x):
    assert x > 0, f"{x} is not positive"
    return x


@on([3])
def with_block(x):
    import contextlib

    with contextlib.nullcontext():
        if x > 2:
            y = x
        else:
            y = -x
    return y


@on([3])
def try_finally(x):
    try:
        if x > 2:
            y = x
        else:
            y = 0
    finally:
        z = 1
    return y + z
