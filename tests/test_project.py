"""What is installed, what is pinned, and what the wheel carries."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# What a build of torch for GPUs brings along: its own business, and absent from a build for CPUs.
OF_TORCH = re.compile(r"(nvidia|cuda)-|triton$")

# No wildcard, no local part (`+cpu`), no marker, no URL.
EXACT = re.compile(r"[\w.-]+==[\w.]+")


def read_pins() -> dict[NormalizedName, Requirement]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    pins = {canonicalize_name(requirement.name): requirement for requirement in requirements}
    assert len(requirements) == len(pins), "a package is pinned twice"
    return pins


PINS = read_pins()


def needed(requirement: Requirement, seen: set[str]) -> Iterator[NormalizedName]:
    """The canonical names of what an installed requirement needs on this machine, itself included."""
    name = canonicalize_name(requirement.name)
    for extra in requirement.extras or {""}:
        if f"{name}[{extra}]" in seen:
            continue
        seen.add(f"{name}[{extra}]")
        yield name
        for line in distribution(name).requires or ():
            further = Requirement(line)
            if further.marker is None or further.marker.evaluate({"extra": extra}):
                yield from needed(further, seen)


def test_a_pin_is_one_exact_release_of_any_build() -> None:
    """A range would let two machines differ; a local version, a URL or a marker would shut machines out."""
    assert [] == [str(pin) for pin in PINS.values() if not EXACT.fullmatch(str(pin))]


def test_everything_make_installs_is_pinned() -> None:
    """A package left out would be whatever its registry offers on the day, and no build repeatable."""
    extras = ",".join(PROJECT["project"]["optional-dependencies"])
    assert f"EXTRAS := {extras}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    names = set(needed(Requirement(f"stagegrade[{extras}]"), set())) - {"stagegrade"}
    assert set() == {name for name in names if name not in PINS and not OF_TORCH.match(name)}


def test_pins_are_within_what_the_project_declares() -> None:
    """A pin outside its declared range could not be installed at all."""
    project = PROJECT["project"]
    lines = [*PROJECT["build-system"]["requires"], *project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        lines += extra
    declared = [Requirement(line) for line in lines]
    outside = []
    for requirement in declared:
        (pin,) = PINS[canonicalize_name(requirement.name)].specifier
        if pin.version not in requirement.specifier:
            outside.append(f"{requirement} is pinned at {pin.version}")
    assert [] == outside


def test_the_wheel_carries_both_packages_and_the_course(tmp_path: Path) -> None:
    """An installed package without its notebooks could not begin a course; one with more than these would
    put the tests or the sample cohort on an instructor's machine."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(ZipFile(wheel).namelist())

    for package in ("stagegrade", "stageprobe"):
        assert f"{package}/py.typed" in names
    course = {f"stagegrade/course/{path.relative_to(ROOT)}" for path in ROOT.glob("source/*/*.ipynb")}
    template = "stagegrade/autograde/template/new_assignment.ipynb"
    assert {*course, template} == {name for name in names if name.endswith(".ipynb")}
    tops = {name.split("/")[0] for name in names}
    assert {"stagegrade", "stageprobe"} == {top for top in tops if not top.endswith(".dist-info")}
