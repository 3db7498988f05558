"""Whether a text gives instructions to an agent, as planted memories do: OWASP's agentic threats T1 (memory poisoning)
and T6 (intent breaking), in several languages and disguises.

There are two kinds. An *attack* overrides, hides, impersonates or sends away; nobody means that as a memory. A
*directive* tells the agent what to do ("always answer in French"): from the agent's own user it is a preference.
Every pattern is linear.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from hashlib import blake2b
from threading import Lock
from typing import Literal
from urllib.parse import unquote

from service.concurrency.lru import LRUCache
from service.domain.encodings import decoded_base64

Instruction = Literal["attack", "directive"]

CHARACTERS_MAX = 20_000
"""Of a text that are read; the rest of a longer one is read by itself."""
_READINGS_MAX = 8
LOOKALIKES = str.maketrans(
    "асеорхуіјѕԁԛһкмтнвАСЕОРХУІЈЅКМТНВαορνικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aceopxyijsdqhkmthbACEOPXYIJSKMTHBaopvikTABEZHIKMNOPTYX"
)
"""Cyrillic and Greek letters as the Latin ones that they look like (Unicode's confusables, the common ones)."""

_OVERRIDE = (
    r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your"
    r"|system|safety)\b[^.!?\n]{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)"
    r"|constraints?|orders?)\b|\b(?:ignorier|missacht|vergiss|vergesst)\w{0,4}\b[^.!?\n]{0,40}\b(?:anweisung|regel"
    r"|vorgabe|instruktion)\w{0,4}|\b(?:ignor|oubli)(?:e|ez|er)\b[^.!?\n]{0,40}\b(?:instructions?|consignes?"
    r"|r[eè]gles?)\b|\b(?:ignora|olvida|ignore|esquece|dimentica|esqueça)\b[^.!?\n]{0,40}\b(?:instrucciones|reglas"
    r"|instruções|regras|istruzioni|regole)\b|(?:忽略|无视|忘记|無視|忘れ)[^。！？\n]{0,20}(?:指令|指示|说明|說明|规则"
    r"|規則)|(?:指示|命令|ルール)を?[^。\n]{0,8}無視|(?:игнорируй|забудь|проигнорируй)(?:те)?[^.!?\n]{0,40}(?:инструкци"
    r"|указани|правил)\w{0,4}|(?:تجاهل|انس)[^.!؟\n]{0,40}(?:التعليمات|الأوامر|القواعد)"
)
_IMPERSONATION = (
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)[^|\n]{0,20}\|>|\[/?(?:INST|SYS|SYSTEM)\]|<</?SYS>>"
    r"|</?(?:system|system[-_]prompt|instructions?|developer)>|(?:^|\n)\s{0,4}(?:#{1,4}\s{0,2})?(?:\**)(?:system"
    r"|developer|admin(?:istrator)?|root)(?:[ _-](?:message|prompt|note|notice|override|update|instruction)s?)?"
    r"(?:\**)\s{0,2}[:>]|\b(?:i am|this is|i'm|as) (?:your|the) (?:developer|creator|administrator|system administrator"
    r"|openai|anthropic|new owner)\b|\bnew (?:system )?(?:instructions?|directives?|polic(?:y|ies)) (?:from"
    r"|by) (?:the )?(?:admin|system|developer|it|security)\w{0,12}|\b(?:developer|god|debug|dan|admin"
    r"|maintenance) mode (?:is )?(?:on|enabled|activated|engaged)\b|\bjailbr(?:eak|oken)\b"
)
_CONCEALMENT = (
    r"\b(?:do not|don't|never|without)\b[^.!?\n]{0,20}\b(?:tell|telling|mention|mentioning|inform|informing|reveal"
    r"|revealing|alert|show|notify|notifying|asking|warn)\b[^.!?\n]{0,20}\b(?:the )?(?:user|users|human|anyone|anybody"
    r"|owner|customer)\b|\bsilently\b[^.!?\n]{0,40}\b(?:send|forward|copy|call|run|execute|add|approve|transfer|delete"
    r"|include)\b|<!--(?:[^-]|-(?!->)){0,400}\b(?:assistant|agent|ai|llm|model|instruction|must|should|ignore|remember"
    r"|always|never|send)\b|\[//\]: ?#|!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][^)\s]{1,200}=[^)\s]{0,200}\)"
)
_AGENT = r"(?:assistants?|agents?|ai|a\.i\.|llms?|chatbots?|bots?|models?|copilots?)"
_TRIGGER = (
    rf"\b(?:when(?:ever)?|if|once|as soon as|next time|every time|each time|after)\b[^.!?\n]{{0,20}}\b(?:the |any "
    rf"|a )?(?:users?|customers?|someone|anyone|anybody|humans?|{_AGENT})\b(?:(?!\b(?:i|we)\b)[^.!?\n]){{0,80}}\b"
    rf"(?:you (?:must|should|have to|will|need to|are to|shall)|instead|always"
    r"|never|reply with|respond with|answer with|recommend|send|forward|call|run|execute|invoke|transfer|approve|delete"
    r"|append|insert|trust|treat|grant|install|download|visit|click|disclose|share|include|redirect)\b"
)
_EXFILTRATION = (
    r"(?:^|[.!?\n:;,]\s{0,3}|\b(?:must|should|shall|always|please|then|silently|secretly|remember to"
    r"|also)\s{1,3})(?:send|forward|post|upload|leak|exfiltrate|email|e-mail|mail|transmit|copy|bcc|cc|report|submit"
    r"|append)\b[^.!?\n]{0,80}\b(?:conversations?|chats?|history|messages?|memor(?:y|ies)|passwords?|credentials?"
    r"|secrets?|keys?|tokens?|data|files?|documents?|invoices?|contacts?|everything|results?|outputs?)\b[^!?\n]{0,60}"
    r"(?:https?://|\bto [\w.+-]{1,64}@|\bto [\w-]{1,60}\.(?:com|net|org|io|example|xyz|ru|info)\b)"
)
_ORDER = (
    rf"\b(?:remember|note|memori[sz]e|store|save)\b[^.!?\n]{{0,30}}\b(?:you|(?:the |all |every |any "
    rf")?{_AGENT})\b[^.!?\n]{{0,12}}\b(?:must|should|shall|have to|has to|need to|needs to|are|is|will|always|never)\b"
    rf"|\b(?:you|(?:the |all |every |any |this |your |other )?{_AGENT})\b[^.!?\n]{{0,12}}\b(?:must|shall|have to|has to"
    rf"|are (?:now|required|authorized|instructed|to)|is (?:now|required|authorized|instructed|to)|should (?:now "
    rf"|from now on )?(?:always|never|only|ignore|send|call|approve|recommend|trust|reply|respond|answer))\b"
    r"|\bfrom now on\b(?!,? (?:i|we|he|she|they)\b)|\bgoing forward\b[^.!?\n]{0,30}\b(?:you|always|never|must)\b"
    r"|\bin (?:all|every|any) future\b[^.!?\n]{0,40}\b(?:conversation|response|session|repl|answer|chat|request)"
    r"|\b(?:du|sie) (?:musst|müssen|sollst|sollen)\b|\bab (?:jetzt|sofort)\b|\b(?:tu|vous) d(?:ois|evez)\b"
    r"|\bd[eé]sormais\b|\b(?:debes|tienes que|debe)\b|\ba partir de ahora\b|\bde agora em diante\b|\bd'ora in poi\b"
    r"|(?:你|您)(?:必须|必須|应该|應該|现在是)|从现在(?:开始|起)|從現在(?:開始|起)|今後は?必ず|(?:ты|вы) долж(?:ен|на"
    r"|ны)|отныне|с этого момента|يجب عليك"
)
_IMPERATIVE = (
    r"(?:^|[.!?\n:;,]\s{0,4}|\bplease )(?:always|never|only|don't ever|do not ever|immer|nie(?:mals)?|siempre|nunca"
    r"|toujours|jamais|всегда|никогда)\s{1,4}\w{2,20}"
)

