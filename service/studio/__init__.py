"""The Studio: pages at ``/studio`` to see what agents remember and what they dreamed.

It speaks to the API as any client does, with the key of whoever has signed in: no SQL, and nothing that the key may
not see. Nothing of it is imported before somebody opens it.
"""
