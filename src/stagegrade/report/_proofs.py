"""What was proved of an assignment before its release, as text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something wrong: where, what, and what to do about it."""

    where: str
    what: str
    mend: str


@dataclass(frozen=True, kw_only=True)
class Proof:
    """One thing that must hold of an assignment. It holds where there is no finding."""

    title: str
    measured: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    """What is worth knowing and is nothing wrong."""


def proofs_text(title: str, proofs: Sequence[Proof]) -> str:
    """After ``title`` a line for each proof, with its findings under it, and the sum of them at the end."""
    lines = [title, ""]
    for proof in proofs:
        lines.append(f"{'✗' if proof.findings else '✓'} {proof.title}: {proof.measured}")
        for finding in proof.findings:
            lines += [f"    {finding.where}: {finding.what}", f"        {finding.mend}"]
        lines += [f"    note: {note}" for note in proof.notes]
    count = sum(len(proof.findings) for proof in proofs)
    ready = "Nothing is wrong: it can be released."
    lines += ["", ready if not count else f"{count} to mend before it is released."]
    return "\n".join(lines)