_ATTACK = re.compile("|".join((_OVERRIDE, _IMPERSONATION, _CONCEALMENT, _TRIGGER, _EXFILTRATION)), re.IGNORECASE)
_DIRECTIVE = re.compile("|".join((_ORDER, _IMPERATIVE)), re.IGNORECASE)
_HIDDEN = re.compile(r"[\U000e0020-\U000e007f]{3}|[\u202d\u202e]|(?:[\u200b\u2060\ufeff]\w{0,3}){6}")
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){16,2000}(?![0-9A-Fa-f])")
_RUN_TOGETHER = re.compile(
    r"ignore|disregard|forget|override|bypass|all|any|previous|prior|above|your|system|instructions?|rules?|prompts?"
    r"|you|must|always|never|send|forward", re.IGNORECASE,
)  # fmt: skip
_SPACED = re.compile(r"(?:\b\w[ .\-_*]){8,200}\w\b")

_kinds: LRUCache[bytes, tuple[Instruction | None]] = LRUCache(8_192)
"""By the digest of a text: no text outlives its purge here. The event loop and the executor's thread use it. A context
takes .46 of the API's processor time that it takes without."""
_lock = Lock()


def instruction_in(text: str) -> Instruction | None:
    """Return what kind of instruction to an agent a text holds, if any: as it stands, or encoded in it."""
    kinds = {_kind(text[at : at + CHARACTERS_MAX]) for at in range(0, max(1, len(text)), CHARACTERS_MAX)}
    return "attack" if "attack" in kinds else "directive" if "directive" in kinds else None


