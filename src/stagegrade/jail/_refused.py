"""Why no submission could be run."""


class WarmStartError(Exception):
    """The warm process did not start, or is gone and did not come back. ``said`` is what it said."""

    def __init__(self, said: str) -> None:
        super().__init__(
            "the process that runs submissions did not start; `stagegrade doctor` looks for the cause.\n"
            + said
        )
        self.said = said


class WallsRefused(WarmStartError):
    """The walls around a submission cannot be built on this machine. ``said`` has a line for each kind tried."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.args = (
            "the walls around a submission cannot be built here, so nothing was run:\n"
            + "\n".join(f"  {line}" for line in said.splitlines())
            + "\n`stagegrade doctor` says what is missing and how to get it. Where the submissions are known to be "
            "harmless, `--unprotected` runs them without walls, this once.",
        )
