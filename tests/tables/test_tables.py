"""Tables of states: every registered format gives back what was written, in chunks of any size."""

import csv
import os

import numpy as np
import pytest

import sixd
from sixd import SixdError, errors
from sixd.joints import Free, Prismatic, Revolute
from sixd.tables import (
    FORMATS,
    Field,
    TableFormat,
    create_table,
    fields,
    open_table,
    places,
    register,
    state_field,
    time_places,
    unread_times,
)
from sixd.tables.fields import coordinate_names
from tests.laws.trees import coupled

SUFFIXES = pytest.mark.parametrize("suffix", FORMATS)
FIELDS = (Field("t", (), ("t",)), Field("H", (2, 2), ("H_a:a", "H_a:b", "H_b:a", "H_b:b")))


@pytest.fixture(autouse=True)
def _needs(request):
    if "suffix" in request.fixturenames and request.getfixturevalue("suffix") == ".parquet":
        pytest.importorskip("pyarrow")


def rows(n):
    rng = np.random.default_rng(n)
    found = {"t": np.arange(n) / 7.0, "H": rng.normal(size=(n, 2, 2))}
    if n > 2:
        found["H"][1, 0, 1], found["H"][2, 1, 1] = np.nan, -np.inf
    return found


def write(path, values, size, fields=FIELDS):
    n = len(values["t"])
    with create_table(path, fields) as table:
        for k in range(0, max(n, 1), size):  # of no rows, one chunk
            table.write({name: x[k : k + size] for name, x in values.items()})
    return path


@SUFFIXES
@pytest.mark.parametrize(("n", "write_size", "read_size"), [(0, 1, 1), (1, 5, 5), (23, 5, 7), (23, 7, 1000)])
def test_what_was_written_is_read(tmp_path, suffix, n, write_size, read_size):
    values = rows(n)
    path = write(tmp_path / f"x{suffix}", values, write_size)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    with open_table(path) as table:
        assert table.rows in (None, n)
        where = places(FIELDS, table.columns, str(path))
        chunks = list(table.chunks([name for place in where for name in place.columns], read_size))
    assert [len(next(iter(chunk.values()))) for chunk in chunks[:-1]] == [read_size] * (len(chunks) - 1)
    for place in where:
        found = [place.gather(chunk) for chunk in chunks] or [np.empty((0, *place.field.shape))]
        np.testing.assert_array_equal(np.concatenate(found), values[place.field.name])


@SUFFIXES
def test_all_at_once(tmp_path, suffix):
    values = rows(9)
    with open_table(write(tmp_path / f"x{suffix}", values, 4)) as table:
        found = table.read()
    np.testing.assert_array_equal(found["t"], values["t"])
    with open_table(write(tmp_path / f"none{suffix}", rows(0), 4)) as table:
        assert all(x.shape[0] == 0 for x in table.read().values())


@SUFFIXES
def test_after_an_error_nothing_is_left(tmp_path, suffix):
    def interrupted(error):
        with create_table(tmp_path / f"x{suffix}", FIELDS) as table:
            table.write(rows(3))
            raise error

    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            interrupted(error)
    assert list(tmp_path.iterdir()) == []


@SUFFIXES
def test_a_file_is_replaced_when_the_new_one_is_complete(tmp_path, suffix):
    path = write(tmp_path / f"x{suffix}", rows(5), 5)
    before = path.read_bytes()
    with create_table(path, FIELDS) as table:
        table.write(rows(3))
        assert path.read_bytes() == before
    with open_table(path) as table:
        assert len(table.read()["t"]) == 3


@SUFFIXES
def test_places_that_cannot_be_written(tmp_path, suffix):
    (tmp_path / f"folder{suffix}").mkdir()
    for path, message in (
        (tmp_path / f"folder{suffix}", "it is a folder; add the name of a file"),
        (tmp_path / "nowhere" / f"x{suffix}", r"make the folder .*nowhere first"),
    ):
        with pytest.raises(SixdError, match=message), create_table(path, FIELDS):
            pass
    if os.geteuid():
        tmp_path.chmod(0o500)
        with pytest.raises(SixdError, match="it cannot be written: Permission denied"):
            write(tmp_path / f"x{suffix}", rows(1), 1)
        tmp_path.chmod(0o700)


