"""Texts to vectors: the embedders (static, local, remote), their cache, and token counting in ``tokens``."""
