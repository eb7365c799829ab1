"""An agent as its user declares it, and the ways to run it.

Source: docs/agents.md.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from treadle.adapters.system import RandomIds, SystemClock
from treadle.adapters.toolboxes.functions import FunctionToolbox
from treadle.app.registry import model_named
from treadle.errors import PlanError, RunFailedError, StateError
from treadle.plan.agent_plan import DEFAULT_TEXT_FILTERS, DEFAULT_TOOL_TIMEOUT_S, AgentPlan, AnyTool, compile_plan
from treadle.plan.output import output_schema
from treadle.ports.model import Model
from treadle.projections.typed.closing import typed_of
from treadle.projections.typed.events import StreamEvent
from treadle.runtime.attach import attach
from treadle.runtime.attached import AttachedRun, RunParts
from treadle.runtime.reader import Reader
from treadle.runtime.result import RunOutcome, RunResult
from treadle.runtime.served import ServedAgent
from treadle.values.events import KernelEvent
from treadle.values.ids import ThreadId
from treadle.values.limits import DEFAULT_LIMITS, Limits, Retries, RunRules
from treadle.values.pauses import PauseRules
from treadle.values.requests import Attachment, HistoryMessage, TurnRequest


class Agent:
    """A model, its instructions and its tools.

    Shape: `model` is a name (`local`, `scripted:FILE`, `openai-chat:NAME`) or an object with the model port;
    `text_filters` are names of `think`, `block`, `citation`, `redact`, or filter objects.

    Raises:
        PlanError: The agent cannot run; all problems are told at once.
    """

    def __init__(  # noqa: PLR0913 (one for each thing it is made of)
        self,
        *,
        name: str,
        model: str | Model,
        instructions: str | None = None,
        tools: Sequence[AnyTool | Callable[..., Any]] = (),
        text_filters: Sequence[Any] = DEFAULT_TEXT_FILTERS,
        limits: Limits = DEFAULT_LIMITS,
        retries: Retries | None = None,
        tool_timeout_s: float | None = DEFAULT_TOOL_TIMEOUT_S,
    ) -> None:
        found, problems = _model(model)
        try:
            self.plan: AgentPlan = compile_plan(
                name=name,
                instructions=instructions,
                tools=tools,
                text_filters=text_filters,
                limits=limits,
                retries=retries or Retries(),
                tool_timeout_s=tool_timeout_s,
            )
        except PlanError as refused:
            raise PlanError((*refused.problems, *problems)) from None
        if found is None:
            raise PlanError(problems)
        self.model: Model = found
        self._toolbox = FunctionToolbox(self.plan.tools)
        self._clock, self._ids = SystemClock(), RandomIds()

    @property
    def name(self) -> str:
        """What the agent is called."""
        return self.plan.name

    def with_model(self, model: str | Model) -> Agent:
        """The same agent with another model."""
        return self._changed(model=model_named(model) if isinstance(model, str) else model)

    def with_limits(self, limits: Limits) -> Agent:
        """The same agent within other limits."""
        return self._changed(plan=replace(self.plan, limits=limits))

    def with_pauses(self, pauses: PauseRules) -> Agent:
        """The same agent, whose pauses are open for another time, or end in another way when nobody answers them."""
        return self._changed(plan=replace(self.plan, pauses=pauses))

    def with_output(self, output: Any) -> Agent:  # noqa: ANN401 (a schema or a type)
        """The same agent, whose answer is one JSON object that fits this JSON schema, or the one of this type.

        Raises:
            PlanError: That is no such schema, or demands what is not checked.
        """
        schema, problems = output_schema(output)
        if problems:
            raise PlanError(problems)
        return self._changed(plan=replace(self.plan, output=schema))

    async def run(
        self,
        prompt: str,
        *,
        history: Sequence[HistoryMessage] = (),
        attachments: Sequence[Attachment] = (),
        thread_id: str = "",
    ) -> RunResult:
        """Run to the end and give what it came to. It returns for `done`, `paused` and `cancelled`.

        Raises:
            RunFailedError: The run ended `error`; `result` holds what was shown until then.
        Cancel:  The run is cancelled, and what it holds is given back, before the cancellation is raised.
        """
        request = self._request(prompt, history, attachments, thread_id)
        parts = self._attached(request, read=False)
        async with AttachedRun(parts, Reader[KernelEvent](parts.runs, parts.request.run_id, None)) as run:
            await run.wait()
        result = run.result
        if result.outcome is RunOutcome.ERROR and result.error is not None:
            said = f"run {result.run_id} ended with error {result.error.code!r}, reference {result.error.reference!r}"
            raise RunFailedError(said, result=result) from run.failure
        return result

    def run_sync(
        self,
        prompt: str,
        *,
        history: Sequence[HistoryMessage] = (),
        attachments: Sequence[Attachment] = (),
        thread_id: str = "",
    ) -> RunResult:
        """`run` for code without an event loop.

        Raises:
            StateError: An event loop is running in this thread; await `run` instead.
            RunFailedError: As `run`.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise StateError("run_sync was called inside a running event loop; use `await agent.run(...)` there")

        async def once() -> RunResult:
            try:
                return await self.run(prompt, history=history, attachments=attachments, thread_id=thread_id)
            finally:
                await self.model.aclose()

        return asyncio.run(once())

    def stream(
        self,
        prompt: str,
        *,
        history: Sequence[HistoryMessage] = (),
        attachments: Sequence[Attachment] = (),
        thread_id: str = "",
    ) -> AttachedRun[StreamEvent]:
        """The run as typed events; every ending is exactly one `ResponseComplete`, last. Nothing is raised for it.

        Use it as `async with agent.stream(...) as stream: async for event in stream: ...`.
        """
        parts = self._attached(self._request(prompt, history, attachments, thread_id), read=True)
        return AttachedRun(parts, Reader(parts.runs, parts.request.run_id, typed_of))

    def events(
        self,
        prompt: str,
        *,
        history: Sequence[HistoryMessage] = (),
        attachments: Sequence[Attachment] = (),
        thread_id: str = "",
    ) -> AttachedRun[KernelEvent]:
        """The run as kernel events, the closing event last. Used as `stream` is."""
        parts = self._attached(self._request(prompt, history, attachments, thread_id), read=True)
        return AttachedRun(parts, Reader[KernelEvent](parts.runs, parts.request.run_id, None))

    def served(self) -> ServedAgent:
        """The agent as a worker knows it."""
        # The name is in it: two agents may differ in nothing else, and neither may run what the other was asked.
        return self._served(f"{self.plan.name}@{self.plan.fingerprint(model=self.model.name)}")

    def _served(self, fingerprint: str) -> ServedAgent:
        plan = self.plan
        return ServedAgent(
            name=plan.name,
            plan=fingerprint,
            model=self.model,
            toolbox=self._toolbox,
            rules=RunRules(agent=plan.name, model=self.model.name, limits=plan.limits, retries=plan.retries),
            instructions=plan.instructions,
            filters=plan.text_filters,
            pauses=plan.pauses,
            output=plan.output,
        )

    async def aclose(self) -> None:
        """Give back what the model holds (connections, threads)."""
        await self.model.aclose()

    def _changed(self, **parts: Model | AgentPlan) -> Agent:
        changed = copy.copy(self)
        changed.__dict__.update(parts)
        return changed

    def _request(
        self, prompt: str, history: Sequence[HistoryMessage], attachments: Sequence[Attachment], thread_id: str
    ) -> TurnRequest:
        if not prompt.strip():
            raise PlanError((f"a prompt needs text, came {prompt!r}",))
        run_id = self._ids.run_id()
        return TurnRequest(
            prompt=prompt,
            attachments=tuple(attachments),
            history=tuple(history),
            run_id=run_id,
            root_run_id=run_id,
            thread_id=ThreadId(thread_id),
        )

    def _attached(self, request: TurnRequest, *, read: bool) -> RunParts:
        # Nobody else takes an attached run over, so nobody asks which plan it is of.
        return attach(request=request, served=self._served(""), clock=self._clock, read=read)


def _model(given: str | Model) -> tuple[Model | None, tuple[str, ...]]:
    """The model, or why there is none."""
    if isinstance(given, str):
        try:
            return model_named(given), ()
        except PlanError as refused:
            return None, refused.problems
    if not callable(getattr(given, "ask", None)) or not isinstance(getattr(given, "name", None), str):
        return None, (f"a model is a name such as 'local', or an object with `name` and `ask`, not {given!r}",)
    return given, ()
