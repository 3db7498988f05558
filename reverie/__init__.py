"""The command ``reverie``, over the service and the worker."""
