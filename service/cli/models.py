"""Local embedding models, fetched on request: the service itself downloads none."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.output import AsJson, emit, new_cli

cli = new_cli("Local embedding models.")


@cli.callback()
def _group() -> None:
    """Local embedding models."""


@cli.command()
def get(
    name: Annotated[str, typer.Argument(help="one that fastembed knows")] = "all-MiniLM-L6-v2", as_json: AsJson = False
) -> None:
    """Download a local embedding model, which EMBEDDING_MODEL=local:NAME then names."""
    from service.embedding.sources import cache_folder, download_model

    model, folder = download_model(name), str(cache_folder())
    emit(
        as_json,
        {"model": model, "folder": folder},
        f"{model} is in {folder}, which FASTEMBED_CACHE_PATH sets. EMBEDDING_MODEL=local:{name} names it.",
    )
