"""The wire formats that the proxy serves."""

from __future__ import annotations

from typing import Final

from service.proxy.chat_completions import ChatCompletions
from service.proxy.messages import Messages
from service.proxy.responses import Responses
from service.proxy.wire_format import WireFormat

CHAT_COMPLETIONS: Final[WireFormat] = ChatCompletions()
RESPONSES: Final[WireFormat] = Responses()
MESSAGES: Final[WireFormat] = Messages()
