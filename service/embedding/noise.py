"""How similar an embedder finds texts that have nothing to do with each other: its noise level.

Measured on questions and statements of different subjects, never on what is stored: the same model has the same level
everywhere, and one that is not known here is measured by one call, which a worker makes. A search takes a similarity up
to this level for chance.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from service.embedding.base import Embedder
from service.embedding.storage import base_signature

QUANTILE: Final = 0.99
"""Of the similarities of unrelated pairs."""

_KNOWN: Final = {"static:wordllama-l2_supercat:256": 0.2044, "local:all-MiniLM-L6-v2:384": 0.3118}
"""By signature, as measured."""

QUESTIONS: Final = (
    "What is the pressure of the boiler valve?",
    "Where did Ines go to school?",
    "Which bird sings in the garden at dawn?",
    "How many pages does the annual report have?",
    "When does the ferry to the island leave?",
    "Who painted the mural in the station hall?",
    "Does Pavel take sugar in his coffee?",
    "What did the dentist say about the crown?",
    "Which chess opening does Rosa prefer?",
    "How long does the bread dough have to rest?",
    "What was the score of the handball final?",
    "Why did the compiler reject the template?",
    "Whom did the committee elect as treasurer?",
    "Which vaccine does the puppy still need?",
    "How deep is the well behind the barn?",
    "What colour are the curtains in the nursery?",
    "Is the choir rehearsing on Thursday?",
    "How much rent does the bakery pay?",
    "What did grandmother keep in the cedar chest?",
    "Which telescope did Amir order?",
)
STATEMENTS: Final = (
    "The wifi password is written on the back of the router.",
    "Lena runs half marathons in the mountains.",
    "We ship the release on Friday after the security review.",
    "My sister moved to Lisbon to study architecture.",
    "The invoice for the printer was paid twice by mistake.",
    "He is allergic to peanuts and carries an injector.",
    "The quarterly budget for marketing is sixty thousand euros.",
    "She adopted a grey cat named Biscuit from the shelter.",
    "I prefer answers in bullet points without any emojis.",
    "The database runs on version eighteen with two replicas.",
    "They visited a volcano in Iceland during the honeymoon.",
    "Tom plays bass guitar in a jazz trio on weekends.",
    "The car needs new tyres before the winter.",
    "Our flight was cancelled because of the storm.",
    "The museum is closed on Mondays and public holidays.",
    "I finished the novel about the lighthouse keeper yesterday.",
    "The doctor told him to walk an hour every day.",
    "Nora wants to open a flower shop next spring.",
    "The solar panels produce less than the supplier promised.",
    "We agreed to call customers before raising any price.",
)


def known_noise(signature: str) -> float | None:
    """The noise level of the embedder of this signature, if it need not be measured."""
    return _KNOWN.get(base_signature(signature))


async def noise_level(embedder: Embedder, deadline_s: float | None = None) -> float:
    """The similarity that ``QUANTILE`` of unrelated pairs do not exceed. Raises as ``Embedder.embed``."""
    vectors = await embedder.embed([*QUESTIONS, *STATEMENTS], deadline_s)
    asked, stated = vectors[: len(QUESTIONS)], vectors[len(QUESTIONS) :]
    return round(float(np.quantile(asked @ stated.T, QUANTILE)), 4)
