"""What the Studio costs where nobody looks at it: nothing."""

from __future__ import annotations

import subprocess
import sys

from service.settings import Settings
from tests.live_api import serving

START = """
import sys
from service.app import create_app
from service.settings import Settings

create_app(Settings(DATABASE_URL="postgresql://nowhere/none", _env_file=None))
sys.exit("nicegui" in sys.modules)
"""


def test_an_api_that_nobody_has_opened_the_studio_of_has_not_loaded_it() -> None:
    assert subprocess.run([sys.executable, "-c", START], check=False, timeout=120).returncode == 0


async def test_switched_off_it_is_not_there(settings: Settings) -> None:
    async with serving(settings.model_copy(update={"studio": False})) as api:
        for path in ("/studio", "/studio/", "/studio/sign-in", "/studio/import"):
            assert (await api.http.get(path)).status_code == 404
