"""Verdicts for the stages inside one ``forward``, of which only the output and the tensors it made are seen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stagegrade.diagnosis._calls import Calls, how_telling, is_right
from stagegrade.diagnosis._compare import same
from stagegrade.diagnosis._explain_forward import Together, by_search, by_what_was_seen, likeliest, steps
from stagegrade.diagnosis._forward_told import first_unknown, told_mistake, traced_mistake
from stagegrade.diagnosis._function import is_unwritten, no_more, raised
from stagegrade.diagnosis._guided import follow
from stagegrade.diagnosis._inside import correct, not_ended, not_reached, not_there, unlocated
from stagegrade.diagnosis._located import Located, locate
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._outcome import Answered, Failed, Lost, TimedOut, value_of
from stagegrade.diagnosis._own_weights import with_own_weights
from stagegrade.diagnosis._shown import is_shown
from stagegrade.diagnosis._together import MOST
from stagegrade.diagnosis._trial import Ask, Seen, Trial
from stagegrade.diagnosis._verdict import Confidence, StageVerdict
from stagegrade.pipelines import Pipeline, Stage


def judge_forward(
    pipeline: Pipeline, trials: Sequence[Trial], watch: Ask | None = None, ask: Ask | None = None
) -> dict[str, StageVerdict]:
    """A verdict for each stage inside ``forward``: by the output, by mistakes, by the tensors it made.

    Where an output is wrong, ``watch`` puts the same cases again and sees what is made on the way, and ``ask``
    puts further cases, which tell mistakes apart and find the smallest that shows them.
    """
    wrong = [t for t in trials if not is_right(pipeline, t)]
    if not wrong:
        return {s.name: correct(s, Confidence.EXACT, carried=False) for s in pipeline.inside}
    stopped = next((t for t in wrong if isinstance(t.alone, (TimedOut, Lost))), None)
    if stopped is not None:
        return _stopped(pipeline, stopped)
    failed = next((t for t in wrong if isinstance(t.alone, Failed)), None)
    if failed is not None and isinstance(failed.alone, Failed) and failed.alone.out_of_memory:
        return _stopped(pipeline, failed)
    return _watched(pipeline, trials, watch or no_more, ask or no_more)


def _watched(pipeline: Pipeline, trials: Sequence[Trial], watch: Ask, ask: Ask) -> dict[str, StageVerdict]:
    """See what is made on the way; where a module made its own weights, judge it by those."""
    again = watch([trial.case for trial in trials])
    if len(again) == len(trials) and not any(isinstance(t.alone, (TimedOut, Lost)) for t in again):
        trials = again
    made = [Made(t.seen or Seen(), value_of(t.alone)) for t in trials]
    own = False
    if any(trial.unset for trial in trials):
        rebased = [
            with_own_weights(pipeline, trial, seen) if trial.unset else trial
            for trial, seen in zip(trials, made, strict=True)
        ]
        if all(trial is not None for trial in rebased):
            trials = [trial for trial in rebased if trial is not None]
            own = True
            # The weights are new at every call, and cannot be set for another case.
            ask = no_more
    wrong = [t for t in trials if not is_right(pipeline, t)]
    if not wrong:
        return {s.name: correct(s, Confidence.TRACED, carried=own) for s in pipeline.inside}
    telling = min(wrong, key=how_telling)
    calls = Calls(pipeline=pipeline, trials=trials, made=made, telling=telling, own=own, ask=ask)
    return _Explained(calls).verdicts()


class _Explained:
    """Explains calls of which some are wrong: by mistakes of the catalogue, else by the tensors that were made."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.pipeline = calls.pipeline

    def verdicts(self) -> dict[str, StageVerdict]:
        made = self.calls.made[list(self.calls.trials).index(self.calls.telling)]
        unset = sorted({name for t in self.calls.trials for name in t.unset})
        if unset:
            return self._by_tensors(Located(), unset)
        sets, paths = by_what_was_seen(self.pipeline, self.calls.trials, self.calls.telling, made)
        located = Located()
        if sets and len(sets[0]) > 2:
            # Of all the ways through the stages only the likeliest were followed: fewer mistakes may do as well.
            sets = self._by_search(made, most=len(sets[0]) - 1) or sets
        if not sets:
            if self._is_right_with_own_weights():
                return {s.name: correct(s, Confidence.TRACED, carried=True) for s in self.pipeline.inside}
            if self.calls.from_call_to_call():
                # No mistake of the catalogue does that.
                paths = [path for path in paths if not path.mistakes]
            located = locate(self.pipeline, self.calls.followed(), paths)
            if not self._is_in_view(located) and not self.calls.from_call_to_call():
                sets = self._by_search(made)
        if not sets:
            return self._by_tensors(located, [])
        return self._by_mistakes(
            likeliest(self.pipeline, sets, self.calls.trials, self.calls.telling, made, self.calls.ask)
        )

    def _by_search(self, made: Made, most: int = MOST) -> list[Together]:
        calls = self.calls
        return by_search(self.pipeline, calls.trials, calls.telling, made, calls.ask, most)

    def _is_in_view(self, located: Located) -> bool:
        """Whether the first stage that is not explained shows what it gives: then no set of mistakes explains it.

        Nor does one where the way was seen up to the place at which ``forward`` raised.
        """
        if isinstance(self.calls.telling.alone, Failed) and located.reached:
            return True
        unknown = self.pipeline.inside[located.reached :]
        return bool(unknown) and (
            unknown[0] is self.pipeline.inside[-1] or set(unknown[0].gives) <= set(located.instead)
        )

    def _is_right_with_own_weights(self) -> bool:
        """Whether ``forward`` leaves the module's weights aside and makes new ones, and is right with those."""
        assert self.pipeline.module is not None
        weights = tuple(self.pipeline.module.weights)
        for trial, made in zip(self.calls.trials, self.calls.made, strict=True):
            rebased = with_own_weights(self.pipeline, replace(trial, unset=weights), made)
            if rebased is None or not self.calls.right(rebased):
                return False
        return True

    def _by_mistakes(self, sets: Sequence[Together]) -> dict[str, StageVerdict]:
        """Several sets may fit: the likeliest is told, with the others beside it."""
        chosen = sets[0]
        verdicts: dict[str, StageVerdict] = {}
        answered = any(isinstance(t.alone, Answered) for t in self.calls.trials)
        diverged = False
        off = self._off_by(chosen)
        for stage in self.pipeline.inside:
            here = next((mistake for mistake in chosen if mistake.stage == stage.name), None)
            if here is not None:
                verdicts[stage.name] = told_mistake(self.calls, stage, here, chosen, sets)
                diverged = True
            elif (not diverged or answered) and not is_shown(
                self.pipeline, stage, chosen, self.calls.followed()
            ):
                verdicts[stage.name] = not_there(stage)
                diverged = True
            elif not diverged or answered:
                carried = stage.name in off
                verdicts[stage.name] = correct(stage, Confidence.EXACT, carried=carried)
            else:
                verdicts[stage.name] = not_reached(stage, "`forward` raised an error before.")
        return verdicts

    def _by_tensors(self, located: Located, unset: Sequence[str]) -> dict[str, StageVerdict]:
        verdicts: dict[str, StageVerdict] = {}
        diverged = self.calls.own
        off = self._off_by(tuple(located.mistakes))
        no_unknown_yet = True
        for number, stage in enumerate(self.pipeline.inside, start=1):
            here = next((mistake for mistake in located.mistakes if mistake.stage == stage.name), None)
            if number <= located.reached and here is None:
                carried = self.calls.own or stage.name in off
                verdicts[stage.name] = correct(stage, Confidence.TRACED, carried=carried)
            elif here is not None:
                verdicts[stage.name] = traced_mistake(self.calls, stage, here, located)
                diverged = True
            elif no_unknown_yet and diverged and isinstance(self.calls.telling.alone, Failed):
                verdicts[stage.name] = not_reached(
                    stage, "`forward` raised an error because of what came before."
                )
            elif no_unknown_yet:
                verdicts[stage.name] = first_unknown(self.calls, stage, located, unset)
                no_unknown_yet, diverged = False, True
            elif stage.name in located.right_later:
                carried = self.calls.own or _is_fed(self.pipeline, stage, verdicts)
                verdicts[stage.name] = correct(stage, Confidence.TRACED, carried=carried)
            elif isinstance(self.calls.telling.alone, Failed) and is_unwritten(self.calls.telling.alone):
                # What comes after the place that the release left to be written is not written either.
                verdicts[stage.name] = raised(stage, self.calls.telling.alone, None)
            elif isinstance(self.calls.telling.alone, Failed):
                verdicts[stage.name] = not_reached(stage, "`forward` raised before it was shown to be right.")
            else:
                verdicts[stage.name] = unlocated(stage)
        return verdicts

    def _off_by(self, mistakes: Together) -> set[str]:
        """The stages whose values are not the reference's somewhere, with these mistakes made."""
        return {
            stage.name
            for trial in self.calls.trials
            for stage, _, values in steps(self.pipeline, trial.case, mistakes)
            if any(not same(trial.trace[name], value) for name, value in values.items())
        }


