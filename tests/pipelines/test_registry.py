"""A pipeline is found by its assignment's name, and by nothing else."""

from pathlib import Path

import pytest

from stagegrade.pipelines import NoSuchPipeline, find, names

OWN = Path(__file__).parents[2] / "src" / "stagegrade" / "pipelines" / "assignments" / "query_key_value.py"


def test_whatever_is_listed_is_found(tmp_path: Path) -> None:
    """A course's own pipeline would be said not to be there, in a list that has it."""
    text = OWN.read_text(encoding="utf-8").replace('"query_key_value"', '"two-layer"')
    (tmp_path / "two-layer.py").write_text(text, encoding="utf-8")
    assert "two-layer" in names([tmp_path])
    assert "two-layer" == find("two-layer", [tmp_path]).name


@pytest.mark.parametrize("name", ["_shared", "../beside", "sub/one", "", ".."])
def test_no_other_file_is(name: str, tmp_path: Path) -> None:
    """A test that names what is no assignment would have a file run as one."""
    folder = tmp_path / "pipelines"
    (folder / "sub").mkdir(parents=True)
    for path in (folder / "_shared.py", tmp_path / "beside.py", folder / "sub" / "one.py"):
        path.write_text(OWN.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(NoSuchPipeline):
        find(name, [folder])
