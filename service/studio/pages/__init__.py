"""One module per page; each has ``add``, which puts it in its place."""
