"""The machine: its vector width, and LLVM set up for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from sixd.backends.llvm.cache import Cache

__all__ = ["Module", "compile_module", "host", "lanes"]


@cache
def host() -> tuple[str, str]:
    """The name of this CPU and its features, as LLVM knows them."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def lanes() -> int:
    """How many doubles fit in a vector register: 8 with AVX-512, 4 with AVX2, 2 elsewhere."""
    features = set(host()[1].split(","))
    if "+avx512f" in features and "+prefer-256-bit" not in features:
        return 8
    return 4 if "+avx2" in features else 2


@cache
def _compiler() -> str:
    """A hash of the source that turns programs into assembly: what it made is not believed once it has changed."""
    here = Path(__file__).parent
    files = sorted((*here.glob("*.py"), *(here.parents[1] / "ir" / "passes").glob("*.py")))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


class Module:
    """Compiled code: it lives as long as this object."""

    def __init__(self, engine: Any, cached: bool) -> None:
        self.engine, self.cached = engine, cached

    def address(self, name: str) -> int:
        return int(self.engine.get_function_address(name))


def compile_module(text: Callable[[], str], key: str, store: Cache, level: int = 2) -> Module:
    """Machine code for this CPU: from the cache, or from the LLVM assembly that ``text`` makes.

    ``key`` tells the program and the width; the compiler itself, LLVM and the CPU are added to it.
    """
    cpu, features = host()
    machine = llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=level)
    versions = (_compiler(), llvmlite.__version__, *llvm.llvm_version_info, cpu, features, level)
    key = f"{key} {versions}"
    found = store.load(key)
    code = found if found is not None else _compile(text(), machine, level)
    if found is None:
        store.store(key, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Module(engine, found is not None)


def _compile(text: str, machine: Any, level: int) -> bytes:
    module = llvm.parse_assembly(text)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.slp_vectorization = options.loop_vectorization = False  # the code is in vectors already
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))
