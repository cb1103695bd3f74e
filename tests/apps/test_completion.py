"""What a shell is told when it asks how a command line may go on."""

import shutil

import pytest

from tests.commands import environment, run

CONFIG = "from stagegrade.autograde import configure\nc = get_config()\nconfigure(c)\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text(CONFIG)
    for folder in ("source/query_key_value", "source/self_attention", "submitted/keys-two/query_key_value"):
        (root / folder).mkdir(parents=True)
    (root / "handed-in.ipynb").write_text("{}")
    (root / "notes.txt").write_text("")
    return root


def completions(course, tmp_path, line):
    answer = tmp_path / "answer"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line.encode())),
    }
    run("stagegrade", cwd=course, env=environment(tmp_path / "home") | asked)
    return answer.read_text().split("\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stagegrade dia", ["diagnose"]),
        ("stagegrade autograde ", ["query_key_value", "self_attention"]),
        ("stagegrade explain query_key_value k", ["keys-two"]),
        ("stagegrade diagnose ha", ["handed-in.ipynb"]),
        ("stagegrade export query_key_value --to ca", ["canvas"]),
    ],
)
def test_a_line_is_completed(course, tmp_path, line, expected):
    """Whoever presses the tab key would be offered files where an assignment is asked for, or nothing."""
    assert expected == completions(course, tmp_path, line)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_takes_what_is_printed_for_it(course, tmp_path):
    """The line in ~/.bashrc would end in a syntax error at every login, or complete nothing."""
    script = (
        'eval "$(stagegrade completion bash)"; COMP_WORDS=(stagegrade autograde q); COMP_CWORD=2; '
        'COMP_LINE="stagegrade autograde q"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; '
        '_python_argcomplete stagegrade q autograde; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = run("bash", "--norc", "-c", script, cwd=course, env=environment(tmp_path / "home"))
    assert "query_key_value" == done.stdout.strip()


def test_another_shell_gets_its_own(course, tmp_path):
    """A shell would be given another's words."""
    done = run("stagegrade", "completion", "fish", cwd=course, env=environment(tmp_path / "home"))
    assert "complete --command stagegrade" in done.stdout


def test_a_shell_that_is_not_known_is_refused(course, tmp_path):
    """A traceback would be evaluated by the shell."""
    done = run("stagegrade", "completion", "tcsh", cwd=course, env=environment(tmp_path / "home"), status=2)
    assert "there is nothing for tcsh; there is for bash, zsh, fish" in done.stderr
    assert "" == done.stdout
