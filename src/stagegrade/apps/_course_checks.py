"""What ``stagegrade doctor`` looks at in a course: its configuration, pipelines, folders and gradebook."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from nbgrader.api import Student
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import create_engine, select
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from stagegrade.apps._app import TWO_LINES, sets_stagegrade_up
from stagegrade.apps._unusable import READ_ONLY, reason
from stagegrade.autograde import (
    CONFIG_NAME,
    StageExecute,
    StageExport,
    SubmissionExporter,
    SubmissionLimits,
    absent,
    course_config,
    gradebook_file,
    option_list,
    pipeline_folders,
    unknown_options,
    warm_process,
    wrong_values,
)
from stagegrade.jail import WallsRefused, WarmStartError
from stagegrade.pipelines import BrokenPipeline, find, names

Check = tuple[str, Callable[[], str]]
"""Its title, and what says what it found or raises ``Trouble``."""

_MEND_PIPELINE = (
    "Mend that file: Python must be able to run it, and it must set PIPELINE = Pipeline(name=...) with the file's own "
    "name. One that does, to compare it with: stagegrade new --assignment example, in this course. What a pipeline is "
    'made of is in "Writing and changing assignments" of the documentation (docs/authoring.md).'
)


class Trouble(Exception):
    """Something that a check found wanting; ``mend`` says what to do."""

    def __init__(self, found: str, mend: str) -> None:
        super().__init__(found)
        self.mend = mend


def course_checks(root: Path | None) -> Iterator[Check]:
    """The checks of the course at ``root``, each to be made before the next is asked for."""
    if root is None:
        yield "course", lambda: "none here (stagegrade new DIR makes one)"
        return
    yield "course", partial(_course, root)
    if not (root / CONFIG_NAME).is_file():
        return
    config = course_config(root)
    course = CourseDirectory(config=config)
    if "root" not in config.CourseDirectory:
        course.root = str(root)
    yield "its configuration", partial(_options, config)
    yield "its folders", partial(_folders, course)
    yield "its gradebook", partial(_gradebook, course)


def _course(root: Path) -> str:
    if not (root / CONFIG_NAME).is_file():
        raise Trouble(
            f"there is no {CONFIG_NAME} in {root}", "Name a course's folder, or: stagegrade new DIR"
        )
    config = course_config(root)
    if not sets_stagegrade_up(config):
        raise Trouble(f"{root / CONFIG_NAME} does not set up stagegrade", TWO_LINES)
    folders = pipeline_folders(config, root)
    try:
        for name in names(folders):
            find(name, folders)
    except BrokenPipeline as error:
        raise Trouble(str(error), _MEND_PIPELINE) from error
    return str(root)


def _options(config: Config) -> str:
    said = []
    for kind in (StageExecute, SubmissionLimits, SubmissionExporter, StageExport):
        said += [*unknown_options(config, kind), *wrong_values(config, kind)]
    said = said or [*absent(config)]
    if said:
        raise Trouble(
            "; ".join(said),
            f"Mend that in {CONFIG_NAME}. Every option: nbgrader generate_config, docs/reference.md.",
        )
    preload = option_list(config, "preload")
    if not preload:
        return "its options exist"
    try:
        warm_process(tuple(preload)).prove()
    except WallsRefused:
        raise Trouble("what is preloaded cannot be tried", "See the line on walls above.") from None
    except WarmStartError as error:
        last = (error.said.strip().splitlines() or ["it ended without a word"])[-1]
        raise Trouble(
            f"preload: {', '.join(preload)} cannot be loaded where submissions run: {last}",
            f"Mend the module, or take it out of {CONFIG_NAME}.",
        ) from error
    return f"its options exist, {', '.join(preload)} loaded"


def _folders(course: CourseDirectory) -> str:
    root = Path(course.root)
    for folder in (root, root / course.autograded_directory):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            raise Trouble(f"{folder} cannot be written", READ_ONLY)
    return "can be written"


def _gradebook(course: CourseDirectory) -> str:
    file = gradebook_file(course.db_url)
    if file is not None and not file.exists():
        return "none yet (nbgrader generate_assignment makes one)"
    try:
        engine = create_engine(course.db_url)
        with engine.connect() as connection:
            # nbgrader builds its tables in a way that a type checker cannot follow.
            for table in Student.__table__.metadata.sorted_tables:
                connection.execute(select(table).limit(0))
        engine.dispose()
    except SQLAlchemyError as error:
        said, mend = reason(error, course.db_url)
        raise Trouble(said, mend) from error
    return str(file or "answers")
