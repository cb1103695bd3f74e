"""Whether the stages that an assignment's tests hand over exist: found out before anybody is graded."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from nbgrader.converters.base import NbGraderException
from traitlets.config import Config

from stagegrade.autograde._source import SourceNotebook, pipeline_and_stage


class NotAnswerable(NbGraderException):
    """A test hands a stage over that no pipeline has, or whose pipeline does not load, or that is not to be run."""


def require_stages(sources: Iterable[SourceNotebook], folders: Sequence[Path], config: Config) -> None:
    """Raises ``NotAnswerable``, which names notebook and cell. ``config`` is the run's."""
    runs = config.StageExecute.get("enabled", config.Execute.get("enabled", True))
    for source in sources:
        if not runs and source.pipelines:
            raise NotAnswerable(
                f"{source.assignment} is graded by running what was handed in, so it cannot be graded with "
                "--no-execute. Nothing was changed; leave the option out."
            )
        for cell in source.cells:
            for stage in cell.stages:
                reason = _missing(stage, folders)
                if reason:
                    raise NotAnswerable(f"{source.name}.ipynb, cell {cell.grade_id}: {reason}")


def _missing(stage: str, folders: Sequence[Path]) -> str | None:
    from stagegrade.pipelines import BrokenPipeline, NoSuchPipeline, find

    name, short = pipeline_and_stage(stage)
    try:
        asked = [known.name for known in find(name, folders).asked]
    except (NoSuchPipeline, BrokenPipeline) as error:
        return str(error)
    return None if short in asked else f"{name} has no stage {short}; it has {', '.join(asked)}"
