"""More programs for AutoGraph: small algorithms, written as one writes them in Python (see `autograph_programs.py`)."""

import numpy as np

from tests.api.autograph.autograph_programs import V, on

W = np.array([1, 3, 4, 7, 9, 12], np.int32)


@on([V], [np.array([-3, -2], np.int32)])
def largest_sum_of_neighbours(x):
    best = x[0]
    here = x[0]
    for i in range(1, len(x)):
        here = max(here + x[i], x[i])
        best = max(best, here)
    return best


@on([W, 7, 6], [W, 8, 6], [W, 1, 6], [W, 12, 6])
def binary_search(x, wanted, n):
    low, high = 0, n - 1
    while low <= high:
        middle = (low + high) // 2
        if x[middle] == wanted:
            return middle
        if x[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


@on([90210], [7], [0])
def digit_sum(n):
    s = 0
    while n > 0:
        s += n % 10
        n //= 10
    return s


@on([3, 20, 7], [2, 0, 5])
def power_modulo(base, exponent, modulus):
    result = 1
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent = exponent // 2
    return result


@on([2], [15], [17], [1])
def is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@on([20])
def count_primes(n):
    count = 0
    for i in range(2, n):
        prime = True
        for j in range(2, i):
            if i % j == 0:
                prime = False
                break
        if prime:
            count += 1
    return count


@on([np.array([1.0, -2.0, 3.0], np.float32), 2.0])
def horner(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


@on([V])
def inversions(x):
    n = 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] > x[j]:
                n += 1
    return n


@on([28], [27])
def perfect(n):
    s = 0
    for d in range(1, n):
        if n % d == 0:
            s += d
    return s == n


@on([np.array([1, 1, 2, 2, 2, 3], np.int32)], [np.array([5], np.int32)])
def longest_run(x):
    best, run = 1, 1
    for i in range(1, len(x)):
        run = run + 1 if x[i] == x[i - 1] else 1
        if run > best:
            best = run
    return best


@on([48, 36], [17, 5])
def gcd_by_recursion_of_a_helper(a, b):
    def step(p, q):
        return q, p % q

    while b != 0:
        a, b = step(a, b)
    return a


@on([0.7], [-2.5])
def arc_by_series(x):
    term, total, n = x, x, 2.0
    while abs(term) > 1e-4 and n < 50.0:
        term = -term * x * x / (n * (n + 1.0))
        total += term
        n += 2.0
    return total


@on([np.array([3, 1, 2], np.int32), 3], [np.array([1, 2, 3], np.int32), 3])
def is_sorted(x, n):
    for i in range(n - 1):  # noqa: SIM110 - the loop is what is tested
        if x[i] > x[i + 1]:
            return False
    return True


@on([10], [1])
def countdown_with_negative_step(n):
    s = 0
    for i in range(n, 0, -3):
        s = s * 2 + i
    return s


@on([5], [0])
def break_out_of_two_loops(n):
    found = False
    steps = 0
    for i in range(n):
        for j in range(n):
            steps += 1
            if i * j == 6:
                found = True
                break
        if found:
            break
    return steps


@on([4], [-4])
def loop_in_a_branch(n):
    total = 0
    if n > 0:
        for i in range(n):
            if i % 2 == 0:
                continue
            total += i
    else:
        while n < 0:
            n += 1
            total -= n
    return total


@on([3, 4], [4, 3])
def swap(a, b):
    if a > b:
        a, b = b, a
    return a * 10 + b


@on([5])
def augmented(x):
    for _ in range(3):
        x += 1
        x *= 2
        x -= 3
    x //= 2
    x %= 100
    return x


@on([6])
def starred(x):
    first, *rest = [x, x + 1, x + 2]
    if first > 3:
        rest = [-r for r in rest]
    return first + rest[0] * rest[1]


SCALE = 3


@on([2], [-2])
def module_name(x):
    if x > 0:
        return x * SCALE
    return SCALE


def doubled(function):
    def wrapper(*args):
        return function(*args) * 2

    return wrapper


@doubled
def decorated_helper(x):
    if x > 1:
        return x
    return -x


@on([3], [0])
def calls_a_decorated_function(x):
    return decorated_helper(x) + 1


class Scaler:
    factor = 4

    @staticmethod
    def halve(x):
        return x // 2 if x > 2 else x

    @classmethod
    def scale(cls, x):
        return x * cls.factor if x < 10 else x


@on([8], [2])
def static_and_class_methods(x):
    s = Scaler()
    return s.halve(x) + Scaler.scale(x)


@on([3], [3, 2])
def optional_argument(x, extra=None):
    if extra is not None and extra > 1:
        x = x + extra
    return x


@on([4])
def pairs(n):
    total = 0
    for a, b in [(1, 2), (3, 4)]:
        for _ in range(n):
            total += a * b
    return total


@on([7], [100])
def flags(n):
    even = small = n < 0
    i = 0
    while not (even and small) and i < 20:
        even = (n + i) % 2 == 0
        small = n - i < 5 or i > 10
        i += 1
    return i


@on([5])
def closure_over_the_loop(n):
    total = 0
    for i in range(n):
        add = lambda x, i=i: x + i  # noqa: E731
        total = add(total)
    return total


@on([3])
def two_loops_share_a_name(n):
    s = 0
    for i in range(n):
        s += i
    for i in range(n):
        s += i * i
    while i > 0:
        i -= 1
        s += 1
    return s


@on([V])
def running_maxima(x):
    top = x[0]
    total = 0
    for value in x:
        top = top if top > value else value
        total += top
    return total


@on([5], [25])
def nested_returns(x):
    if x > 3:
        for i in range(x):
            if i * i > x:
                return i
        return -1
    return 0


@on([9])
def generator_expression(x):
    return sum(i * x for i in range(4)) + max([i % 3 for i in range(5)])


@on([3], [30])
def membership(x):
    kinds = {"small": 1, "large": 2}
    return x * kinds["small"] if "small" in kinds and x < 10 else x * kinds["large"]
