"""The notebook lights_and_materials.ipynb."""

from __future__ import annotations

import pytest
from notebooks import check_stored_notebook, run_notebook

NOTEBOOK = "lights_and_materials.ipynb"


@pytest.fixture(scope="module")
def outputs(daemon, tmp_path_factory):
    return run_notebook(NOTEBOOK, daemon.address, tmp_path_factory.mktemp("kernel"))


def test_notebook_is_stored_without_outputs():
    check_stored_notebook(NOTEBOOK, cells=8)


def test_lights(outputs):
    rows = [line.split() for line in outputs["lights"].value.splitlines()]
    assert rows[0] == ["light", "type", "intensity"]
    assert ["0", "/Shot/Lights/House", "DomeLight", "0.1"] in rows
    assert ["1", "/Shot/Lights/Spot", "SphereLight", "450.0"] in rows
    assert outputs["links"].printed.splitlines() == [
        "/Shot/Theatre/Floor False 4",
        "/Shot/Theatre/Wall False 4",
        "/Shot/Characters/Actor/Body True 5",
        "/Shot/Curtain/Cloth True 5",
    ]
    assert outputs["shadows"].value == "4"


def test_materials(outputs):
    assert "<td>/Shot/Theatre/Wall.material:binding</td>" in outputs["materials"].html
    assert "/Shot/Characters/Actor/Body" not in outputs["materials"].html
    assert "wins" in outputs["why"].value
    assert (
        "/Shot/Theatre/Looks/Plaster UsdPreviewSurface ['diffuseColor', 'roughness']"
        in outputs["shaders"].printed.splitlines()
    )


def test_camera(outputs):
    across, up = (float(angle) for angle in outputs["camera"].printed.strip("[]\n").split(", "))
    assert 0 < up < across < 90
