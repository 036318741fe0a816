"""A discrete-event simulation of a render farm and its replicas; see docs/scaling.md."""
