"""What a sentence must not be: a question, a hypothetical, another person's words, sarcasm, small talk."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worker.dreaming.extract.lexicon import BLAND, STOPWORDS
from worker.dreaming.extract.sentences import SPEECH

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,:/]*")

_ASKS = re.compile(
    r"^(?:what|how|why|who|whose|which|can|could|would|do|does|did|is|are|was|were|have|has|will|should|shall|am"
    r"|any|ready)\b"
    r"(?! (?:you|it) (?:believe|imagine))",
    re.IGNORECASE,
)
_WHEN_ASKS = re.compile(
    r"^(?:when|where)\b (?:is|are|was|were|do|does|did|can|could|will|would|should|have"
    r"|has)\b",
    re.I,
)
_TRAILING_QUESTION = re.compile(
    r"(?:[,;]| -|\s–|\s—)\s?(?:and |so |but |or )?(?:can|could|would|will|do|does|did|is|are|have|what|what's|how"
    r"|which|where"
    r"|when|why|any|who|should|was)\b (?:\w|'){1,20}",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|hypothetically|wish|wishing|were to|would've|would have"
    r"|could have"
    r"|could've|should have|should've|in theory|let's say|assuming|in case|provided that|had i"
    r"|wonder|wondering|for example|e\.g|as a joke|just kidding|jk|kidding)\b|^.{0,40}\b(?:might|maybe|perhaps"
    r"|possibly)\b",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"(?:\b(?:i|we)|^(?:\w+ )?(?:that|it|this|they|he|she))(?:'d| would)(?:n't| not)? (?!(?:really |absolutely "
    r"|also )?(?:like|love|prefer|rather"
    r"|be (?:happy|glad) if|been|had|never been|always)\b)(?!\w{2,12}ed\b)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<![\w'])'*+(?P<who>[\w']++)(?: (?:always|often|just|also|once|never|usually|even|still))? (?:says?|said|claims?"
    r"|claimed|insists?"
    r"|insisted|swears?|swore|thinks?|believes?|reckons?|argues?|argued|texted|quoted|joked|wrote that|writes that"
    r"|told (?:me|us|him|her|them|everyone)|tells? (?:me|us|him|her|them|everyone)|asked (?:me|us)|likes to say)\b",
    re.IGNORECASE,
)
_OTHER_VOICE = re.compile(
    r"\b(?:according to|as they say|the saying goes|quote|in the words of|in the (?:movie"
    r"|book|song),)\b",
    re.I,
)
_SCRIPT_LINE = re.compile(
    r"^(?!(?:Note|Update|Decision|Todo|Reminder|Fact|Goal|Plan|Edit|Correction|Preference|Answer|Context|Background)\b)"
    r"[A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?:\s"
)
_SARCASM = re.compile(
    r"(?:^|\s)/s(?:\s|$)|🙄|\byeah,? right\b|\bjust what i needed\b|\boh,? (?:great|joy|fantastic|perfect|wonderful)\b"
    r"|\bsaid no one ever\b|\bas if\b|\bnot!$|\bsure, because\b|\bthanks for nothing\b|\bhow original\b",
    re.IGNORECASE,
)

_SMALL_TALK = re.compile(
    r"""^(?:
      (?:i(?:'m|\sam)\s|we(?:'re|\sare)\s|always\s|so\s|really\s)*+(?:so\s|really\s|super\s|just\s|very\s|always\s
          |also\s|truly\s|too\s)*
        (?:glad|happy|sorry|proud|excited|thrilled|stoked|pumped|jealous|rooting|impressed|delighted|sure|certain
            |confident|curious
          |grateful|thankful|here|all\sears|with\syou|down|in|game|on\sit|good|fine|ok|okay|back|ready)\b
        (?:(?:\s(?:to|for|of|that|with|about|by|at|it|you|your|to\shear|to\ssee|everyone|things?|all|now
            |then))*[\s.,!]*$
          |\s(?:to\shear|to\ssee|to\sshare|to\shelp|to\sknow|to\sbe\shere|to\shave\syou|for\syou|of\syou|you|your
              |that\syou|it|they|that\sit
              |there\sfor|that's|everyone|for\s(?:him|her|them)|of\s(?:him|her|them)))
    | (?:i'm|i\sam)\s(?:pretty\s|quite\s)?sure\b
    | (?:i'm|i\sam|we're)\s(?:so\s|really\s|very\s)*sorry\b
    | (?:reminds|makes|means|gives|brings|keeps|helps|feels|gets|takes|goes|shows|depends|works|says|tastes|smells)\s
    | we\s(?:should|could|need\sto|must|can)\b
    | i\s(?:[\w%]+\s)?(?:agree|understand|hear|get\sit|bet|guess|wonder|mean|know|see\sthat|see\swhat|see\swhy
        |see\show|hope\s(?:so|it|that|they|to\shear)
        |appreciate\s(?:it|that|your?|the\s(?:kind|support|encourage))|relate|feel\syou|can\s(?:see|imagine
            |relate|tell|understand|totally)
        |can't\s(?:thank|believe|agree|argue|say|tell|imagine)|couldn't|could|should|owe|admire|respect\s(?:that
            |your?)
        |have\sto\s(?:say|admit|agree|go|run|check|try|tell)|need\sto\s(?:hear|know|see|go|run|check\s(?:it|that
            |this))|must\s(?:say|admit)|gotta\s(?:say|admit|go|run|try|hear|see)
        |was\s(?:just\s)?(?:wondering|hoping\syou|going\sto\sask)|wanted\sto\s(?:ask|check|see|say)
            |want\sto\s(?:know|hear|see\sit)
        |believe\sin\s(?:you|us)|thought\s(?:so|you|i'd|i\swould)|look\sforward|stand\sby|don't\sknow
            |don't\s(?:doubt|blame|think\sso|mind)|think\sso|feel\sthat|love\s(?:that|this|it|how|you|your
            |the\sway|hearing|seeing)|like\s(?:that|this|it|how|your?|the\sway)
        |(?:'ll|\swill)\b)
    | i'll\s(?:be\s(?:here|there|sure)|definitely\s(?:check|try|give|let|keep)|let|check|try|keep|take|do|see
        |give|send|think|make\ssure|have\sto|never\sforget|look|talk|remember|always\sbe)
    | we'll\s(?:see|talk|do|make|be|keep|get) | we\s(?:got|have|can)\s(?:this|each|do)
    | (?:let's|lets)\s(?!go\swith|use|stick|settle|choose|pick|switch|make\sit|adopt|ship|move\sto|keep\s(?:the|it)\s)
    | (?:thanks|thank|thx|cheers|congrats|congratulations|kudos|props|hats\soff|good\sluck|good\sjob|great\sjob
        |well\sdone|nice\swork|great\swork
        |way\sto|keep|take\scare|talk\s(?:to|soon)|see\s(?:you|ya)|catch|bye|goodbye|have\s(?:a|fun)|enjoy
            |let\sme|tell\sme|look\sat|check\s(?:out|this|it)
        |take\sa\slook|hope|can't|here(?:'s|\sis|\sare)|good\sto|great\sto|nice\sto|long\stime|been\sa\swhile
            |hang\sin|stay|believe|never\sgive|go\sfor\sit
        |you|your|ya|y'all|you're|you've|you'll|sounds|sound|looks|look|seems|glad|love\s(?:it|that|this|the
            |those|your?|how|to)|loving|that|that's
            |those|these(?!\sdays)|this(?!\s(?:week|weekend|month|year|morning|afternoon|evening|summer|winter|spring|fall)\b)|it's\s(?:great|good|awesome|nice|amazing
            |so\s|really|true|always|okay|ok|all)
        |what\sa|such\sa|no\s(?:worries|problem|doubts?|way|wonder)|same\shere|me\stoo|likewise|ditto|same|agreed
            |i'm\shere|welcome|wishing|sending|say|don't|please\s(?!always|never|call|remember|use|keep|remind)
        |everything|everyone|every|life|one\sday|appreciate|sorry|anytime|any\stime|happy\s(?:to|for|birthday
            |new)|woah|whoa|haha|lol|there's\snothing|nothing|remember)\b
    | (?:(?:really|also|always|absolutely|just|totally|do)\s)*(?:i\s(?:\w+\s)?)?(?:love|like|enjoy|adore|loved
        |liked|loving)\s(?:all\s)?(?:the|those)\s
        (?!ocean|beach|mountains?|outdoors|sea|city|rain|snow|country|night|theat|gym|piano|guitar|violin|game
            |sun|winter|summer|fall|spring
          |\w+\s(?:book|movie|film|series|show|band|song|album))
    | it\b(?!\swas\s(?:decided|agreed)|\shas\sbeen\s(?:a|my)\sdream) | they\b | he\b | she\b
    | it'(?:s|ll|d)\b(?!(?:\s(?!a\b|an\b|the\b|my\b|like\b|just\b|been\b)\w+){1,3}\s(?:to|that|when|how|knowing
        |seeing|having|being)\b)(?!\sbeen\s(?:a|my)\sdream) | they'\w+\b | (?:he|she)'\w+\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_NOTHING = re.compile(
    r"""
      \bwe\scan\s(?:really\s|all\s|always\s|both\s)*(?:make|build|do|create|achieve|show|change|help|learn|grow|find|reach
        |overcome|conquer|be)\b
    | ^(?:together|someday|one\sday|in\sthe\send),?\swe\b
    | ^(?:so\s)?we(?:'ll|\swill)\s(?:rock|make|get|do|be|always|all|keep|stay|figure|find|crush|kill)\b
    | ^we\s(?:all|(?:both\s)?(?:work|go|make|look|fit)\s(?:so\s|really\s|very\s)?(?:well|great|good))\b
    | ^(?!.*\b(?:i|my|me)\b)[^,;]{0,60}\b(?:bring|give|show|teach|force|remind|make|help|connect|let|humbl|inspir
        |push|keep|unit)(?:e|s|es|ing|ly)?\sus\b
    | \b(?:taking\scare\sof|connect(?:s|ing)?\swith|expressing)\sourselves\b
    | ^(?:nothing|(?:i\s)?(?:won't|not\sgonna|not\sgoing\sto)\slet\s(?:any|some)(?:thing|one))\b
    | ^(?:and\s|so\s|just\s)*(?:something|some\sstuff|lots?(?:\sof\s\w+)?|so\smuch|a\slot|crazy\s(?:stuff|things?)
        |a\sfew\sthings?|things)(?:\s\w+)?(?:'s|\shas|'ve|\shave)?(?:\sbeen)?\s(?:happened|going\son|changed)\b
    | ^rest\sassured\b
    | ^(?:i(?:'ve|\shave)\s)?been\s(?:quite\s|such\s)?an?\s(?:\w+\s)?
        (?:ride|journey|rollercoaster|while|week|day|month|year)\b
    | ^(?:i|i've|we|we've)(?:\shave)?\s(?:had|got)\s(?:a\slot|so\smuch|lots)(?:\sof\s(?:things|stuff))?
        \s(?:going\son|happening)\b
    | ^i(?:'m|\sam)\sdoing\s(?:ok|okay|well|good|great|fine|alright)\b
    | ^(?:yes,?\s|no,?\s)?(?:i|we)\s(?:do|did|have|am|are|was|were|will|can|would)(?:n't)?\s?[-–—,.!]
    | ^(?:since|because|'cause|while|until|as\ssoon\sas|as\slong\sas)\s[^,;–—]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REQUEST = re.compile(
    r"\b(?:looking for|need|want|like|love|appreciate|searching for)\b (?:\w+ ){0,3}(?:advice|tips"
    r"|recommendations?|suggestions?|help|ideas"
    r"|information|info|guidance|to know|your help|assistance|an explanation|more details|to ask|to hear)\b",
    re.IGNORECASE,
)
_ADDRESSES = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd|ya|y'all|u)\b", re.IGNORECASE)
_HARMLESS_ADDRESS = re.compile(
    r"(?:\bi )?(?:just )?\b(?:wanted?|have|had) to (?:let you know|tell you)(?: that)? (?=(?:i|we|my|our)\b)"
    r"|,? ?\b(?:as you know|you know|thank you(?: so much)?)\b,? ?",
    re.IGNORECASE,
)
_TELLS = re.compile(r"\b(?:tell|to share with) you (?=about\b|some\b)", re.IGNORECASE)


def words(sentence: str) -> list[str]:
    """Lower-case words and figures of a sentence, apostrophes straightened."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]


def content_words(sentence_words: Sequence[str]) -> list[str]:
    """The words that carry news: neither function words nor bland praise."""
    return [word for word in sentence_words if word not in STOPWORDS and word not in BLAND and len(word) > 1]


def statement_of(sentence: str) -> str | None:
    """The stated part of a sentence; None for a question.

    "I've been baking bread, can you suggest a flour?" states its first part.
    """
    bare = sentence.rstrip('"”’)]* ')
    if "?" not in bare:
        return None if _ASKS.match(bare) or _WHEN_ASKS.match(bare) else sentence
    cut = _TRAILING_QUESTION.search(bare)
    if cut is None or _ASKS.match(bare) or not re.match(r"(?:i|my|we|our)\b", bare, re.IGNORECASE):
        return None
    return bare[: cut.start()] + "."


def is_unreliable(sentence: str) -> bool:
    """Hypothetical, or not the speaker's own statement."""
    if SPEECH in sentence or _HYPOTHETICAL.search(sentence) or _CONDITIONAL.search(sentence):
        return True
    if _OTHER_VOICE.search(sentence) or _SCRIPT_LINE.match(sentence):
        return True
    reported = _REPORTED.search(sentence)
    return reported is not None and reported["who"].lower() not in ("i", "we", "to")


def is_sarcastic(sentence: str) -> bool:
    """Whether the sentence, openings included ("Yeah right, …"), says the opposite of what it means."""
    return bool(_SARCASM.search(sentence))


def is_small_talk(sentence: str) -> bool:
    """Greeting, praise, thanks, agreement, what holds of everyone, or a request to the assistant; interjections already
    removed."""
    return bool(_SMALL_TALK.match(sentence) or _SAYS_NOTHING.search(sentence) or _REQUEST.search(sentence))


def addresses_listener(sentence: str) -> bool:
    """Whether the sentence is about the person spoken to; harmless address already removed."""
    return bool(_ADDRESSES.search(sentence))


def without_address(sentence: str) -> str:
    """The sentence without "you know", "to tell you about" and the like."""
    if "you" not in sentence.lower():
        return sentence
    return _TELLS.sub("talk ", _HARMLESS_ADDRESS.sub(" ", sentence)).strip()