@SUFFIXES
def test_places_that_cannot_be_read(tmp_path, suffix):
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / f"odd{suffix}").write_bytes(b"\xff\x00nothing")
    with pytest.raises(SixdError, match="folder"):
        open_table(tmp_path / f"folder{suffix}")
    with pytest.raises(FileNotFoundError, match="No such file"):
        open_table(tmp_path / f"x{suffix}")
    with pytest.raises(SixdError, match=rf"odd\{suffix}: it is no "):
        open_table(tmp_path / f"odd{suffix}")


def test_other_suffixes(tmp_path):
    with pytest.raises(SixdError, match=r"--out: .*x.txt must be a .csv, .npz.* or .* file"):
        open_table(tmp_path / "x.txt", "--out")
    with (
        pytest.raises(SixdError, match="must be the path of a file"),
        create_table(3, FIELDS),
    ):
        pass


def test_no_suffix_twice():
    with pytest.raises(SixdError, match=r"'\.csv' is registered already"):
        register(TableFormat(".csv", FORMATS[".csv"].reader, FORMATS[".csv"].writer))


# ---- names of columns


def test_names_by_joint():
    robot = coupled()
    names = coordinate_names(robot, positions=True)
    assert len(names) == robot.nq
    assert len(coordinate_names(robot, positions=False)) == robot.nv
    followers = {joint.name for joint in robot.joints if joint.mimic}
    assert followers
    assert not followers & set(names)


def found(fields, columns):
    """The names of the columns that each field is found in."""
    return [place.columns for place in places(fields, columns, "f")]


def test_columns_are_found_by_name_or_by_number():
    arm = sixd.gallery.double_pendulum()
    q, qd = state_field(arm, "q"), state_field(arm, "qd")
    named = dict.fromkeys([*reversed(q.columns), *qd.columns, "t", "q_other"], ())
    assert found([q, qd], named) == [q.columns, qd.columns]
    assert found([q], {"q1": (), "q0": (), "qd0": ()}) == [("q0", "q1")]
    chain = state_field(sixd.gallery.chain(12), "q")  # a table whose columns were sorted has q10 before q2
    numbers = tuple(f"q_{k + 1}" for k in range(12))
    assert found([chain], dict.fromkeys(sorted(numbers), ())) == [numbers]
    assert found([q], {"q[1] [deg]": (), "q[0] [deg]": ()}) == [("q[0] [deg]", "q[1] [deg]")]
    assert found([q], {"q": (2,)}) == [("q",)]
    assert found([state_field(sixd.gallery.pendulum(), "q")], {"t": (), "q": ()}) == [("q",)]


MEASURED = {"q_elbow_meas": (), "q_shoulder_meas": ()}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (MEASURED, "missing: q_shoulder, q_elbow; it has q_elbow_meas, q_shoulder_meas"),
        (MEASURED, r"would be q_shoulder from q_shoulder_meas\?, q_elbow from q_elbow_"),
        (
            {"q_shoulder": (), "q_other": ()},
            "missing: q_elbow; it has q_other beside what is needed; .* q_elbow from none, .*; ask",
        ),
        ({"q_x": (), "q[1]": ()}, "missing: q_shoulder, q_elbow"),
        ({"q0": (), "q[1]": ()}, "missing: q_shoulder, q_elbow"),
        ({"q3": (), "q7": ()}, "missing: q_shoulder, q_elbow"),
        ({"q0": (), "q1": (), "q2": ()}, "missing: q_shoulder, q_elbow"),
        ({"q": ()}, "its q is one number in a row"),
        ({"q": (3,)}, r"its q has shape \(rows, 3\)"),
        ({"q_shoulder": (), "q_elbow [fast]": ()}, r"'q_elbow \[fast\]' would be in 'fast', .* known for it: rad, mr"),
        ({"q_shoulder": (), "q_elbow [mm]": ()}, r"'q_elbow \[mm\]' would be in 'mm', which is none of the units"),
        ({"q_shoulder": (), "q_elbow_deg": (), "q_elbow [rad]": ()}, r"than once: 'q_elbow_deg' and 'q_elbow \[rad"),
        ({"q_SHOULDER": (), "q_Elbow": ()}, r"q_shoulder from q_SHOULDER\?, q_elbow from q_Elbow\?"),
        ({"q_SHOULDER": ()}, r"q_shoulder from q_SHOULDER\?, q_elbow from none"),
        ({"q_1": ()}, "it has q_1 beside what is needed"),
        ({"q_shoulder_rev": (), "q_shoulder_fwd": (), "q_elbow": ()}, r"in a unit, name it 'q_shoulder \[rev\]'"),
        ({"q (N)": (2,)}, r"'q \(N\)' would be in 'N'"),
    ],
)
def test_columns_that_do_not_match_are_refused(columns, message):
    q = state_field(sixd.load("examples/two_link.urdf"), "q")
    with pytest.raises(SixdError, match=rf"f: .*{message}"):
        places([q], columns, "f", "; ask")


