"""Values as typed reads of C++ find them, for references that compute in Python, where reads have no type."""
from pxr import Sdf, Usd


def typed_value(attribute, kind, time, default):
    """At default time, opinions of other types are ignored: a weaker one may count. `default` if there is none, or it is blocked."""
    if not attribute:
        return default
    found = attribute.Get(time)
    if found is None or isinstance(found, kind):
        return default if found is None else found
    if not time.IsDefault():
        return default
    for spec in attribute.GetPropertyStack(Usd.TimeCode.Default()):
        value = spec.default if spec.HasDefaultValue() else None
        if isinstance(value, Sdf.ValueBlock):
            return default
        if isinstance(value, kind):
            return value
    fallback = attribute.GetPrim().GetPrimDefinition().GetAttributeFallbackValue(attribute.GetName())
    return fallback if isinstance(fallback, kind) else default
