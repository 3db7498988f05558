"""Extraction: from turns to candidates, by an LLM or by built-in rules (row D3)."""