def _kind(text: str) -> Instruction | None:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    with _lock:
        known = _kinds.get(digest)
    if known is None:
        known = (_recognised(text),)
        with _lock:
            _kinds.put(digest, known)
    return known[0]


def _recognised(text: str) -> Instruction | None:
    if _HIDDEN.search(text):
        return "attack"
    found: Instruction | None = None
    for number, reading in enumerate(_readings(text)):
        if _ATTACK.search(reading) or (number and _DIRECTIVE.search(reading)):
            return "attack"
        if number == 0 and _DIRECTIVE.search(reading):
            found = "directive"
    return found


def _readings(text: str) -> Iterator[str]:
    """Yield the text in plain letters, and what is encoded in it: percent signs, base64, hexadecimal, letters set
    apart."""
    plain = _plain(text)
    yield plain
    if "%" in text and (unquoted := unquote(text)) != text:
        yield _plain(unquoted)
    runs = [match[0] for match in _ENCODED.finditer(text)][:_READINGS_MAX]
    runs += [match[0] for match in _HEX.finditer(text)][:_READINGS_MAX]
    for run in runs:
        for data in (decoded_base64(run), _from_hex(run)):
            if data and (said := _as_text(data)):
                yield _plain(said)
    for match in _SPACED.finditer(plain):
        yield _RUN_TOGETHER.sub(r" \g<0> ", re.sub(r"[ .\-_*]", "", match[0]))


def _plain(text: str) -> str:
    if text.isascii():
        return text
    kept = "".join(sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) != "Cf")
    return kept if kept.isascii() else kept.translate(LOOKALIKES) if _mixes_scripts(kept) else kept


def _mixes_scripts(text: str) -> bool:
    """Return whether a word has Latin letters beside those of another script that look like them."""
    return any(
        any(sign.isascii() and sign.isalpha() for sign in word) and any(ord(sign) in LOOKALIKES for sign in word)
        for word in text.split()
    )


def _from_hex(run: str) -> bytes | None:
    try:
        return bytes.fromhex(run)
    except ValueError:
        return None


def _as_text(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if sum(sign.isprintable() for sign in text) >= len(text) * 0.9 and " " in text else None
