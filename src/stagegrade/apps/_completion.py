"""``stagegrade completion``: what a shell needs to complete commands, options and names."""

from argcomplete.shell_integration import shellcode

from stagegrade.apps._app import StageApp
from stagegrade.apps._operands import SHELLS


class CompletionApp(StageApp):
    name = "stagegrade-completion"
    description = (
        "Print what a shell needs to complete stagegrade's commands, options, assignments and students."
    )
    operands = "SHELL"
    examples = """
        In ~/.bashrc or ~/.zshrc:

            eval "$(stagegrade completion bash)"
            eval "$(stagegrade completion zsh)"

        In ~/.config/fish/config.fish:

            stagegrade completion fish | source
    """

    def start(self) -> None:
        super().start()
        if len(self.extra_args) != 1:
            self.refuse(f"usage: {self.command} {self.operands}, one of {', '.join(SHELLS)}")
        (shell,) = self.extra_args
        if shell not in SHELLS:
            self.refuse(f"there is nothing for {shell}; there is for {', '.join(SHELLS)}")
        print(shellcode(["stagegrade"], shell=shell))
