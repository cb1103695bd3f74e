"""``stagegrade check``: what must hold of an assignment before it is released."""

import sys
from pathlib import Path

import torch

from stagegrade.apps._app import COURSE_ALIASES, DONE, UNGRADED, StageApp
from stagegrade.autograde import UnknownAssignment, assignment_here, check
from stagegrade.report import proofs_text


class CheckApp(StageApp):
    name = "stagegrade-check"
    ungraded = "something is to be mended"
    description = (
        "Prove of an assignment, before its release: the solution gets full marks and the blank none, the release "
        "gives nothing away, every mistake of its pipeline is caught and told apart."
    )
    operands = "ASSIGNMENT"
    examples = """
        Before an assignment is released, and after each change to it or to its pipeline:

            stagegrade check query_key_value
    """

    aliases = {**StageApp.aliases, **COURSE_ALIASES}

    def start(self) -> None:
        super().start()
        (name,) = self.arguments()
        try:
            of = assignment_here(name, Path(self.course().root))
        except UnknownAssignment as error:
            self.refuse(str(error))
        # The tensors are tiny: sharing them out among threads takes longer than computing them.
        torch.set_num_threads(1)
        proofs = check(of, self)
        here = Path.cwd()
        source = of.source.relative_to(here) if of.source.is_relative_to(here) else of.source
        print(proofs_text(f"{name}, from {source}", proofs))
        sys.exit(UNGRADED if any(proof.findings for proof in proofs) else DONE)
