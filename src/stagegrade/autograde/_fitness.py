"""Whether a cluster's workers grade as this machine would."""

from collections.abc import Mapping
from typing import Any

WORKER_PACKAGES = ("stagegrade", "torch", "nbgrader")


def unfit(client: Mapping[str, Any], workers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A sentence for each worker that has other versions; each side as Dask's ``get_versions`` tells it.

    Python has to agree in its first two numbers, torch in all but how it was built.
    """
    wanted = _versions(client)
    told = []
    for address, worker in sorted(workers.items()):
        found = _versions(worker)
        wrong = [name for name in wanted if found[name] != wanted[name]]
        if wrong:
            has = ", ".join(f"{name} {found[name] or 'missing'}" for name in wrong)
            needs = ", ".join(f"{name} {wanted[name]}" for name in wrong)
            told.append(
                f"the worker at {address} has {has}; grades are equal only with {needs}, as here. "
                "Install those there, and start it again."
            )
    return told


def _versions(side: Mapping[str, Any]) -> dict[str, str]:
    python = ".".join(str(side["host"]["python"]).split(".")[:2])
    packages = {name: str(side["packages"].get(name) or "") for name in WORKER_PACKAGES}
    packages["torch"] = packages["torch"].partition("+")[0]
    return {"python": python, **packages}
