"""How the scripts print numbers: rounded, so that the last digit of a sum does not matter."""

SMALL = 1e-5  # what is left of zero


def number(value):
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return "0" if abs(value) < SMALL else f"{value:.5g}"
    return str(value)


def row(values):
    return "(" + " ".join(number(value) for value in values) + ")"


def matrix(values):
    return " ".join(row(values[i]) for i in range(4))


def short(value, count=6):
    """A value in one line; of an array, the first elements and how many there are."""
    if value is None or isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, str):
        return value
    if hasattr(value, "path"):
        return f"@{value.path}@"
    kind = type(value).__name__
    if kind.endswith("Array"):
        first = " ".join(short(value[i]) for i in range(min(count, len(value))))
        return f"{kind} {len(value)} [{first}]"
    if kind.startswith("Matrix"):
        return " ".join(row(value[i]) for i in range(len(value)))
    if kind.startswith("Vec"):
        return row(value)
    if kind.startswith("Quat"):
        return row([value.real, *value.imaginary])
    return str(value)
