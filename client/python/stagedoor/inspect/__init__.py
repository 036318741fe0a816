"""The inspector: shows in a browser what a daemon holds. Installed by the extra `inspect`.

    python3 -m stagedoor.inspect /show/shot.usda

It is a program, not a library: docs/inspector.md describes it. It asks the daemon through
`stagedoor.aio`, and answers a page of this package in JSON, in arrays of bytes, and in streams of
lines of JSON.
"""
