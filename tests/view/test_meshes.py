"""Meshes: each format gives the same box, files are found as robots name them, and what is wrong is said."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd import ModelError
from sixd.view.meshes import READERS, Mesh
from sixd.view.meshes.find import find_mesh, read_mesh
from sixd.view.meshes.reduce import corner_normals, reduced, share_of, split_at_edges
from sixd.view.shapes import box, capsule, cone, cylinder, ellipsoid, pose_along, sphere
from tests.robots import example_urdf
from tests.view.files import SIZE, as_collada, as_obj, as_stl, as_text_stl, volume

FILES = {
    "binary.stl": as_stl(),
    "text.STL": as_text_stl(),
    "box.obj": as_obj(),
    "polylist.dae": as_collada(),
    "polygons.dae": as_collada(kind="polygons"),
    "triangles.dae": as_collada(kind="triangles"),
    "millimetres.dae": as_collada(unit=1e-3),
    "moved.dae": as_collada(node="<translate>5 0 0</translate><rotate>0 0 1 90</rotate><scale>1 1 -1</scale>"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_box(name, tmp_path):
    (tmp_path / name).write_bytes(FILES[name])
    (part,) = read_mesh(tmp_path / name)
    moved = name == "moved.dae"
    size = (SIZE[1], SIZE[0], SIZE[2]) if moved else SIZE
    np.testing.assert_allclose(np.ptp(part.mesh.points, axis=0), size, atol=1e-7)
    np.testing.assert_allclose(part.mesh.points.mean(axis=0), (5.0 if moved else 0.0, 0.0, 0.0), atol=1e-7)
    assert abs(volume(part.mesh)) == pytest.approx(np.prod(SIZE), rel=1e-6)
    assert len(part.mesh.triangles) == 12
    assert part.color == ((0.1, 0.2, 0.3, 1.0) if name.endswith(".dae") else None)


def test_a_matrix_moves_a_node():
    text = as_collada(node="<matrix>0 -1 0 1  1 0 0 2  0 0 1 3  0 0 0 1</matrix>")
    (part,) = READERS[".dae"](text, Path("x.dae"))
    np.testing.assert_allclose(part.mesh.points.mean(axis=0), (1.0, 2.0, 3.0), atol=1e-12)


def test_materials_of_obj_files(tmp_path):
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 0.9 0.1 0.2\nd 0.5\nnewmtl other\n")
    (tmp_path / "a.obj").write_bytes(as_obj("mtllib a.mtl\nusemtl red"))
    assert read_mesh(tmp_path / "a.obj")[0].color == (0.9, 0.1, 0.2, 0.5)
    (tmp_path / "b.obj").write_bytes(as_obj("mtllib missing.mtl\nusemtl red"))
    assert read_mesh(tmp_path / "b.obj")[0].color is None


def test_a_file_that_has_changed_is_read_again(tmp_path):
    file = tmp_path / "a.stl"
    file.write_bytes(as_stl())
    assert read_mesh(file)[0] is read_mesh(file)[0]
    file.write_bytes(as_text_stl())
    assert len(read_mesh(file)[0].mesh.triangles) == 12


WRONG = {
    "cut.stl": (as_stl()[:-7], "no STL file"),
    "words.stl": (b"solid x\nfacet\nvertex a b c\n", "no number"),
    "pair.stl": (b"solid x\nvertex 0 0 0\nvertex 1 0 0\n", "do not make triangles"),
    "nan.stl": (as_text_stl().replace(b"0.2", b"nan", 1), "not finite|no number"),
    "none.obj": (b"v 0 0 0\n", "no faces"),
    "words.obj": (b"v 0 0 zero\n", "line 1"),
    "flat.obj": (b"v 0 0 0\nv 1 0\nf 1 2 1\n", "line 2"),
    "line.obj": (b"v 0 0 0\nv 1 0 0\nf 1 2\n", "no faces"),
    "unit.dae": (b'<COLLADA><asset><unit meter=""/></asset></COLLADA>', "meter of <unit> must be one number"),
    "stride.dae": (as_collada().replace(b'stride="3"', b'stride="three"'), "stride of <accessor> has something"),
    "offset.dae": (as_collada().replace(b'offset="0"', b'offset="-1"'), "offset of <input> must be one number"),
    "far.obj": (b"v 0 0 0\nf 1 2 3\n", "does not exist"),
    "other.dae": (b"<html/>", "starts with <COLLADA>"),
    "broken.dae": (b"<COLLADA>", "not well-formed"),
    "doctype.dae": (b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "DOCTYPE"),
    "empty.dae": (b"<COLLADA/>", "shows no triangles"),
    "lost.dae": (as_collada().replace(b'url="#box"', b'url="#nothing"'), "'#nothing', which does not exist"),
    "short.dae": (as_collada().replace(b"<vcount>4", b"<vcount>400"), "corners"),
    "turn.dae": (as_collada(node="<rotate>1 2</rotate>"), "<rotate> needs 4 numbers"),
    "what.ply": (b"ply", "known are .stl, .obj, .dae"),
    "nested.dae": (as_collada(node="<node>" * 70 + "</node>" * 70), "nested more than"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_the_file(name, tmp_path):
    content, message = WRONG[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        read_mesh(tmp_path / name)
    assert caught.value.file == str(tmp_path / name)


def test_missing_files_are_errors_of_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_mesh(tmp_path / "a.stl")


def test_where_meshes_are_found(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    mesh = tmp_path / "share" / "arm" / "meshes" / "a b.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_bytes(as_stl())
    (tmp_path / "share" / "arm" / "urdf").mkdir()
    robot = str(tmp_path / "share" / "arm" / "urdf" / "arm.urdf")
    for name in ("../meshes/a b.stl", "package://arm/meshes/a b.stl", "package:///arm/meshes/a b.stl", str(mesh)):
        assert find_mesh(name, robot).resolve() == mesh
    assert find_mesh(mesh.as_uri(), None) == mesh
    with pytest.raises(ModelError, match="ROS_PACKAGE_PATH"):
        find_mesh("package://arm/meshes/a b.stl", str(tmp_path / "elsewhere.urdf"))
    for place in (tmp_path / "share", tmp_path / "share" / "arm"):
        monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path / 'nowhere'}:{place}")
        assert find_mesh("package://arm/meshes/a b.stl", None) == mesh
    with pytest.raises(ModelError, match="nothing is fetched"):
        find_mesh("https://example.org/a.stl", None)
    for name in ("missing.stl", "", "a\0b"):
        with pytest.raises(ModelError, match="not found"):
            find_mesh(name, robot)


@pytest.mark.parametrize("folder", ["my dir", "Bücher", "a#1", "100%20", "what?", "50%"])
def test_meshes_in_folders_with_signs_of_urls(tmp_path, folder):
    mesh = tmp_path / folder / "arm" / "a.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_bytes(as_stl())
    robot = str(mesh.with_name("arm.urdf"))
    for name in (mesh.as_uri(), f"file://{mesh}", f"file://localhost{mesh}", "a.stl", "package://arm/a.stl"):
        assert find_mesh(name, robot) == mesh


@pytest.mark.parametrize("name", ["panda_description/panda", "talos_data/talos_full_v2", "laikago_description/laikago"])
@pytest.mark.filterwarnings("ignore::sixd.ModelWarning")
def test_meshes_of_real_robots_are_found_and_read(name):
    robot = sixd.load(example_urdf(name))
    scene = sixd.view.Scene.of(robot)
    assert scene.notes == ()
    assert len(next(layer for layer in scene.layers if layer.name == "links").items) >= 10


SOLIDS = {
    "box": (box(1.0, 2.0, 3.0), 6.0, 1e-12),
    "sphere": (sphere(0.5), pi / 6.0, 0.03),
    "ellipsoid": (ellipsoid(1.0, 2.0, 3.0), 8.0 * pi, 0.03),
    "cylinder": (cylinder(0.5, 3.0), 0.75 * pi, 0.02),
    "capsule": (capsule(0.5, 3.0), 0.75 * pi + pi / 6.0, 0.03),
    "cone": (cone(1.0, 3.0), pi, 0.02),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_look_outward(name):
    shape, wanted, share = SOLIDS[name]
    assert volume(shape.mesh, shape.scale) == pytest.approx(wanted, rel=share)
    edges = np.concatenate([shape.mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    places = np.unique(np.round(shape.mesh.points, 6), axis=0, return_inverse=True)[1]
    one_way = {(int(a), int(b)) for a, b in places[edges] if a != b}
    assert one_way == {(b, a) for a, b in one_way}


def test_poses_along_a_line():
    for end in np.random.default_rng(0).normal(size=(20, 3)):
        start = np.array((1.0, 2.0, 3.0))
        pose = pose_along(start, start + end)
        np.testing.assert_allclose(pose[:3, :3].T @ pose[:3, :3], np.eye(3), atol=1e-12)
        assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)
        np.testing.assert_allclose(pose[:3, 2], end / np.linalg.norm(end), atol=1e-12)
    assert np.array_equal(pose_along((0, 0, 0), (0, 0, 0))[:3, 2], (0, 0, 1))


def fine_ball() -> Mesh:
    """A ball with 20,000 triangles."""
    u, v = np.meshgrid(np.linspace(0, 2 * pi, 101)[:-1], np.linspace(0, pi, 101), indexing="ij")
    points = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], axis=-1).reshape(-1, 3)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(100), np.arange(100), indexing="ij"))
    a, b = 101 * i + j, 101 * ((i + 1) % 100) + j
    return Mesh(points, np.concatenate([np.stack(t, axis=-1) for t in ((a, a + 1, b + 1), (a, b + 1, b))]))


def test_large_meshes_are_reduced():
    mesh = fine_ball()
    small = reduced(mesh, 2000)
    assert 800 < len(small.triangles) <= 2000
    assert volume(small) == pytest.approx(volume(mesh), rel=0.05)
    assert reduced(small, 5000) is small
    assert share_of([mesh, mesh, small], 10_000) == pytest.approx(10_000 / (20_000 + len(small.triangles)))


def test_normals_are_smooth_on_a_ball_and_sharp_on_a_box():
    mesh = reduced(fine_ball(), 4000)
    inward = np.einsum("ijk,ijk->ij", corner_normals(mesh), mesh.points[mesh.triangles])
    assert inward.min() > 0.9
    solid = box(1.0, 1.0, 1.0)
    normals = corner_normals(solid.mesh)
    assert np.array_equal(np.sort(np.abs(normals), axis=-1), np.broadcast_to((0.0, 0.0, 1.0), normals.shape))
    split, own = split_at_edges(solid.mesh)
    assert len(split.points) == 24  # each corner once for each of its three faces
    assert volume(split) == pytest.approx(1.0)
    np.testing.assert_allclose(np.einsum("ij,ij->i", own, split.points), 0.5)
    assert len(split_at_edges(mesh)[0].points) < 1.2 * len(mesh.points)


def test_meshes_that_cannot_be():
    for points, triangles in (
        (np.zeros((3, 2)), [[0, 1, 2]]),
        (np.zeros((3, 3)), [[0, 1]]),
        (np.zeros((3, 3)), [[0, 1, 3]]),
        (np.full((3, 3), np.nan), [[0, 1, 2]]),
    ):
        with pytest.raises(ModelError):
            Mesh(points, triangles)
