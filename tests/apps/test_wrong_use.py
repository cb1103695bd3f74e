"""Wrong use ends with status 2 and a sentence that says what to do; never with a traceback or nbgrader's log."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.apps.conftest import STAGED, Call, Said, submitted

BROKEN_CONFIG = "c = get_config()\n\nimport no_such_module\n"
PLAIN_CONFIG = "c = get_config()\n"


def assert_refused(said: Said, *parts: str) -> None:
    assert 2 == said.status, said
    assert "" == said.out
    for part in parts:
        assert part in said.err
    for noise in ("Traceback", "WARNING", "ERROR", "No notebooks were matched"):
        assert noise not in said.err


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ([], ["stagegrade new", "stagegrade autograde", "stagegrade COMMAND --help"]),
        (["grade"], ["there is no command grade"]),
        (["--bogus"], ["there is no option --bogus"]),
        (["new"], ["usage: stagegrade new DIR"]),
        (["new", "a", "b"], ["usage: stagegrade new DIR, or in a course"]),
        (["export", "x", "--to"], ["--to takes a value: --to=VALUE"]),
        (["export", "x", "--to", "--item=y"], ["--to takes a value: --to=VALUE"]),
        (["new", "a", "--student=b"], ["there is no option --student"]),
        (["new", "/proc/course"], ["/proc/course cannot be made"]),
        (["autograde"], ["there is no nbgrader_config.py here", "stagegrade new DIR"]),
        (["autograde", STAGED], ["there is no nbgrader_config.py here"]),
        (["explain", STAGED], ["usage: stagegrade explain ASSIGNMENT STUDENT [STAGE]"]),
        (["explain", STAGED, "right"], ["there is no nbgrader_config.py here"]),
        (["diagnose"], ["usage: stagegrade diagnose NOTEBOOK"]),
        (["diagnose", "no.ipynb"], ["there is no file no.ipynb"]),
        (["diagnose", "."], [". is a folder; name a notebook in it"]),
        (["diagnose", "no.ipynb", "--json=yes"], ["--json"]),
        (["check", STAGED], ["there is no nbgrader_config.py here", "stagegrade new DIR"]),
        (["check", STAGED, "--course-dir=no-course"], ["there is no folder", "no-course"]),
        (["new", "line\nbreak"], ["'line\\nbreak' has characters that do not print"]),
        (["completion"], ["usage: stagegrade completion SHELL, one of bash, zsh, fish"]),
        (["doctor", "me"], ["usage: stagegrade doctor"]),
        (["doctor", "--course-dir=no-course"], ["there is no folder no-course"]),
        (["diagnose", "no.ipynb", "--DiagnoseApp.form=perhaps"], ["form"]),
    ],
)
def test_without_a_course(call: Call, tmp_path: Path, words: list[str], parts: list[str]) -> None:
    """A mistyped command would do something else, or end in a traceback."""
    assert_refused(call(*words, cwd=tmp_path), *parts)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["autograde"], ["usage: stagegrade autograde ASSIGNMENT"]),
        (["autograde", "essay"], ["knows no assignment essay", STAGED, "nbgrader generate_assignment essay"]),
        (["autograde", STAGED, "--student=nobody"], ["nothing to grade", "nbgrader collect"]),
        (["autograde", STAGED, "--jbos=3"], ["there is no option --jbos"]),
        (["autograde", STAGED, "--BaseConverter.force=perhaps"], ["force"]),
        (["check", "essay"], ["no assignment is called essay", STAGED]),
        (
            ["explain", "essay", "right"],
            ["knows no assignment essay", STAGED, "Where there is a source/essay"],
        ),
        (
            ["explain", "self_attention", "keys-two"],
            [
                "Begin with: nbgrader generate_assignment self_attention",
                "stagegrade autograde self_attention",
            ],
        ),
        (["new", "--assignment=class"], ["class is a word of Python's own", "my_class"]),
        (["diagnose", "README.md", "--json", "--gradescope"], ["--json and --gradescope are two forms"]),
        (["explain", STAGED, "nobody"], ["'nobody' handed in no query_key_value", "keys-two, right"]),
        (["explain", STAGED, "waiting"], ["is not graded yet", "--student 'waiting'"]),
        (["explain", STAGED, "right", "warp"], ["has no stage warp", "projection, key_index"]),
        (
            ["report", STAGED, "--output=none/x.html"],
            ["there is no folder none to write x.html to", "make it"],
        ),
        (["export", STAGED, "--output=none/x.csv"], ["there is no folder none to write x.csv to", "make it"]),
        (["report", STAGED, "--output=/proc/x.html"], ["/proc/x.html", "may you read and write it?"]),
        (["report", STAGED, "--db=bogus"], ["the gradebook cannot be used", "--db"]),
        (["export", STAGED, "--output=/proc/none.csv"], ["/proc/none.csv: "]),
        (["autograde", STAGED, "--jobs=many"], ["--jobs takes an int, not the str 'many'"]),
        (["autograde", STAGED, "--jobs=-1"], ["--jobs should not be less than 0"]),
        (["export", STAGED, "--roster=other.csv"], ["other.csv: there is no such file"]),
        (["diagnose", "README.md"], ["cannot be told which assignment", "--assignment"]),
        (["diagnose", "README.md", "--course-dir=no-course"], ["there is no folder no-course"]),
        (["diagnose", "README.md", "--course-dir=source"], ["no nbgrader_config.py in", "source"]),
        (["diagnose", "README.md", "--assignment=essay"], ["no assignment is called essay", STAGED]),
    ],
)
def test_in_a_course(call: Call, course: Path, words: list[str], parts: list[str]) -> None:
    """An instructor would not learn what there is, or what to do next."""
    assert_refused(call(*words, cwd=course), *parts)


OWN = (f"source/{STAGED}/{STAGED}.ipynb", "gradebook.db", "roster.csv", "nbgrader_config.py")


@pytest.mark.parametrize("words", ["export", "report", "report --csv", "report --json", "export --to=stages"])
@pytest.mark.parametrize("own", [*OWN, "release/new.csv", "submitted/new.html", "autograded/x.json"])
def test_what_a_course_is_made_of_is_not_written_over(call: Call, course: Path, words: str, own: str) -> None:
    """One mistyped --output would turn the gradebook, and so every grade, into a table."""
    before = {name: (course / name).read_bytes() for name in OWN}
    command, *options = words.split()
    assert_refused(call(command, STAGED, *options, f"--output={own}", cwd=course), f"{own} is ", "Name a")
    assert before == {name: (course / name).read_bytes() for name in OWN}
    assert (own in OWN) == (course / own).exists()


@pytest.mark.parametrize("to", ["source", "gradebook.db", "nbgrader_config.py"])
def test_nor_by_a_file_for_each_submission(call: Call, course: Path, to: str) -> None:
    """Students' results would lie among the source notebooks, from where a release is made."""
    said = call("export", STAGED, "--to=gradescope", f"--output={to}", cwd=course)
    assert 2 == said.status, said
    assert to in said.err
    assert not list((course / "source").rglob("results.json"))