# ---- units in names


def slides():
    """A joint that turns and one that slides."""
    builder = sixd.Builder("slides").body("arm", joint=Revolute("y"), joint_name="elbow", mass=1.0)
    return builder.body("slide", "arm", joint=Prismatic("x"), joint_name="slide", mass=1.0).build()


@pytest.mark.parametrize(
    ("quantity", "elbow", "slide", "factors"),
    [
        ("q", "q_elbow [deg]", "q_slide_mm", (np.pi / 180, 1e-3)),
        ("q", "q_elbow (degrees)", "q_slide [m]", (np.pi / 180, 1.0)),
        ("q", "q_elbow_deg", "q_slide [cm]", (np.pi / 180, 1e-2)),
        ("q", "q_elbow [°]", "q_slide / mm", (np.pi / 180, 1e-3)),
        ("q", "q_elbow (rad)", "q_slide", (1.0, 1.0)),
        ("q", "q_elbow deg", "q_slide m", (np.pi / 180, 1.0)),
        ("qd", "qd_elbow [deg/s]", "qd_slide_mm_s", (np.pi / 180, 1e-3)),
        ("qd", "qd_elbow_rpm", "qd_slide_mm_per_s", (np.pi / 30, 1e-3)),
        ("qdd", "qdd_elbow [deg/s²]", "qdd_slide (mm/s^2)", (np.pi / 180, 1e-3)),
        ("qdd", "qdd_elbow_deg_s2", "qdd_slide [m/s/s]", (np.pi / 180, 1.0)),
        ("tau", "tau_elbow [N m]", "tau_slide [kN]", (1.0, 1e3)),
        ("tau", "tau_elbow [Nmm]", "tau_slide_N", (1e-3, 1.0)),
        ("tau", "tau_elbow (mN·m)", "tau_slide", (1e-3, 1.0)),
    ],
)
def test_units_in_names_are_converted(quantity, elbow, slide, factors):
    (place,) = places([state_field(slides(), quantity)], {"t": (), slide: (), elbow: ()}, "f")
    assert place.columns == (elbow, slide)
    values = place.gather({elbow: np.array([3.0, 5.0]), slide: np.array([7.0, 11.0])})
    np.testing.assert_allclose(values, np.array([[3.0, 7.0], [5.0, 11.0]]) * factors, rtol=1e-15)


@pytest.mark.parametrize(
    ("quantity", "unit", "factor"),
    [
        *(
            (("qdd", unit, np.pi / 180))
            for unit in ("deg*s^-2", "deg/(s^2)", "Deg/sec^2", "deg_s2", "deg_per_s2", "deg s⁻²")
        ),
        *((("qdd", unit, 1.0)) for unit in ("rad*s^-2", "rad/(s^2)", "1/s^2", "s^-2", "rad_s2", "rad_per_s2")),
        *((("tau", unit, 1.0)) for unit in ("N-m", "N⋅m", "N*m", "N.m", "N_m")),
        *((("qd", unit, np.pi / 180)) for unit in ("deg/sec", "degrees per second", "Deg/s", "dps")),
        *((("q", unit, np.pi / 180)) for unit in ("Deg", "DEG", "Degrees")),
        ("q", "-", 1.0),
    ],
)
def test_units_as_they_are_written(quantity, unit, factor):
    for name in (f"{quantity}_elbow [{unit}]", f"{quantity}_elbow ({unit})"):
        (place,) = places([state_field(slides(), quantity)], {name: (), f"{quantity}_slide": ()}, "f")
        np.testing.assert_allclose(place.factors, (factor, 1.0), rtol=1e-15)


def test_the_error_lists_units_that_are_usual():
    columns = {"tau_elbow [lbf]": (), "tau_slide": ()}
    with pytest.raises(SixdError, match=r"known for it: N m, N mm, N cm, mN m, kN m$"):
        places([state_field(slides(), "tau")], columns, "f")


