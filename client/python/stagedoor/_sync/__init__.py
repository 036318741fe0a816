# Generated from ../_async/__init__.py by tools/python_client.py: ./dev python_client.
"""The calls of the public classes, each of which derives from a class of this package."""
