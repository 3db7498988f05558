"""Keeping personal data out of storage, embeddings, logs and prompts."""