def test_words_that_are_units_too():
    """Behind "_" they are no units; of several columns of a name, the one in a unit of the quantity counts."""
    with pytest.raises(SixdError, match=r"q_slide from q_slide_in\?.*name it 'q_slide \[in\]'"):
        places([state_field(slides(), "q")], {"q_elbow": (), "q_slide_in": (), "q_slide_out": ()}, "f")
    several = {"q_elbow_min": (), "q_elbow_deg": (), "q_elbow [V]": (), "q_slide [in]": ()}
    (place,) = places([state_field(slides(), "q")], several, "f")
    assert place.columns == ("q_elbow_deg", "q_slide [in]")


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (("joint1", "joint2"), True),
        (("joint2", "joint1"), False),
        (("2", "1"), False),
        (("a2", "b1"), False),
        (("left1", "right1"), True),
        (("elbow", "joint1"), True),
    ],
)
def test_numbers_of_columns_beside_those_of_joints(names, taken):
    builder = sixd.Builder("named").body("a", joint=Revolute("y"), joint_name=names[0], mass=1.0)
    arm = builder.body("b", "a", joint=Revolute("y"), joint_name=names[1], mass=1.0).build()
    if taken:
        assert found([state_field(arm, "q")], {"q1": (), "q2": ()}) == [("q1", "q2")]
        return
    with pytest.raises(SixdError, match="q1, q2 are not taken by their numbers, as the joints' own numbers are in an"):
        places([state_field(arm, "q")], {"q1": (), "q2": ()}, "f")


@pytest.mark.parametrize(
    ("columns", "read"),
    [
        (("time [sec]",), ("time [sec]",)),
        (("time (seconds)",), ("time (seconds)",)),
        (("t_sec",), ("t_sec",)),
        (("t [msec]",), ("t [msec]",)),
        (("t", "t_ns"), ("t",)),
        *(
            (((names),) if isinstance(names, str) else names, ())
            for names in (
                "time [UTC]",
                "t [C]",
                "time/date",
                ("time_s", "time_ns"),
                ("t (a)", "t (b)"),
                ("t_1", "t_2"),
                ("t_m", "t_x"),
                ("t_min", "t_max"),
                "t0",
                "t1",
                ("t_0", "t_f"),
                "time1",
                "Time",
                "timestamp",
                "secs",
                "s",
                "# t",
            )
        ),
    ],
)
def test_times(columns, read):
    """What has no unit of time is no time, nor what is there twice; columns that look like times are told apart."""
    table = dict.fromkeys((*columns, "q1", "tau_x", "note", "thumb", "s1", "ms_x"), ())
    assert tuple(name for place in time_places(table) for name in place.columns) == read
    assert unread_times(table) == list(columns)


@pytest.mark.parametrize("n", [3, 600])
def test_an_error_about_many_columns_compares_few_names(monkeypatch, n):
    compared = []

    def closest(name, known):
        compared.append(len(known))
        return errors.closest(name, known)

    monkeypatch.setattr(fields, "closest", closest)
    chain = state_field(sixd.gallery.chain(n), "q")
    with pytest.raises(SixdError, match=r"q_joint1 from q_joint1_meas\?, q_joint2 from q_joint2_meas\?,"):
        places([chain], dict.fromkeys([f"{name}_meas" for name in chain.columns], ()), "f")
    assert sum(compared) < 2000


def test_units_of_arrays_of_times_and_of_joints_with_several_coordinates():
    (place,) = places([state_field(sixd.gallery.double_pendulum(), "q")], {"q [deg]": (2,)}, "f")
    np.testing.assert_allclose(place.gather({"q [deg]": np.full((3, 2), 90.0)}), np.full((3, 2), np.pi / 2))
    (time,) = time_places({"t [ms]": (), "q": (2,)})
    assert (time.field.name, time.factors) == ("t", (1e-3,))
    free = sixd.Builder("free").body("hull", joint=Free(), joint_name="base", mass=1.0).build()
    columns = [f"q_base[{k}]" for k in range(4)] + [f"q_base[{k}]_mm" for k in (4, 5, 6)]
    (place,) = places([state_field(free, "q")], dict.fromkeys(columns, ()), "f")
    assert place.factors == (1.0,) * 4 + (1e-3,) * 3
    with pytest.raises(SixdError, match="would be in 'deg'"):
        places([state_field(free, "q")], dict.fromkeys([f"q_base[{k}] [deg]" for k in range(7)], ()), "f")


def test_a_name_with_a_unit_that_is_another_joint():
    """Plain names go before names with units."""
    builder = sixd.Builder("named").body("a", joint=Revolute("y"), joint_name="arm", mass=1.0)
    arm = builder.body("b", "a", joint=Revolute("y"), joint_name="arm_deg", mass=1.0).build()
    assert found([state_field(arm, "q")], {"q_arm_deg": (), "q_arm": ()}) == [("q_arm", "q_arm_deg")]
    assert found([state_field(arm, "q")], {"q_arm_deg": (), "q_arm [deg]": ()}) == [("q_arm [deg]", "q_arm_deg")]


