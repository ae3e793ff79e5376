"""How many pieces a variable is cut into."""

from tests.expressions import session

test_expressions = session(__file__)
