"""Calls of language models, kept where a workspace wants it: masked and written behind, so that no call waits.

A crash loses the calls of the last second, and so does what cannot be masked or written: they are statistics. What was
said before a purge is not kept after it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

import structlog

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.pool import Database
from service.domain.field_types import replace_unstorable
from service.domain.ids import new_id
from service.domain.kept_calls import ModelCall
from service.domain.model_calls import ERROR_CHARACTERS_MAX, Exchange, shortened
from service.domain.spending import Payer, Purpose, Usage
from service.errors import Unavailable
from service.privacy.redactor import PiiPolicy, Redactor, RedactorUnavailable
from service.store import model_calls, workspaces
from service.store.settings import workspace_settings

log = structlog.get_logger(__name__)


class ModelCallLog(WriteBehindBuffer):
    """What one process is about to write."""

    def __init__(self, db: Database, redactor: Redactor) -> None:
        super().__init__()
        self._db = db
        self._redactor = redactor
        self._ended: dict[UUID, list[ModelCall]] = {}

    def note(
        self, who: Payer, purpose: Purpose, model: str, at: datetime, ms: float, used: Usage, exchange: Exchange
    ) -> None:
        """Keep a call that has ended, begun at this time."""
        call = ModelCall(
            new_id(), at, who.agent, list(who.owners), who.dream_id, who.key_id, purpose, model, exchange.outcome,
            exchange.error, exchange.attempt, exchange.failover, round(ms), used.prompt_tokens, used.completion_tokens,
            used.cost_usd, exchange.input, exchange.output, len(exchange.input), len(exchange.output),
        )  # fmt: skip
        self._ended.setdefault(who.workspace_id, []).append(call)

    async def write(self) -> None:
        """Mask and write the calls that have ended since the last time."""
        ended, self._ended = self._ended, {}
        for workspace, calls in ended.items():
            try:
                masked = await self._masked(workspace, calls)
                async with self._db.transaction(workspace, track_lsn=False) as connection:
                    if not await workspaces.hold(connection, workspace):
                        continue
                    for call in masked:
                        if await model_calls.admits(connection, workspace, call.at):
                            await model_calls.add(connection, workspace, call)
            except (Unavailable, RedactorUnavailable) as error:
                log.warning("model_calls_not_kept", calls=len(calls), error=error.message)

    async def _masked(self, workspace: UUID, calls: list[ModelCall]) -> list[ModelCall]:
        """The calls with personal data masked where the workspace masks what it stores, and with secrets masked
        always."""
        async with self._db.transaction(workspace, track_lsn=False) as connection:
            masking = (await workspace_settings(connection, workspace)).masking
        policy = replace(PiiPolicy.of(masking, lenient=True), secrets="redact")
        texts = [replace_unstorable(text) for call in calls for text in (call.input, call.output, call.error or "")]
        clean = iter([one.text for one in await self._redactor.redact(texts, policy)])
        return [_with_texts(call, next(clean), next(clean), next(clean)) for call in calls]


def _with_texts(call: ModelCall, input_: str, output: str, error: str) -> ModelCall:
    return replace(
        call, input=shortened(input_), output=shortened(output), error=error[:ERROR_CHARACTERS_MAX] or None,
        input_chars=len(input_), output_chars=len(output),
    )  # fmt: skip