# ---- what is particular to a format


def text(path, content):
    path.write_text(content)
    return path


def test_csv_of_other_programs(tmp_path):
    """A byte-order mark, quotes, spaces, lines of DOS, empty lines and entries, words in other columns."""
    path = text(tmp_path / "x.csv", '\ufeff"a", b ,note\r\n"1.5",2,one\r\n\r\n3,,two\r\n-1e-3, nan ,\r\n')
    with open_table(path) as table:
        assert list(table.columns) == ["a", "b", "note"]
        (chunk,) = table.chunks(["b", "a"], 100)
    np.testing.assert_array_equal(chunk["a"], [1.5, 3.0, -1e-3])
    np.testing.assert_array_equal(chunk["b"], [2.0, np.nan, np.nan])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n1\n", r"x.csv:3: 1 entries for 2 columns"),
        ("a,b\n1,2\n\n1,2,3\n", r"x.csv:4: 3 entries for 2 columns"),
        ("a,b\n1,2\n3,fast\n", r"x.csv:3: an entry is no number: 'fast' in column 'b'"),
        ("a,b\n1,1_0\n", r"x.csv:2: an entry is no number: '1_0' in column 'b'"),
        ("a,b,a\n1,2,3\n", r"x.csv:1: two columns are named 'a'"),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_mistakes_in_csv(tmp_path, content, message, size):
    with pytest.raises(SixdError, match=message), open_table(text(tmp_path / "x.csv", content)) as table:
        list(table.chunks(["a", "b"], size))


@SUFFIXES
def test_names_are_kept_as_they_are(tmp_path, suffix):
    """In CSV, joints "a " and "a" had columns of one name, and a name with a line break ended the line of names."""
    b = sixd.Builder("names")
    names = ["a", "a ", " a", "  ", 'x,"y"', '"', "two\nlines", "tab\t", "end,"]
    for k, name in enumerate(names):
        b.body(f"link {k}", joint=sixd.joints.Revolute("z"), mass=1.0, inertia=(1, 1, 1), joint_name=name)
    field = state_field(b.build(), "q")
    q = np.arange(3.0 * len(names)).reshape(3, -1)
    with create_table(tmp_path / f"q{suffix}", [field]) as table:
        table.write({"q": q})
    with open_table(tmp_path / f"q{suffix}") as table:
        (found,) = places([field], table.columns, "q")
        chunks = [found.gather(chunk) for chunk in table.chunks(found.columns, 2)]
    assert np.array_equal(np.concatenate(chunks), q)
    if suffix != ".npz":
        assert found.columns == tuple(field.columns)


def test_spaces_around_names_in_csv_do_not_count_without_quotes(tmp_path):
    (tmp_path / "s.csv").write_text('t , q_a,"q_b", "q_c "\n0, 1,2,3\n')
    with open_table(tmp_path / "s.csv") as table:
        assert [*table.columns][:3] == ["t", "q_a", "q_b"]
        assert table.read()["q_a"].tolist() == [1.0]
    (tmp_path / "s.csv").write_text('q_a\n1\n"x"\n')
    with (
        open_table(tmp_path / "s.csv") as table,
        pytest.raises(SixdError, match=r"s\.csv:3: an entry is no number: 'x'"),
    ):
        table.read()


def test_csv_keeps_every_digit(tmp_path):
    values = {"t": np.array([1 / 3, 5e-324, 1.7976931348623157e308, -0.0])}
    path = write(tmp_path / "x.csv", values, 9, FIELDS[:1])
    with path.open(newline="") as file:
        assert next(csv.reader(file)) == ["t"]
    with open_table(path) as table:
        np.testing.assert_array_equal(table.read()["t"], values["t"])


def test_archives_of_numpy(tmp_path):
    """Compressed, of other types, in Fortran's order; a number without axes is no column; NumPy reads ours."""
    q = np.arange(12.0).reshape(6, 2)
    np.savez_compressed(tmp_path / "x.npz", q=np.asfortranarray(q), n=np.arange(6, dtype=np.int16), dt=0.1)
    with open_table(tmp_path / "x.npz") as table:
        assert table.columns == {"q": (2,), "n": ()}
        chunks = list(table.chunks(["q", "n"], 4))
    np.testing.assert_array_equal(np.concatenate([chunk["q"] for chunk in chunks]), q)
    np.testing.assert_array_equal(np.concatenate([chunk["n"] for chunk in chunks]), np.arange(6.0))
    values = rows(5)
    with np.load(write(tmp_path / "y.npz", values, 2)) as file:
        np.testing.assert_array_equal(file["H"], values["H"])


