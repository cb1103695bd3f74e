"""The count against stock nbgrader in docs/security.md is of the corpus that there is."""

from pathlib import Path

from tests.attacks.corpus import attacks, solved, source
from tools.attacks import BEGIN, END, HEADS, PAGE, read_results, table

CORPUS = attacks(solved(source(stock=True), ()), Path("/nowhere"), 1)


def test_each_attack_was_tried_on_stock_nbgrader() -> None:
    """An attack could be added, renamed or left out, and the table count another corpus."""
    results = read_results()
    assert {attack.student for attack in CORPUS} == set(results)
    assert set() == {what for came in results.values() for what in came} - set(HEADS)


def test_the_table_is_that_of_the_results() -> None:
    """Figures written by hand would be nobody's measurement."""
    page = PAGE.read_text(encoding="utf-8")
    assert table(CORPUS, read_results()) == page.split(BEGIN)[1].split(END)[0].strip() + "\n"


def test_the_table_counts_a_family_by_what_came_of_it() -> None:
    """A row could show one attack's points in another's column."""
    family = [attack for attack in CORPUS if attack.family == "network"]
    came: dict[str, list[str]] = {attack.student: [] for attack in family} | {
        family[0].student: ["points", "read"]
    }
    columns = [
        "network",
        str(len(family)),
        "1",
        "1",
        "0",
        "0",
        "0",
        "0",
        str(len(family) - 1),
        str(len(family)),
    ]
    assert f"| {' | '.join(columns)} |" == table(family, came).splitlines()[2]
