"""Chat: a client of OpenAI-compatible chat servers."""

from coworkgym.chat.client import ChatClient
from coworkgym.chat.completion import Completion
from coworkgym.chat.refusal import ChatError

__all__ = ["ChatClient", "ChatError", "Completion"]
