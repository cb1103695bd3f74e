"""Which parts of the file system Python needs to run a notebook, and which must not be seen with them."""

import site
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import stageprobe
from stageprobe._walls import Readable

TRUSTED = Path(__file__).resolve().parents[1]
"""The package that holds references and mistakes."""
PROBE = Path(stageprobe.__file__).resolve().parent

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
)


@cache
def packages() -> tuple[Path, ...]:
    """The folders that installed packages are imported from."""
    stated = {Path(path) for path in [*site.getsitepackages(), site.getusersitepackages()]}
    stated |= {Path(path) for path in sys.path if Path(path).name in ("site-packages", "dist-packages")}
    return tuple(sorted(path.resolve() for path in stated if path.is_dir()))


@cache
def interpreter() -> tuple[Path, ...]:
    """Python itself: its program, its own library, and the environment's marks."""
    found: list[Path] = []
    for prefix in dict.fromkeys(Path(p) for p in (sys.prefix, sys.base_prefix, sys.base_exec_prefix)):
        found += [prefix / "bin", prefix / "pyvenv.cfg"]
    # An environment's program is a link to a link; each step has to be there.
    step = Path(sys.executable)
    while step.is_symlink():
        step = step.parent / step.readlink()
        found.append(step.parent)
    names = ("stdlib", "platstdlib")
    found += [Path(sysconfig.get_path(name)) for name in names]
    libraries = sysconfig.get_config_var("LIBDIR")
    if libraries:
        found += sorted(Path(libraries).glob("libpython*"))
    base = Path(sys.base_prefix)
    # Of an installation of its own, such as conda's, the libraries lie beside Python's.
    if base not in (Path("/usr"), Path("/usr/local")):
        found += [base / "lib", base / "lib64", base / "share" / "zoneinfo"]
    return tuple(dict.fromkeys(path.absolute() for path in found if path.exists()))


def shown(more: Iterable[Path] = ()) -> list[Path]:
    """Every folder that may be read behind the walls, outermost first, none below another."""
    system = (Path(path) for path in _SYSTEM)
    wanted = [*(path for path in system if not path.is_symlink()), *interpreter(), *packages(), *more]
    kept: list[Path] = []
    for path in sorted((p for p in wanted if p.exists()), key=lambda p: len(p.parts)):
        if not any(path.is_relative_to(above) for above in kept):
            kept.append(path)
    return kept


def links() -> Iterator[tuple[str, str]]:
    """Links at the root, such as /lib to usr/lib: what they point to, and where they are."""
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            yield str(path.readlink()), str(path)


def settings() -> list[str]:
    return [path for path in _SETTINGS if Path(path).exists()]


def hidden(roots: Collection[Path], more: Iterable[Path] = ()) -> list[Path]:
    """What no student's code may see of what is beneath ``roots``: the trusted package, wherever it is found."""
    candidates = [TRUSTED, *more]
    for folder in packages():
        candidates += [*folder.glob("stagegrade"), *folder.glob("stagegrade-*.dist-info")]
    found = dict.fromkeys(path.resolve() for path in candidates if path.exists())
    return [path for path in found if any(path.is_relative_to(root) for root in roots)]


def scratch(roots: Iterable[Path]) -> str:
    """Where a submission finds its scratch: /tmp, unless something lies there that has to be shown."""
    return "/scratch" if any(root.is_relative_to("/tmp") for root in roots) else "/tmp"


def beneath_shown(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those of ``paths`` that lie in what is shown, and have to be hidden there."""
    roots = shown()
    return tuple(path for path in paths if any(path.is_relative_to(root) for root in roots))


def readable(shown: Iterable[Path], secret: Collection[Path]) -> Iterator[Readable]:
    """The same where no mount can hide a part: of a folder with a secret in it each entry by itself."""
    for path in shown:
        if not any(hidden.is_relative_to(path) for hidden in secret):
            yield Readable(str(path))
        elif path not in secret:
            yield Readable(str(path), listed=True)
            with suppress(OSError):
                yield from readable(sorted(path.iterdir()), secret)
