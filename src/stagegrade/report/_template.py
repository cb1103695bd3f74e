"""The pages' templates, compiled once a process."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from stagegrade.report._verdicts import number, points_of


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("stagegrade.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = number
    made.filters["moment"] = lambda when: f"{when:%Y-%m-%d %H:%M} UTC"
    made.globals["points_of"] = points_of
    return made


@cache
def template(name: str) -> Template:
    return _environment().get_template(f"{name}.j2")
