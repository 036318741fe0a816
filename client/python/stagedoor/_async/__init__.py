"""The calls of the public classes, each of which derives from a class of this package."""