def test_a_file_of_another_kind_is_not_written_over_and_an_earlier_table_is(
    call: Call, course: Path, tmp_path: Path
) -> None:
    """An instructor's letter would be lost, or each week's export would need another name."""
    letter = tmp_path / "letter.odt"
    letter.write_text("Dear all")
    said = call("export", STAGED, f"--output={letter}", cwd=course)
    assert_refused(said, f"{letter} is there already, and is no .csv file", "Name another file")
    assert "Dear all" == letter.read_text()
    table = tmp_path / "grades.CSV"
    for _ in range(2):
        assert 2 != call("export", STAGED, f"--output={table}", cwd=course).status
    assert "student_id" in table.read_text()


def test_what_is_no_text_is_not_put_on_a_terminal(
    call: Call, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A screenful of bytes that no longer takes what is typed would be the answer to a missing option."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    said = call("export", STAGED, "--to=parquet", cwd=course)
    assert_refused(said, "parquet is not text to look at: name a file with --output")


def test_within_a_courses_folder_the_course_is_pointed_at(call: Call, course: Path) -> None:
    """nbgrader looks for a configuration where one stands and nowhere else; one folder further in it finds none."""
    assert_refused(call("explain", STAGED, "right", cwd=course / "source"), f"The course is in {course}")


def test_a_course_without_the_two_lines_is_told_them(call: Call, tmp_path: Path) -> None:
    """A plain nbgrader course would be graded in another way, without a word."""
    (tmp_path / "nbgrader_config.py").write_text(PLAIN_CONFIG)
    assert_refused(call("autograde", STAGED, cwd=tmp_path), "configure(c)")


def test_a_configuration_that_does_not_load_is_named_with_its_line(call: Call, tmp_path: Path) -> None:
    """The course would be graded with half of its configuration."""
    (tmp_path / "nbgrader_config.py").write_text(BROKEN_CONFIG)
    said = call("autograde", STAGED, cwd=tmp_path)
    assert_refused(said, "nbgrader_config.py, line 3", "No module named 'no_such_module'")


def test_a_mistyped_option_of_a_class_is_told(call: Call, course: Path, tmp_path: Path) -> None:
    """A course would be graded without the limit that its instructor set."""
    copy = shutil.copytree(course, tmp_path / "attention")
    said = call("autograde", STAGED, "--student=right", "--StageExecute.cal_timeout=3", "--force", cwd=copy)
    assert 0 == said.status
    assert "cal_timeout" in said.err


def test_an_assignments_notebook_that_is_gone_or_broken_is_named(
    call: Call, course: Path, tmp_path: Path
) -> None:
    """An author would be told that there is no such assignment, or to look into another command's log."""
    copy = shutil.copytree(course, tmp_path / "attention")
    notebook = copy / f"source/{STAGED}/{STAGED}.ipynb"
    notebook.write_text("hello")
    said = call("check", STAGED, cwd=copy)
    assert 1 == said.status
    assert f"{notebook} is no notebook (JSONDecodeError: Expecting value" in said.out
    notebook.unlink()
    assert_refused(
        call("check", STAGED, cwd=copy),
        f"{notebook.parent} has no notebook",
        f"Put its {notebook.name} there",
    )


def test_new_overwrites_nothing(call: Call, course: Path) -> None:
    """A course's notebooks could be lost."""
    before = submitted(course, "right").read_bytes()
    assert_refused(call("new", course, cwd=course.parent), "already there", "nothing in it is overwritten")
    assert before == submitted(course, "right").read_bytes()


def test_a_damaged_graded_notebook_is_named(call: Call, course: Path, tmp_path: Path) -> None:
    """One file that was cut short would end the class's report in a traceback."""
    copy = tmp_path / "attention"
    shutil.copytree(course, copy)
    damaged = copy / f"autograded/right/{STAGED}/{STAGED}.ipynb"
    damaged.chmod(0o644)
    damaged.write_text("{")
    for words in (["report", STAGED], ["explain", STAGED, "right"]):
        said = call(*words, cwd=copy)
        assert (1, "") == (said.status, said.out)
        assert f"stagegrade autograde {STAGED} --student 'right' --force" in said.err
