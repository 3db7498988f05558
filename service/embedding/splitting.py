"""Cutting a long text into parts of so many tokens, along its structure (row G5)."""

from __future__ import annotations

from semantic_text_splitter import MarkdownSplitter

_TABLE_OF = "gpt-4o"  # o200k_base, which the splitter carries in its wheel


def split(text: str, *, tokens_max: int, overlap_tokens: int) -> list[str]:
    """The parts of a text or Markdown document, in order, each of at most ``tokens_max`` tokens.

    Cut where headings, paragraphs, sentences or words end, the highest level that fits; each part begins with up to
    ``overlap_tokens`` of the one before. Blocking: some 0.3 s for a megabyte.
    """
    splitter = MarkdownSplitter.from_tiktoken_model(_TABLE_OF, tokens_max, overlap_tokens)
    return splitter.chunks(text)
