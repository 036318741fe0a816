"""What the public classes ask the daemon: each derives from a class of this package."""
