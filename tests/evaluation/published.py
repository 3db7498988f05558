"""Small sets in the form in which their authors publish the large ones, made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def write(path: Path, content: Any) -> Path:
    """A JSON file; its folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def locomo() -> list[Json]:
    """Two people over two sessions, a picture, and questions whose evidence is written in all the ways that occur."""

    def turn(id_: str, speaker: str, text: str, **more: str) -> Json:
        return {"speaker": speaker, "dia_id": id_, "text": text} | more

    said = {
        "speaker_a": "Noor",
        "speaker_b": "Piet",
        "session_1_date_time": "9:05 am on 3 March, 2024",
        "session_1": [
            turn("D1:1", "Noor", "I adopted a greyhound called Bolt yesterday"),
            turn("D1:2", "Piet", "No way! Look at mine", blip_caption="a cat on a sofa", img_url="x"),
            turn("D1:3", "Noor", "cute. im moving to Utrecht next month btw"),
        ],
        "session_2_date_time": "11:40 pm on 17 April, 2024",
        "session_2": [
            turn("D2:1", "Piet", "How is the new place?"),
            turn("D2:2", "Noor", "Utrecht is lovely, my street is Oudegracht"),
            turn("D2:3", "Piet", "I started learning the oboe"),
        ],
        "session_10_date_time": "1:00 pm on 2 May, 2024",
        "session_10": [turn("D10:1", "Piet", "The oboe is really hard")],
        "session_11_date_time": "1:00 pm on 3 May, 2024",
        "session_11": [],
    }
    qa = [
        {"question": "What is Noor's dog called?", "answer": "Bolt", "evidence": ["D1:1"], "category": 4},
        {"question": "Where does Noor live?", "answer": "Utrecht", "evidence": ["D1:3; D2:2"], "category": 1},
        {"question": "When did Piet start the oboe?", "answer": 2024, "evidence": ["D:2:03"], "category": 2},
        {"question": "What is Piet's dog called?", "adversarial_answer": "Bolt", "evidence": ["D1:2"], "category": 5},
        {"question": "Would Noor like to run?", "answer": "Likely", "evidence": ["D9:9", "D"], "category": 3},
    ]
    return [{"sample_id": "conv-7", "conversation": said, "qa": qa, "observation": {}, "session_summary": {}}]


def realtalk() -> Json:
    """A chat with times per message, and a message that is a picture alone."""

    def message(id_: str, speaker: str, text: str, at: str, **more: str) -> Json:
        return {"clean_text": text, "speaker": speaker, "date_time": at, "dia_id": id_} | more

    return {
        "name": {"speaker_1": "Ana", "speaker_2": "Bo"},
        "session_1": [
            message("D1:1", "Ana", "heyy r u up", "29.12.2023, 20:09:05"),
            message("D1:2", "Bo", "", "29.12.2023, 20:11:00", blip_caption="a bowl of ramen"),
            message("D1:3", "Bo", "", "29.12.2023, 20:11:02"),
        ],
        "session_1_date_time": "29.12.2023, 20:09:05",
        "events_session_1": {"Ana": [], "date": "29.12.2023"},
        "qa": [{"question": "What did Bo eat?", "answer": "ramen", "evidence": ["D1:2"], "category": 1}],
    }


def longmemeval(kind: str = "") -> list[Json]:
    """A question with two sessions, in the second of which the user says the answer."""
    return [
        {
            "question_id": f"q1{kind}",
            "question_type": "single-session-user",
            "question": "Which bank did I choose?",
            "answer": "Triodos",
            "question_date": "2023/06/01 (Thu) 10:00",
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/25 (Thu) 14:00"],
            "haystack_session_ids": ["noise_1", "answer_2"],
            "answer_session_ids": ["answer_2"],
            "haystack_sessions": [
                [{"role": "user", "content": "How tall is K2?"}, {"role": "assistant", "content": "8,611 m."}],
                [
                    {"role": "user", "content": "I went with Triodos\0 in the end.", "has_answer": True},
                    {"role": "assistant", "content": "Good choice.", "has_answer": False},
                    {"role": "user", "content": " "},
                ],
            ],
        }
    ]


def beam_chat() -> list[Json]:
    """Two batches, a date that holds on, and the marks of the plan."""
    return [
        {
            "batch_number": 1,
            "turns": [
                [
                    {"role": "user", "id": 0, "time_anchor": "March-15-2024", "index": "1,1",
                     "content": "The sprint ends on March 29. ->-> 1,1"},
                    {"role": "assistant", "id": 1, "content": "Noted."},
                ]
            ],
        },
        {"batch_number": 2, "turns": [[{"role": "user", "id": 2, "content": "Ship it with Flask 2.3.1 ->-> 2,1"}]]},
    ]  # fmt: skip


def beam_questions() -> dict[str, list[Json]]:
    """Of four kinds, which name answers and sources differently."""
    return {
        "abstention": [{"question": "Who is my manager?", "ideal_response": "It was not said.", "rubric": []}],
        "information_extraction": [
            {"question": "When does the sprint end?", "answer": "March 29", "source_chat_ids": [0], "rubric": ["x"]}
        ],
        "contradiction_resolution": [
            {"question": "Which Flask?", "ideal_answer": "2.3.1",
             "source_chat_ids": {"first_statement": [0], "second_statement": [2, 99]}}
        ],
        "instruction_following": [{"question": "How?", "expected_compliance": "With versions", "source_chat_ids": []}],
    }  # fmt: skip


def convomem() -> Json:
    """An item whose evidence is one message of the second chat, written a little differently."""
    return {
        "evidence_items": [
            {
                "question": "What is the budget?",
                "answer": "7k",
                "category": "Budgeting",
                "message_evidences": [{"speaker": "User", "text": "make the  budget 7k"}],
                "conversations": [
                    {"id": "c1", "messages": [{"speaker": "User", "text": "hello"}]},
                    {
                        "id": "c2",
                        "containsEvidence": True,
                        "messages": [
                            {"speaker": "Assistant", "text": "What about the budget?"},
                            {"speaker": "User", "text": "Make the budget 7k"},
                        ],
                    },
                ],
            }
        ]
    }
