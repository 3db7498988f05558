"""Every call of the API, written down once: how it is asked, and what it answers. Both clients are made of these.

A new endpoint gets a function here, in the module of what it is about, and a line in ``reverie_client.api``.
"""

from reverie_client.calls import (
    agents,
    deletions,
    graph,
    memories,
    pages,
    saved_searches,
    sessions,
    users_documents,
    workspace,
)

MODULES = (memories, sessions, agents, pages, saved_searches, deletions, graph, users_documents, workspace)
