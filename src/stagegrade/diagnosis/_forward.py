"""Verdicts for the stages inside one ``forward``, of which only the output and the tensors it made are seen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from stagegrade.diagnosis._compare import alike, compare, same
from stagegrade.diagnosis._describe import Pair, describe_value
from stagegrade.diagnosis._explain_forward import (
    Together,
    by_search,
    by_what_was_seen,
    likeliest,
    result_with,
    steps,
)
from stagegrade.diagnosis._function import case_of, explain, is_unwritten, no_more, raised, shown_difference
from stagegrade.diagnosis._guided import follow
from stagegrade.diagnosis._inside import correct, not_ended, not_reached, not_there, unlocated
from stagegrade.diagnosis._located import Located, locate
from stagegrade.diagnosis._made import Made
from stagegrade.diagnosis._match import best
from stagegrade.diagnosis._outcome import Answered, Failed, Lost, Outcome, TimedOut
from stagegrade.diagnosis._own_weights import with_own_weights
from stagegrade.diagnosis._shown import is_shown
from stagegrade.diagnosis._shrink import evidence_of, smallest_case
from stagegrade.diagnosis._trial import Ask, Seen, Trial
from stagegrade.diagnosis._verdict import Confidence, StageVerdict, Verdict
from stagegrade.pipelines import Kind, Mistake, Pipeline, Stage, Trace, shown_inputs


def judge_forward(
    pipeline: Pipeline, trials: Sequence[Trial], watch: Ask | None = None, ask: Ask | None = None
) -> dict[str, StageVerdict]:
    """A verdict for each stage inside ``forward``: by the output, by mistakes, by the tensors it made.

    Where an output is wrong, ``watch`` puts the same cases again and sees what is made on the way, and ``ask``
    puts further cases, which tell mistakes apart and find the smallest that shows them.
    """
    return _Forward(pipeline, trials, watch or no_more, ask or no_more).verdicts()


class _Forward:
    def __init__(self, pipeline: Pipeline, trials: Sequence[Trial], watch: Ask, ask: Ask) -> None:
        assert pipeline.module is not None
        self.pipeline = pipeline
        self.result = pipeline.module.result
        self.trials = trials
        self.watch = watch
        self.ask = ask

    def verdicts(self) -> dict[str, StageVerdict]:
        stages = self.pipeline.inside
        wrong = [t for t in self.trials if not self.right(t)]
        if not wrong:
            return {s.name: correct(s, Confidence.EXACT, carried=False) for s in stages}
        stopped = next((t for t in wrong if isinstance(t.alone, (TimedOut, Lost))), None)
        if stopped is not None:
            return self._stopped(stopped)
        failed = next((t for t in wrong if isinstance(t.alone, Failed)), None)
        if failed is not None and isinstance(failed.alone, Failed) and failed.alone.out_of_memory:
            return self._stopped(failed)
        self._watch_again()
        return self._explained()

    def right(self, trial: Trial) -> bool:
        return isinstance(trial.alone, Answered) and same(trial.trace[self.result], trial.alone.value)

    def _watch_again(self) -> None:
        """See what is made on the way; where a module made its own weights, judge it by those."""
        again = self.watch([trial.case for trial in self.trials])
        if len(again) == len(self.trials) and not any(isinstance(t.alone, (TimedOut, Lost)) for t in again):
            self.trials = again
        self.made = [Made(t.seen or Seen(), _value(t.alone)) for t in self.trials]
        self.own = False
        if any(trial.unset for trial in self.trials):
            rebased = [
                with_own_weights(self.pipeline, trial, made) if trial.unset else trial
                for trial, made in zip(self.trials, self.made, strict=True)
            ]
            if all(trial is not None for trial in rebased):
                self.trials = [trial for trial in rebased if trial is not None]
                self.own = True
                # The weights are new at every call, and cannot be set for another case.
                self.ask = no_more

    def _explained(self) -> dict[str, StageVerdict]:
        wrong = [t for t in self.trials if not self.right(t)]
        if not wrong:
            return {s.name: correct(s, Confidence.TRACED, carried=self.own) for s in self.pipeline.inside}
        self.telling = min(wrong, key=_how_telling)
        made = self.made[list(self.trials).index(self.telling)]
        unset = sorted({name for t in self.trials for name in t.unset})
        if unset:
            return self._by_tensors(Located(), unset)
        sets, paths = by_what_was_seen(self.pipeline, self.trials, self.telling, made)
        located = Located()
        if not sets:
            if self._is_right_with_own_weights():
                return {s.name: correct(s, Confidence.TRACED, carried=True) for s in self.pipeline.inside}
            if self._from_call_to_call():
                # No mistake of the catalogue does that.
                paths = [path for path in paths if not path.mistakes]
            located = locate(self.pipeline, self._followed(), paths)
            if not self._is_in_view(located) and not self._from_call_to_call():
                sets = by_search(self.pipeline, self.trials, self.telling, made, self.ask)
        if not sets:
            return self._by_tensors(located, [])
        return self._by_mistakes(likeliest(self.pipeline, sets, self.trials, self.telling, made, self.ask))

    def _from_call_to_call(self) -> str:
        """In words, why calls of one layer differ, where that alone is wrong; empty where it is not."""
        if any(t.seen is not None and not t.seen.steady for t in self.trials):
            return (
                "Two calls with the same input give different results: is there dropout, or a random number, "
                "in `forward`?"
            )
        if all(t.second for t in self.trials if not self.right(t)):
            return (
                "It is wrong only in a second call of the same layer, with another input: does the layer keep "
                "something from its first call?"
            )
        return ""

    def _followed(self) -> list[tuple[Trial, Made]]:
        """The trials that a way through the stages has to hold on.

        Of a batch that made the call raise it may have come no further than the first sequence.
        """
        pairs = sorted(zip(self.trials, self.made, strict=True), key=lambda pair: pair[0] is not self.telling)
        if self.telling.case.kind == Kind.BATCHED:
            return pairs
        return [(t, m) for t, m in pairs if not (t.case.kind == Kind.BATCHED and isinstance(t.alone, Failed))]

    def _is_in_view(self, located: Located) -> bool:
        """Whether the first stage that is not explained shows what it gives: then no set of mistakes explains it.

        Nor does one where the way was seen up to the place at which ``forward`` raised.
        """
        if isinstance(self.telling.alone, Failed) and located.reached:
            return True
        unknown = self.pipeline.inside[located.reached :]
        return bool(unknown) and (
            unknown[0] is self.pipeline.inside[-1] or set(unknown[0].gives) <= set(located.instead)
        )

    def _is_right_with_own_weights(self) -> bool:
        """Whether ``forward`` leaves the module's weights aside and makes new ones, and is right with those."""
        assert self.pipeline.module is not None
        weights = tuple(self.pipeline.module.weights)
        for trial, made in zip(self.trials, self.made, strict=True):
            rebased = with_own_weights(self.pipeline, replace(trial, unset=weights), made)
            if rebased is None or not self.right(rebased):
                return False
        return True

    def _by_mistakes(self, sets: Sequence[Together]) -> dict[str, StageVerdict]:
        """Several sets may fit: the likeliest is told, with the others beside it."""
        chosen = sets[0]
        verdicts: dict[str, StageVerdict] = {}
        answered = any(isinstance(t.alone, Answered) for t in self.trials)
        diverged = False
        off = self._off_by(chosen)
        for stage in self.pipeline.inside:
            here = next((mistake for mistake in chosen if mistake.stage == stage.name), None)
            if here is not None:
                verdicts[stage.name] = self._diverging(stage, here, chosen, sets)
                diverged = True
            elif (not diverged or answered) and not is_shown(self.pipeline, stage, chosen, self._followed()):
                verdicts[stage.name] = not_there(stage)
                diverged = True
            elif not diverged or answered:
                carried = stage.name in off
                verdicts[stage.name] = correct(stage, Confidence.EXACT, carried=carried)
            else:
                verdicts[stage.name] = not_reached(stage, "`forward` raised an error before.")
        return verdicts

    def _off_by(self, mistakes: Together) -> set[str]:
        """The stages whose values are not the reference's somewhere, with these mistakes made."""
        return {
            stage.name
            for trial in self.trials
            for stage, _, values in steps(self.pipeline, trial.case, mistakes)
            if any(not same(trial.trace[name], value) for name, value in values.items())
        }

    def _is_fed(self, stage: Stage, verdicts: Mapping[str, StageVerdict]) -> bool:
        """Whether something that ``stage`` reads comes from a stage that is wrong, or that carries an error itself."""
        return any(
            not verdict.passed or verdict.carried
            for name, verdict in verdicts.items()
            if set(self.pipeline.stage(name).gives) & set(stage.reads)
        )

    def _diverging(
        self, stage: Stage, here: Mistake, chosen: Together, sets: Sequence[Together]
    ) -> StageVerdict:
        same_stages = [s for s in sets if [m.stage for m in s] == [m.stage for m in chosen]]
        also = list(dict.fromkeys(m for s in same_stages for m in s if m.stage == stage.name))
        elsewhere = [s for s in sets if s not in same_stages]
        name, message = explain([here, *(m for m in also if m is not here)])
        evidence: dict[str, Any] = {
            "confidence": str(Confidence.EXACT),
            "hint": here.hint,
            **self._shown(self.telling),
        }
        alternatives = [m.name for m in also]
        if elsewhere:
            others = list(
                dict.fromkeys(f"{m.stage}: {m.name}" for s in elsewhere for m in s if m not in chosen)
            )
            alternatives += others
            message = f"{message} What `forward` gave could also come of {' or '.join(others)}."
        if len(alternatives) > 1:
            name = None
            evidence["alternatives"] = alternatives
        if here.checkpoint:
            evidence["checkpoint"] = here.checkpoint
        evidence |= self._smallest(stage, chosen, sets)
        verdict = Verdict.DIVERGES
        if isinstance(self.telling.alone, Failed):
            verdict = Verdict.RAISED
            message = f"{message} It raised {self.telling.alone.describe()}"
        return StageVerdict(
            stage=stage.name,
            verdict=verdict,
            mistake=name,
            message=message,
            evidence=evidence,
            case=case_of(self.telling.case),
        )

    def _shown(self, shown: Trial) -> dict[str, Any]:
        if isinstance(shown.alone, Failed):
            return dict(raised(self.pipeline.inside[0], shown.alone, None).evidence)
        if not isinstance(shown.alone, Answered):
            return {}
        found = compare(shown.trace[self.result], shown.alone.value)
        return shown_difference(found) if found else {}

    def _by_tensors(self, located: Located, unset: Sequence[str]) -> dict[str, StageVerdict]:
        verdicts: dict[str, StageVerdict] = {}
        diverged = self.own
        off = self._off_by(tuple(located.mistakes))
        first_unknown = True
        for number, stage in enumerate(self.pipeline.inside, start=1):
            here = next((mistake for mistake in located.mistakes if mistake.stage == stage.name), None)
            if number <= located.reached and here is None:
                carried = self.own or stage.name in off
                verdicts[stage.name] = correct(stage, Confidence.TRACED, carried=carried)
            elif here is not None:
                verdicts[stage.name] = self._traced_mistake(stage, here, located)
                diverged = True
            elif first_unknown and diverged and isinstance(self.telling.alone, Failed):
                verdicts[stage.name] = not_reached(
                    stage, "`forward` raised an error because of what came before."
                )
            elif first_unknown:
                verdicts[stage.name] = self._first_unknown(stage, located, unset)
                first_unknown, diverged = False, True
            elif stage.name in located.right_later:
                carried = self.own or self._is_fed(stage, verdicts)
                verdicts[stage.name] = correct(stage, Confidence.TRACED, carried=carried)
            elif isinstance(self.telling.alone, Failed) and is_unwritten(self.telling.alone):
                # What comes after the place that the release left to be written is not written either.
                verdicts[stage.name] = raised(stage, self.telling.alone, None)
            elif isinstance(self.telling.alone, Failed):
                verdicts[stage.name] = not_reached(stage, "`forward` raised before it was shown to be right.")
            else:
                verdicts[stage.name] = unlocated(stage)
        return verdicts

    def _traced_mistake(self, stage: Stage, here: Mistake, located: Located) -> StageVerdict:
        name, message = explain([here])
        evidence = {"confidence": str(Confidence.TRACED), "hint": here.hint, **self._shown(self.telling)}
        if here.checkpoint:
            evidence["checkpoint"] = here.checkpoint
        verdict = Verdict.DIVERGES
        if isinstance(self.telling.alone, Failed) and here is located.mistakes[-1]:
            verdict = Verdict.RAISED
            message = f"{message} It raised {self.telling.alone.describe()}"
        return StageVerdict(
            stage=stage.name,
            verdict=verdict,
            mistake=name,
            message=message,
            evidence=evidence,
            case=case_of(self.telling.case),
        )

    def _first_unknown(self, stage: Stage, located: Located, unset: Sequence[str]) -> StageVerdict:
        """The first stage that is neither seen to be right nor explained."""
        if isinstance(self.telling.alone, Failed):
            found = raised(stage, self.telling.alone, self.telling.case)
            why = self._from_call_to_call()
            return replace(found, message=f"{found.message}. {why}") if why else found
        instead = {name: located.instead[name] for name in stage.gives if name in located.instead}
        is_last = stage is self.pipeline.inside[-1]
        confidence = Confidence.TRACED if instead or is_last else Confidence.UNLOCATED
        gives = ", ".join(f"`{name}`" for name in stage.gives)
        evidence: dict[str, Any] = {"confidence": str(confidence), **self._shown(self.telling)}
        described = self._from_call_to_call() or self._described(stage, instead)
        if described:
            evidence["described"] = described
        if unset:
            names = ", ".join(f"self.{name}" for name in unset)
            message = f"`forward` does not use {names} as weights that can be set."
        elif instead:
            other = ", ".join(f"`{name}`" for name in instead)
            message = f"What comes next was given something else than the right {other} ({stage.formula})."
        elif is_last:
            message = f"Every stage before it is right, and {gives} ({stage.formula}) is not."
        else:
            before = "" if stage is self.pipeline.inside[0] else " Every stage before it is right."
            message = (
                f"`forward` gives a wrong result, and is not seen to make the right {gives} ({stage.formula}).{before} "
                "Whether this stage is wrong or only a later one is not to be seen."
            )
        evidence |= self._smallest(stage, (), ())
        return StageVerdict(
            stage=stage.name,
            verdict=Verdict.DIVERGES,
            message=f"{message} {described}".strip(),
            evidence=evidence,
            case=case_of(self.telling.case),
        )

    def _described(self, stage: Stage, instead: dict[str, Sequence[Tensor]]) -> str:
        """In words, what stands in the place of the stage's value, or of the output where the stage gives it."""
        for name, tensors in instead.items():
            pairs = [
                pair
                for (trial, _), tensor in zip(self._followed(), tensors, strict=True)
                if (pair := _pair(trial, name, tensor)) is not None
            ]
            if pairs and any(not same(pair.expected, pair.got) for pair in pairs):
                of = f"`{name}`: " if len(stage.gives) > 1 else ""
                return of + _in_words(name, stage, pairs)
        if self.result in stage.gives:
            outputs = [(t, _pair(t, self.result, _value(t.alone))) for t in self.trials]
            pairs = [pair for _, pair in outputs if pair is not None]
            if pairs and len(pairs) == len(outputs):
                return _in_words(self.result, stage, pairs)
            found = compare(self.telling.trace[self.result], _value(self.telling.alone))
            if found is not None and found.kind == "type":
                return f"`forward` should return {found.expected}, and returns {found.got}."
        return ""

    def _smallest(self, stage: Stage, chosen: Together, sets: Sequence[Together]) -> dict[str, Any]:
        """The smallest case in which the stage shows, as the evidence's entry; empty where none was found."""
        if self.ask is no_more or self._from_call_to_call():
            return {}
        pipeline, shown = self.pipeline, self.telling.alone
        others = tuple(mistake for mistake in chosen if mistake.stage != stage.name)

        def may_show(trace: Trace) -> bool:
            return not chosen or not _alike(pipeline, trace, chosen, others)

        def shows(trial: Trial) -> bool:
            if self.right(trial) or type(trial.alone) is not type(shown):
                return False
            if sets:
                return bool(best(sets, lambda one, t: result_with(pipeline, t.trace, one), [trial]))
            if isinstance(trial.alone, Failed) and isinstance(shown, Failed):
                return trial.alone.error == shown.error
            return _kind_of_difference(trial, self.result) == _kind_of_difference(self.telling, self.result)

        batched = self.telling.case.kind == Kind.BATCHED
        found = smallest_case(pipeline, stage, self.ask, shows, may_show, batched=batched)
        if found is None:
            return {}
        value, right, wrong, before = _at_stage(pipeline, stage, found, chosen)
        evidence = evidence_of(
            stage,
            value,
            found,
            before=before,
            shapes=pipeline.shapes,
            shown=shown_inputs(pipeline, stage),
            expected=found.trace[self.result],
            got=_value(found.alone),
            line_for=(right, wrong),
        )
        return {"smallest": evidence}

    def _stopped(self, stopped: Trial) -> dict[str, StageVerdict]:
        """A call that did not come to its end, put down to the first stage that it is not seen to have reached."""
        self.telling = stopped
        made = Made(stopped.seen or Seen(), None)
        _, paths = follow(self.pipeline, stopped, made)
        located = locate(self.pipeline, [(stopped, made)], paths)
        verdicts: dict[str, StageVerdict] = {}
        # Some stage has to answer for it, though all that the last one gives was made.
        reached = min(located.reached, len(self.pipeline.inside) - 1)
        for number, stage in enumerate(self.pipeline.inside):
            here = next((mistake for mistake in located.mistakes if mistake.stage == stage.name), None)
            if here is not None:
                verdicts[stage.name] = self._traced_mistake(stage, here, located)
            elif number < reached:
                carried = self._is_fed(stage, verdicts)
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


