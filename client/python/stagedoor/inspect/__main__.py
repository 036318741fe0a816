"""`python3 -m stagedoor.inspect`, and the program `stagedoor-inspect`."""

from __future__ import annotations

import sys


def run() -> int:
    """Runs the inspector, or says what is not installed."""
    try:
        from stagedoor.inspect._command import main
    except ModuleNotFoundError as missing:
        if missing.name not in ("starlette", "uvicorn", "anyio"):
            raise
        print(
            f"stagedoor-inspect: {missing.name} is not installed; "
            "run: pip install 'stagedoor[inspect]'",
            file=sys.stderr,
        )
        return 2
    return main()


if __name__ == "__main__":
    sys.exit(run())
