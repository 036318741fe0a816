"""Runs the example notebooks, each by a kernel of its own against a daemon."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import pytest
from conftest import REPOSITORY

EXAMPLES = REPOSITORY / "client/python/examples"


class Output:
    """What a cell has shown."""

    def __init__(self, outputs: list[Any]) -> None:
        self.printed = "".join(found.get("text", "") for found in outputs)
        self.kinds = [kind for found in outputs for kind in found.get("data", {})]
        self.data: dict[str, str] = {}
        for found in outputs:
            self.data.update(found.get("data", {}))

    @property
    def value(self) -> str:
        return self.data["text/plain"]

    @property
    def html(self) -> str:
        return self.data["text/html"]


def run_notebook(
    name: str, address: str, folder: pathlib.Path, probe: str = ""
) -> dict[str, Output]:
    """What each cell has shown, by the ID of the cell. `probe` is the source of one more."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    import nbformat
    from traitlets.config import Config

    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(probe, id="probe"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGEDOOR_ADDRESS", address)
        patch.delenv("MPLBACKEND", raising=False)
        # Nothing of the user's, and sockets in the folder instead of ports that others may take.
        for variable in (
            "IPYTHONDIR",
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
        ):
            patch.setenv(variable, str(folder / variable))
        os.mkdir(folder / "JUPYTER_RUNTIME_DIR")
        nbclient.NotebookClient(
            notebook,
            timeout=120,
            startup_timeout=120,
            kernel_name="python3",
            resources={"metadata": {"path": str(EXAMPLES)}},
            config=Config({"KernelManager": {"transport": "ipc", "ip": str(folder / "socket")}}),
        ).execute()
    return {cell.id: Output(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"}


def check_stored_notebook(name: str, cells: int) -> None:
    """Whether a notebook is stored without outputs, with at least `cells` short cells of code."""
    notebook = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(codes) >= cells
    for cell in codes:
        assert cell["outputs"] == [] and cell["execution_count"] is None, cell["id"]
        assert len(cell["source"]) <= 8, cell["id"]
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
