"""The Studio at ``/studio``: the built files of the single-page application, and the sessions of its visitors.

Its pages call ``/v1`` as any client does: no SQL here, and nothing that the key of the visitor may not see.
"""
