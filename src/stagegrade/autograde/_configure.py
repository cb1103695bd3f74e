"""Sets nbgrader up to grade with stages, through its own extension points."""

from typing import Any


def configure(c: Any) -> None:
    """Call with nbgrader's configuration object: ``configure(get_config())`` is all a course needs.

    What it sets can be set differently afterwards, as with any option of nbgrader's.
    """
    c.Autograde.exporter_class = "stagegrade.autograde.SubmissionExporter"
    c.Autograde.sanitize_preprocessors = [
        "stagegrade.autograde.RestoreCells",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.Autograde.autograde_preprocessors = [
        "stagegrade.autograde.StageExecute",
        "nbgrader.preprocessors.IgnorePattern",
        "nbgrader.preprocessors.LimitOutput",
        "stagegrade.autograde.SaveVerdicts",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.GenerateFeedback.exporter_class = "stagegrade.autograde.FeedbackExporter"
    c.GenerateFeedback.preprocessors = [
        "stagegrade.autograde.GiveGrades",
        "stagegrade.autograde.HideTests",
    ]
    # Formgrader shows what students wrote and printed on the instructor's own page, where a script of theirs
    # could grade it.
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.filters = {
        "clean_html": "stagegrade.report.safe_html",
        "markdown2html": "stagegrade.report.markdown_of_cell",
    }
    c.ExportApp.plugin_class = "stagegrade.autograde.StageExport"