def _stopped(pipeline: Pipeline, stopped: Trial) -> dict[str, StageVerdict]:
    """A call that did not come to its end, put down to the first stage that it is not seen to have reached."""
    made = Made(stopped.seen or Seen(), None)
    calls = Calls(pipeline=pipeline, trials=[stopped], made=[made], telling=stopped, own=False, ask=no_more)
    _, paths = follow(pipeline, stopped, made)
    located = locate(pipeline, [(stopped, made)], paths)
    verdicts: dict[str, StageVerdict] = {}
    # Some stage has to answer for it, though all that the last one gives was made.
    reached = min(located.reached, len(pipeline.inside) - 1)
    for number, stage in enumerate(pipeline.inside):
        here = next((mistake for mistake in located.mistakes if mistake.stage == stage.name), None)
        if here is not None:
            verdicts[stage.name] = traced_mistake(calls, stage, here, located)
        elif number < reached:
            carried = _is_fed(pipeline, stage, verdicts)
            verdicts[stage.name] = correct(stage, Confidence.TRACED, carried=carried)
        elif number == reached:
            verdicts[stage.name] = (
                raised(stage, stopped.alone, stopped.case)
                if isinstance(stopped.alone, Failed)
                else not_ended(stage, stopped.alone)
            )
        else:
            verdicts[stage.name] = not_reached(stage, "`forward` did not come to its end.")
    return verdicts


def _is_fed(pipeline: Pipeline, stage: Stage, verdicts: Mapping[str, StageVerdict]) -> bool:
    """Whether something that ``stage`` reads comes from a stage that is wrong, or that carries an error itself."""
    return any(
        not verdict.passed or verdict.carried
        for name, verdict in verdicts.items()
        if set(pipeline.stage(name).gives) & set(stage.reads)
    )
