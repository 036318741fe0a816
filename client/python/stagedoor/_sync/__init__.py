# Generated from ../_async/__init__.py by tools/python_client.py: ./dev python_client.
"""What the public classes ask the daemon: each derives from a class of this package."""
