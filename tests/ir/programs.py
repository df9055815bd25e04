"""Random straight-line programs with every primitive, for the tests of what is done with programs."""

from __future__ import annotations

from sixd import ops

__all__ = ["random_function"]

TABLES = ops.Tabulated([0.5, -1.0, 2.0, 0.25, -0.75]), ops.Tabulated([[1.5, -0.5], [0.125, 1.0]])


def random_function(rng, length):
    """A function of an array with some hundred operations, and the size of that array.

    Outputs are numbers made early and late, one without axes, and a large one with inputs, constants and repetitions.
    """
    size = int(rng.integers(5, 20))
    choices = rng.random((length, 5))

    def function(x, *_):
        values = list(x)

        def pick(u, near=30):
            """One of the last values mostly, so that some live long and most do not."""
            if u > 0.9:
                return values[int((u - 0.9) * 10 * len(values))]
            return values[-1 - int(u * min(near, len(values)))]

        for kind, u, v, w, c in choices:
            a, b = pick(u), pick(v)
            rules = [
                lambda a=a, b=b: a + b,
                lambda a=a, b=b: a - b,
                lambda a=a, b=b: a * b * 0.5,
                lambda a=a, b=b, w=w: a * b - pick(w),
                lambda a=a, c=c: a * (2.0 * c - 1.0) + 1.0,
                lambda a=a, b=b: ops.divide(a, 1.5 + ops.absolute(b)),
                lambda a=a: ops.sqrt(ops.absolute(a) + 0.5),
                lambda a=a: ops.sin(a),
                lambda a=a: ops.cos(-a),
                lambda a=a, b=b: ops.arctan2(a, b + 0.25),
                lambda a=a, b=b, w=w: ops.where(a < b, pick(w), -a),
                lambda a=a: -a,
                lambda a=a, w=w: ops.pick(TABLES[int(2 * w)], 4.0 * a),
                lambda a=a: a - ops.floor(a),
            ]
            values.append(rules[int(kind * len(rules))]())
        some = [values[int(u * len(values))] for u in choices[:40, 1]]
        large = [*some, *x, 0.0, 1.5, -x[0], *some[:7]] * 5
        return [("some", (4, 10), some), ("one", (), [values[-1]]), ("large", (len(large),), large)]

    return function, size
