"""The machine: its vector width, and LLVM set up for it."""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm

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


class Module:
    """Compiled code: it lives as long as this object."""

    def __init__(self, engine: Any, assembly: str) -> None:
        self.engine, self.assembly = engine, assembly

    def address(self, name: str) -> int:
        return int(self.engine.get_function_address(name))


def compile_module(text: str, level: int = 2) -> Module:
    """Machine code for this CPU from LLVM assembly."""
    cpu, features = host()
    machine = llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=level)
    module = llvm.parse_assembly(text)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.slp_vectorization = options.loop_vectorization = False  # the code is in vectors already
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Module(engine, text)