def test_archives_with_arrays_of_other_lengths(tmp_path):
    np.savez(tmp_path / "x.npz", q=np.zeros((5, 2)), qd=np.zeros((4, 2)))
    with open_table(tmp_path / "x.npz") as table, pytest.raises(SixdError, match="as many rows"):
        list(table.chunks(["q", "qd"], 2))


def test_archives_that_are_cut(tmp_path):
    path = write(tmp_path / "x.npz", rows(50), 50)
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(SixdError, match="it is no archive"):
        open_table(path)
    write(path, rows(50), 50)
    data = bytearray(path.read_bytes())
    data[data.rfind(b"PK\x01\x02") + 6] = 220
    path.write_bytes(data)
    with pytest.raises(SixdError, match=r"it is no archive of plain arrays: zip file version 22\.0"):
        open_table(path)
    np.savez(tmp_path / "y.npz", q=np.array([object()]))
    with (
        open_table(tmp_path / "y.npz") as table,
        pytest.raises(SixdError, match="q is an array of object, not of real"),
    ):
        table.read()


def test_columns_beside_those_that_are_read(tmp_path):
    """Arrays of words and objects, commas at the ends of lines and columns without names are passed over."""
    q = np.arange(6.0).reshape(3, 2)
    np.savez(tmp_path / "x.npz", q=q, joint_names=np.array(["a", "b"]), log=np.array([{}], dtype=object))
    with open_table(tmp_path / "x.npz") as table:
        np.testing.assert_array_equal(table.read(["q"])["q"], q)
    with open_table(text(tmp_path / "x.csv", ",a,note,,\n0,1,fast,,\n1,2,,,\n")) as table:
        assert list(table.columns) == ["a", "note"]
        np.testing.assert_array_equal(table.read(["a"])["a"], [1.0, 2.0])


def test_parquet_of_other_programs(tmp_path):
    """Whole numbers, nulls, single precision, a dot in a name; words are refused by their column."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "q.1": pa.array([1, None, 3]),
        "f": pa.array(np.float32([0.5, 1.5, 2.5])),
        "s": pa.array(["a", "b", "c"]),
    }
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    with open_table(tmp_path / "x.parquet") as table:
        (chunk,) = table.chunks(["q.1", "f"], 10)
        np.testing.assert_array_equal(chunk["q.1"], [1.0, np.nan, 3.0])
        np.testing.assert_array_equal(chunk["f"], [0.5, 1.5, 2.5])
        with pytest.raises(SixdError, match="no table of numbers: column 's' has string"):
            list(table.chunks(["s"], 10))


def test_times_of_day_in_parquet_are_refused(tmp_path):
    """They were read as numbers of microseconds."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    stamps = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[us]")
    for column in (stamps, stamps - stamps[0]):
        parquet.write_table(pyarrow.table({"t": column}), tmp_path / "a.parquet")
        with pytest.raises(SixdError, match=r"column 't' has (timestamp|duration).* give times in seconds"):
            open_table(str(tmp_path / "a.parquet")).read()


def test_parquet_that_is_damaged(tmp_path):
    pytest.importorskip("pyarrow")
    path = write(tmp_path / "x.parquet", rows(1000), 1000)
    data = bytearray(path.read_bytes())
    data[20:400] = bytes(380)
    path.write_bytes(data)
    with open_table(path) as table, pytest.raises(SixdError, match=r"x.parquet: it is no table"):
        list(table.chunks(list(table.columns), 100))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q0;q1\n0,1;0,2\n", "in.csv:1: semicolons are between its columns"),
        ("q0\tq1\n0.1\t0.2\n", "in.csv:1: tabs are between its columns"),
        ("0.1,0.2\n0.3,0.4\n", r"in.csv:1: it begins with numbers \(0.1, 0.2\): name the columns first"),
    ],
)
def test_first_lines_without_names(tmp_path, text, message):
    """They were told as missing columns."""
    (tmp_path / "in.csv").write_text(text)
    with pytest.raises(SixdError, match=message):
        open_table(tmp_path / "in.csv")
