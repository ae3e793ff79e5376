"""Things in an order in which each stands behind those that it needs."""

from reflow.graph.ordering import in_order


def test_each_stands_behind_what_it_needs():
    needs = {i: [j for j in range(i) if (i + j) % 3 == 0] for i in range(30)}
    order = in_order(needs)
    assert sorted(order) == list(range(30))
    assert all(order.index(j) < order.index(i) for i, needed in needs.items() for j in needed)


def test_cycles_and_what_is_behind_them_are_missing():
    assert in_order({1: [], 2: [3], 3: [2], 4: [3], 5: [1, 1]}) == [1, 5]
