"""Where the packages of agent frameworks are, each one's in a folder of its own outside the files of the repository."""

from __future__ import annotations

import os
from pathlib import Path

from tests.processes import ROOT

ENVIRONMENTS = Path(os.environ.get("REVERIE_INTEGRATIONS") or ROOT / ".integrations")
IS_INSTALLING = os.environ.get("INSTALL_INTEGRATIONS") == "1"
"""Whether what is missing is installed; else its tests are skipped."""
