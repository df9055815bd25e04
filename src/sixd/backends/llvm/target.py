"""This machine: its vector width, and LLVM set up for its CPU."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding import ffi

from sixd.backends.llvm.cache import Cache
from sixd.errors import SixdError
from sixd.process import forks
from sixd.process.sources import identity

__all__ = ["Module", "assembly", "compile_module", "host", "lanes", "load_module"]

#: llvmlite's own lock lets one thread at a time use LLVM. Held across forks, it ensures that no thread is in LLVM then.
forks.hold(ffi.lib._lock)

#: How much LLVM works on machine code, from 0 to 3. At 0 it is ready in a fifth of the time and computes the same bits
#: several times more slowly: the tests of laws do with that.
LEVEL = 2

#: When code is looked up, sixd's own files are assumed unchanged for this many seconds after they were checked.
RECENT = 1.0


@cache
def host() -> tuple[str, str]:
    """The name of this CPU and its features, as LLVM knows them."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def lanes(size: int = 8) -> int:
    """How many numbers of ``size`` bytes fit in a vector register: 64 bytes (AVX-512), 32 (AVX2) or 16 (elsewhere)."""
    features = set(host()[1].split(","))
    if "+avx512f" in features and "+prefer-256-bit" not in features:
        return 64 // size
    return (32 if "+avx2" in features else 16) // size


class Module:
    """Compiled code, which lives as long as this object. ``note`` is what was stored with it (see `compile_module`)."""

    def __init__(self, engine: Any, size: int, note: Any, cached: bool) -> None:
        self.engine, self.size, self.note, self.cached = engine, size, note, cached

    def address(self, name: str) -> int:
        """The address of a function."""
        found = int(self.engine.get_function_address(name))
        if not found:
            raise SixdError(f"the machine code has no function {name!r}; `sixd cache clear` removes what is on disk")
        return found


def _full_key(key: str, store: Cache, within: float = 0.0) -> str | None:
    """The key and all else that machine code depends on; None if nothing is stored. ``within``: see `identity`."""
    package = identity(within) if store.directory is not None else None
    if package is None:
        return None
    return f"{key} {(package, llvmlite.__version__, *llvm.llvm_version_info, *host(), LEVEL)}"


def load_module(key: str, store: Cache) -> Module | None:
    """The module that was stored under this key, or None."""
    full_key = _full_key(key, store, within=RECENT)
    found = None if full_key is None else store.load(full_key)
    if found is None:
        return None
    start = 8 + int.from_bytes(found[:8], "little")
    note, sizes = json.loads(found[8:start])
    ends = list(accumulate(sizes, initial=start))
    return _link([found[a:b] for a, b in pairwise(ends)], note, True)


def compile_module(
    text: Callable[[], str | Iterable[str]], key: str, store: Cache, note: Mapping[str, Any] | None = None
) -> Module:
    """Machine code for this CPU: from the cache, or from the LLVM assembly that ``text`` makes.

    ``text`` returns one LLVM module or several, of which the first may call functions of the others. ``key`` identifies
    the program and the width; sixd's own code, LLVM and the CPU are added to it. ``note`` is stored with the code (as
    JSON); its "title" tells people what the code computes.
    """
    module = load_module(key, store)
    if module is None:
        machine, texts = _machine(), text()
        codes = [_compile(part, machine) for part in ((texts,) if isinstance(texts, str) else texts)]
        about = json.dumps([note, [len(code) for code in codes]]).encode()
        title = note.get("title", "") if note else ""
        full_key = _full_key(key, store)  # only now: text() may have imported more of sixd
        if full_key is not None:
            store.store(full_key, b"".join([len(about).to_bytes(8, "little"), about, *codes]), title)
        module = _link(codes, note, False)
    return module


def _machine() -> Any:
    cpu, features = host()
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=LEVEL)


def _link(codes: list[bytes], note: Any, cached: bool) -> Module:
    """Load object files, callers first: the callee's address is not known yet, so LLVM emits calls of any distance."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    for code in codes:
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Module(engine, sum(map(len, codes)), note, cached)


def assembly(text: str) -> str:
    """What `compile_module` makes of LLVM assembly, as this CPU's assembly language, for people to read."""
    machine = _machine()
    return str(machine.emit_assembly(_optimised(text, machine)))


def _compile(text: str, machine: Any) -> bytes:
    return bytes(machine.emit_object(_optimised(text, machine)))


def _optimised(text: str, machine: Any) -> Any:
    """LLVM's module, after the pass that puts local variables into registers (SROA).

    No other pass is run: programs have no common subexpressions or dead code, and are vectorised already. The usual
    passes took a third of the time to compile, and made no kernel measurably faster.
    """
    if "\0" in text:  # LLVM would stop reading there
        raise SixdError("a name contains the character NUL, which LLVM's assembly cannot hold: choose another name")
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=LEVEL))
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.run(module, builder)
    return module