def _in_words(name: str, stage: Stage, pairs: Sequence[Pair]) -> str:
    """What the wrong tensors have in common; where nothing is known of that, how one of them differs.

    That is the worked example's, whose numbers everybody knows.
    """
    described = " ".join(describe_value(name, stage.gives[name], pairs))
    worked = next((pair for pair in pairs if pair.worked), None)
    found = None if worked is None else compare(worked.expected, worked.got, name=name)
    if described or found is None:
        return described
    return f"On the worked example: {found.describe()}."


def _at_stage(
    pipeline: Pipeline, stage: Stage, found: Trial, chosen: Together
) -> tuple[str, Any, Any, Trace]:
    """The stage's value that a mistake changes: its name, what it should be for what it got, what it is; and that."""
    for at, before, values in steps(pipeline, found.case, chosen):
        if at.name == stage.name:
            try:
                right = stage.named(stage.reference(**stage.arguments(before)))
            except Exception:  # noqa: BLE001 - what an earlier mistake gives need not fit this stage at all
                break
            for name in stage.gives:
                if not same(right[name], values[name]):
                    return name, right[name], values[name], before
            break
    name = next(iter(stage.gives))
    return name, found.trace[name], None, found.trace


def _alike(pipeline: Pipeline, right: Trace, one: Together, other: Together) -> bool:
    try:
        return alike(result_with(pipeline, right, one), result_with(pipeline, right, other))
    except Exception:  # noqa: BLE001 - a mistake raises what wrong code raises
        return False


