"""Kernels may be called anything: what they compute does not depend on it, nor what is written of them."""

import re

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.backends.llvm.cache import Cache
from sixd.backends.llvm.target import assembly, compile_module
from sixd.errors import ArgumentError, SixdError

NAMES = {
    "nul": "a\0b",
    "nul first": "\0",
    "lines": 'a\ndefine void @loop() { ret void }\r\n"',
    "quotes": "a\"b'c\\",
    "comment": "*/ int x; /*",
    "letters": "Ärm 機",
    "surrogate": "\ud800",
    "directions": "\u202egnp",
    "long": "x" * 100_000,
    "formats": "%s%n{}",
    "spaces": "   ",
    "word": "double",
    "number": "1",
}


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("title", NAMES)
def test_any_name(title, rolled):
    robot, q = gallery.double_pendulum(), np.ones(2)
    kernel = sixd.compile(algorithms.crba, robot, name=NAMES[title], rolled=rolled)
    wanted = algorithms.crba(robot, q)
    np.testing.assert_allclose(kernel(q), wanted, rtol=1e-14)
    np.testing.assert_allclose(kernel(q.astype(np.float32)), wanted, rtol=1e-6)
    assert kernel.__name__.isprintable()
    assert 0 < len(kernel.__name__) <= 200
    for text in (repr(kernel), kernel.report(), kernel.gufunc.__name__, kernel.__doc__):
        assert text.isprintable()
    text = kernel.to_c()
    assert text.isascii()
    assert "\0" not in text
    (name,) = re.findall(r"^void (\w+)\(.*\);$", text, re.MULTILINE)
    assert re.fullmatch(r"[A-Za-z]\w*", name)
    assert text.count("/*") == text.count("*/")
    assert assembly_is_whole(kernel)


def assembly_is_whole(kernel):
    return re.search(r"^_?loop:", kernel.assembly(), re.MULTILINE) is not None


@pytest.mark.parametrize("title", ["nul", "lines", "surrogate", "long"])
def test_functions_and_robots_with_such_names(title, tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    builder = sixd.Builder(NAMES[title])
    robot = builder.body("arm", joint=sixd.joints.Revolute((0, 1, 0)), mass=1.0, com=(1, 0, 0)).build()

    def torque(model, q):
        return algorithms.gravity_forces(model, q)

    torque.__name__ = NAMES[title]
    for function in (torque, algorithms.gravity_forces):
        kernel = sixd.compile(function, robot)
        np.testing.assert_allclose(kernel(np.zeros(1)), robot.gravity_forces(np.zeros(1)), rtol=1e-14)
        assert kernel.to_c().isascii()
    assert all(entry.title.isprintable() for entry in Cache(tmp_path / "cache").entries())


@pytest.mark.parametrize("name", [5, b"bytes", ["list"], True])
def test_a_name_is_text(name):
    with pytest.raises(ArgumentError, match="name must be text, what the kernel is called, not"):
        sixd.compile(algorithms.crba, gallery.double_pendulum(), name=name)


def test_assembly_that_ends_early_is_refused():
    text = "; \0\ndefine void @loop() { ret void }"
    with pytest.raises(SixdError, match="contains the character NUL"):
        assembly(text)
    with pytest.raises(SixdError, match="contains the character NUL"):
        compile_module(lambda: text, "key", Cache(None))


def test_a_function_that_is_not_there_is_not_called():
    module = compile_module(lambda: "define void @loop() { ret void }", "key", Cache(None))
    assert module.address("loop")
    with pytest.raises(SixdError, match="the machine code has no function 'call'"):
        module.address("call")