def _kind_of_difference(trial: Trial, result: str) -> tuple[str | None, bool]:
    """Of what kind it is, and whether there are numbers in it at all."""
    got = _value(trial.alone)
    found = compare(trial.trace[result], got)
    return found.kind if found else None, isinstance(got, Tensor) and bool(torch.isfinite(got).all())


def _how_telling(trial: Trial) -> tuple[bool, int, bool, int]:
    """Any number says more than NaN all over, a drawn case more than the worked one, an answer more than an error,
    few numbers more than many."""
    got = _value(trial.alone)
    unreal = isinstance(got, Tensor) and not bool(torch.isfinite(got).any())
    kinds = [Kind.RECTANGULAR, Kind.LARGE, Kind.BATCHED, Kind.WORKED]
    place = kinds.index(trial.case.kind) if trial.case.kind in kinds else len(kinds)
    size = sum(t.numel() for t in trial.case.inputs.values() if isinstance(t, Tensor))
    return unreal, place, not isinstance(trial.alone, Answered), size


def _pair(trial: Trial, name: str, got: object) -> Pair | None:
    expected = trial.trace[name]
    if not isinstance(expected, Tensor) or not isinstance(got, Tensor) or got.is_complex():
        return None
    return Pair(trial.trace, trial.case.sizes, trial.case.kind == Kind.WORKED, expected, got)


def _value(outcome: Outcome) -> Any:
    return outcome.value if isinstance(outcome, Answered) else None
