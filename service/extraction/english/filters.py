"""Sentences that state nothing: questions, hypotheticals, other people's words, small talk and fragments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.domain.word_lists import listed, word_set
from service.extraction.english.lexicon import (
    ADVERBS,
    AUXILIARIES,
    BASE_VERBS,
    BLAND,
    PARTICIPLES,
    STOPWORDS,
    gerund_base,
    is_past,
    is_present,
)
from service.extraction.english.sentences import SPEECH
from service.extraction.patterns import any_case

_ASKS = any_case(
    r"^(?:what|how|why|who|whose|which|can(?!'t stand)|could|would|do|does|did|is|are|was|were|have(?! to\b)|has|will"
    r"|should|shall|am|any|ready)\b(?! (?:you|it) (?:believe|imagine))"
)
_WHEN_ASKS = any_case(r"^(?:when|where)\b (?:is|are|was|were|do|does|did|can|could|will|would|should|have|has)\b")
_MENTIONED = any_case(
    r"^(?:did|have|didn't|haven't) (?:i|we)(?: already| ever)? (?:mention|mentioned|tell you|told you|say|said"
    r"|tell)(?: you)?(?: that| about)? (?P<what>(?:i|i'm|i've|my|we|we're|our)\b[^?]{3,200})\?$"
)
_REASONED = any_case(
    r"^(?:since|because|as|given that|seeing that|considering(?: that)?|now that) (?P<what>(?:i|i'm|i've|my|we|we're"
    r"|we've|our)\b[^,?]{5,120}),(?=[^?]{3,200}\?$)"
)
_TRAILING_QUESTION = any_case(
    r"(?:[,;]| -|\s–|\s—)\s?(?:and |so |but |or )?(?:can|could|would|will|do|does|did|is|are|have|what|what's|how|which"
    r"|where|when|why|any|who|should|was)\b (?:\w|'){1,20}"
)
_HYPOTHETICAL = any_case(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|hypothetically|wish|wishing|were to|would've|would have"
    r"|could have|could've|should have|should've|in theory|let's say|assuming|in case|provided that|had i|wonder"
    r"|wondering|idk|for example|e\.g|as a joke|just kidding|jk|kidding)\b|^.{0,40}\b(?:might|maybe|perhaps|possibly)\b"
)
_CONDITIONAL = any_case(
    r"(?:\b(?:i|we)|^(?:\w+ )?(?:that|it|this|they|he|she))(?:'d| would)(?:n't| not)? (?!(?:really |absolutely "
    r"|also )?(?:like|love|prefer|rather|be (?:happy|glad) if|been|had|never been|always)\b)(?!\w{2,12}ed\b)"
)
_REPORTED = any_case(
    r"(?<![\w'])'*+(?P<who>[\w']++)(?: (?:always|often|just|also|once|never|usually|even|still))? (?:says?|said|claims?"
    r"|claimed|insists?|insisted|swears?|swore|thinks?|believes?|reckons?|argues?|argued|texted|quoted|joked|wrote that"
    r"|writes that|told (?:me|us|him|her|them|everyone)|tells? (?:me|us|him|her|them|everyone)|asked (?:me|us)"
    r"|likes to say|sings?|sang)\b"
)
_OTHER_VOICE = any_case(
    r"\b(?:according to|as they say|the saying goes|quote|in the words of|in the (?:movie|book|song),)\b"
)
_SCRIPT_LINE = re.compile(
    r"^(?!(?:Note|Update|Decision|Todo|Reminder|Fact|Goal|Plan|Edit|Correction|Preference|Answer|Context|Background"
    r"|Decided|Agreed|Resolved|Settled|Confirmed|Approved|Verdict|Conclusion|Final Decision|Final Call|Team Decision"
    r"|Action Item|Next Step|Task|Objective|Target|Aim|Milestone|Important|Disclaimer|Info|Allergies|Allergy)\b)"
    r"[A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})?:\s"
)
_SARCASM = any_case(
    r"(?:^|\s)/s(?:\s|$)|🙄|\byeah,? right\b|\bjust what i needed\b|\boh,? (?:great|joy|fantastic|perfect|wonderful)\b"
    r"|\bsaid no one ever\b|\bas if\b|\bnot!$|\bsure, because\b|\bthanks for nothing\b|\bhow original\b"
)

_JOKE = any_case(
    r"\b(?:lo+l|lmf?ao+|rofl|xd|haha(?:ha)*|hehe(?:he)*|jk|j/k|just kidding|kidding|joking|as a joke|married to "
    r"(?:my|the) (?:job|work|laptop|phone|couch|bed|computer|code|sofa|keyboard))\b|[😂🤣😜😝🤪]"
)
_INVENTED = any_case(
    r"\b(?:uranium|plutonium|kryptonite|time machine|teleport(?:er|ation)?|world domination|unicorns?|death star"
    r"|lightsaber|devil fruit|superpowers?|in another life|in a past life|in my next life|if i could|in a world where"
    r"|(?:i|we) (?:had a )?dream(?:ed|t)? (?:that|where|about being)|in my dream|in the dream|my character|in[ -]game"
    r"|in character|role-?play(?:ing)?|in the game|in d&d|in dnd|in my (?:story|novel|book|game|world|campaign"
    r"|universe)|once upon a time|a (?:million|billion|trillion|gazillion|zillion) (?:years|times|things)|(?:could"
    r"|would) (?:literally )?(?:kill|murder) for|say (?:i|we) (?:had|were|could))\b"
)
_FANCIFUL = word_set("""
    uranium plutonium kryptonite time teleport teleporter teleportation world unicorn unicorns death lightsaber
    devil superpower superpowers life if dream dreamed dreamt character game in-game role-play roleplay roleplaying
    role-playing play role d&d dnd story novel book campaign universe once million billion trillion gazillion
    zillion kill murder say""")
_WILL_TRY = any_case(
    r"^(?:i think |so |then |additionally,? |also,? )*(?:i'll|i will|i can) (?:also |definitely |then |probably "
    r"|start by |just )*(?:try|check|start|consider|continue|look|explore|use (?:this|these|that)|add|include"
    r"|incorporate|keep|make|track|implement|focus)\b"
)
_ASKED_OF_ASSISTANT = re.compile(
    r"""^(?:i|we)(?:'m|'re|\sam|\sare|'d|\swould|'ve|\shave)?\s(?:(?:also|just|really|still|now|always|particularly|especially|currently|actually
        |been|definitely)\s)*
      (?:have\s(?:an?|another|one|some|a\sfew|two|three|\d+)\s(?:\w+\s){0,2}?(?:questions?|request|favou?r|query)\b|interested\sin|curious\s(?:about|to|if|how)|looking\s(?:for|into|to\s(?:learn|find|get|see))|wondering|hoping\s(?:to\sget|you)|looking\sforward
        |like\sto\s(?:know|learn|see|hear|get|understand|explore|discuss|ask|try\s(?:creat|us|mak|it|th))|love\sto\s(?:know|learn|see|hear|get|understand)
        |want\s(?:to\s(?:know|learn\s(?:more|about|how)|see|hear|understand|ask|make\ssure|get\s(?:some|a\sbetter)|find\sout|explore|discuss)|a\s\w+\s(?:that|which)|an?\s(?:essay|poem|story|script|list|table))
        |need\s(?:an?|some|help|your|more|the|\d+)\s(?:\w+\s){0,3}?(?:essay|poem|story|script|list|table|plan|summary|code|function|query|idea|ideas|help|advice|information
            |suggestions?|recommendations?|example|examples|way|title|name|slogan|paragraph|prompt|letter|template|formula)
        |thinking\s(?:it|that|maybe)|trying\sto\s(?:plan|decide|understand|figure\sout|find\s(?:out|a\s(?:good\s)?way|some|the)|write|get\sthis|do\sthis|see)|getting\s(?:an?|the|this)\s(?:\w+\s)?(?:error|exception|warning|message)
        |getting\serror|asking\s(?:about|for|if|because)|talking\sabout|referring\sto|not\ssure|unsure|confused|a\sbit\sconfused|trying\sthat|stuck\s(?:on|with)\sthis)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_SMALL_TALK = re.compile(
    r"""^(?:
      (?>(?:i(?:'m|\sam)\s|we(?:'re|\sare)\s|always\s|so\s|really\s)*)(?:so\s|really\s|super\s|just\s|very\s|always\s
          |also\s|truly\s|too\s)*
        (?:glad|happy|sorry|proud|excited|thrilled|stoked|pumped|jealous|rooting|impressed|delighted|sure|certain
            |confident|curious
          |grateful|thankful|here|all\sears|with\syou|down|in|game|on\sit|good|fine|ok|okay|back|ready)\b
        (?:(?:\s(?:to|for|of|that|with|about|by|at|it|you|your|to\shear|to\ssee|everyone|things?|all|now
            |then|the\sfuture|what's\s(?:next|ahead)))*[\s.,!]*$
          |\s(?:to\shear|to\ssee|to\sshare|to\shelp|to\sknow|to\sbe\shere|to\shave\syou|for\syou|of\syou|you|your
              |that\syou|it|they|that\sit
              |there\sfor|that's|everyone|for\s(?:him|her|them)|of\s(?:him|her|them)))
    | (?:i'm|i\sam)\s(?:pretty\s|quite\s)?sure\b
    | (?:i'm|i\sam|we're)\s(?:so\s|really\s|very\s)*sorry\b
    | (?:reminds|makes|means|gives|brings|keeps|helps|feels|gets|takes|goes|shows|depends|works|says|tastes|smells)\s
    | we\s(?:should|could|need\sto|must|can)\b
    | i\s(?:[\w%]+\s)?(?:agree|understand|hear|get\sit|bet|guess|wonder|mean|know|see\sthat|see\swhat|see\swhy
        |see\show|hope\s(?:so|it|that|they|to\shear)
        |appreciate\s(?:it|that|your?|the\s(?:kind|support|encourage))|relate|feel\syou|can\s(?:just\s)?(?:see|imagine|picture
            |relate|tell|understand|totally)
        |can't\s(?:thank|believe|agree|argue|say|tell|imagine)|couldn't|could|should|owe\s(?:it|you)|admire|respect\s(?:that
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
        |everything|everyone|every(?!\s(?:day|night|week|month|year|\w*day|morning|evening|afternoon)\b)|life|one\sday|appreciate|sorry|anytime|any\stime|happy\s(?:to|for|birthday
            |new)|woah|whoa|haha|lol|hopefully|there's\snothing|nothing|remember)\b
    | (?:(?:really|also|always|absolutely|just|totally|do)\s)*(?:i\s(?:\w+\s)?)?(?:love|like|enjoy|adore|loved
        |liked|loving)\s(?:all\s)?(?:the|those)\s
        (?!ocean|beach|mountains?|outdoors|sea|city|rain|snow|country|night|theat|gym|piano|guitar|violin|game
            |sun|winter|summer|fall|spring
          |\w+\s(?:book|movie|film|series|show|band|song|album))
    | it\b(?!'s\s(?:been\s|always\s)*(?:a|my)\sdream)(?!\swas\s(?:decided|agreed)|\shas\sbeen\s(?:a|my)\sdream)
    | they\b | he\b | she\b
    | it'(?:s|ll|d)\b(?!(?:\s(?!a\b|an\b|the\b|my\b|like\b|just\b|been\b)\w+){1,3}\s(?:to|that|when|how|knowing
        |seeing|having|being)\b)(?!\s(?:been\s|always\s)*(?:a|my)\sdream) | they'\w+\b | (?:he|she)'\w+\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_NOTHING = re.compile(
    r"""
      \bwe\scan\s(?:really\s|all\s|always\s|both\s)*(?:make|build|do|create|achieve|show|change|help|learn|grow|find|reach
        |overcome|conquer|be)\b
    | ^(?:together|someday|one\sday|in\sthe\send),?\s(?:we|our)\b
    | \bwe\s(?:all\s|both\s)?have\sthe\s(?:power|ability|chance)\sto\b
    | ^our\s(?:actions?|voices?|impact|efforts?|words)\b
    | ^(?!.*\b(?:i|i'm|i've)\b)[^,;]{0,60}\b(?:is|are)\s(?:really\s|so\s)?key\sto\b
    | ^pushing\sboundaries\b
    | ^i(?:'ve|\shave)\s(?:got\s)?an?\s(?:funny|great|crazy|wild|interesting|good)\s(?:story|question)\b
    | ^(?:so\s)?we(?:'ll|\swill)\s(?:rock|make|get|do|be|always|all|keep|stay|figure|find|crush|kill)\b
    | ^we\s(?:all|(?:both\s)?(?:work|go|make|look|fit)\s(?:so\s|really\s|very\s)?(?:well|great|good))\b
    | ^(?!.*\b(?:i|my|me)\b)[^,;]{0,60}\b(?:bring|give|show|teach|force|remind|make|help|connect|let|humbl|inspir
        |push|keep|unit)(?:e|s|es|ing|ly)?\sus\b
    | \b(?:taking\scare\sof|connect(?:s|ing)?\swith|expressing)\sourselves\b
    | ^(?:nothing|(?:i\s)?(?:won't|not\sgonna|not\sgoing\sto)\slet\s(?:any|some)(?:thing|one))\b
    | ^(?:and\s|so\s|just\s)*(?:something|some\sstuff|lots?(?:\sof\s\w+)?|so\smuch|a\slot|crazy\s(?:stuff|things?)
        |a\sfew\sthings?|things)(?:\s\w+)?(?:'s|\shas|'ve|\shave)?(?:\sbeen)?\s(?:happened|happening|going\son|changed)\b
    | ^(?:and\s|so\s|just\s)*(?:some(?:thing)?|a\sfew|lots\sof)\s(?:(?:pretty|really|very|so|super)\s)?\w+\s
        (?:(?:stuff|things?|news)\s)?(?:has\s|have\s)?(?:just\s)?(?:happened|changed)\b
    | ^i(?:'m|\sam)\s(?>(?:(?:so|really|very|just|too|pretty|kinda|still|super|a\sbit|quite)\s)*)(?:tired|sleepy|hungry
        |starving|bored|knackered|exhausted|freezing|hungover|stuffed|confused|lost|awake|late|on\smy\sway)
        (?>(?:\s(?:now|today|tonight|rn|again|already|af|tbh|right\snow|leave\sme\salone))*)[\s.,!]*$
    | ^i\s(?:haven't|have\snot)\sbeen\s(?:in|for)\s(?:\w+\s){0,2}(?:years?|months?|weeks?|ages)[\s.,!]*$
    | ^[\w']{1,20}\s(?:wants?|has|have|needs?|like|likes)\sto,
    | ^rest\sassured\b
    | ^(?:it's\sbeen\s|what\s)?quite\san?\s(?:ride|journey|week|day|month|year|while)\b
    | ^(?:stuck\s(?:in|at|on)|never\sagain)\b
    | ^we(?:'re|\sare)\s(?:all\s|really\s|just\s)*(?:
        (?:pushing|supporting|cheering|there\sfor|rooting\sfor)\s(?:ourselves|each\sother|one\sanother))\b
    | ^i\s(?:just\s)?feel\slike\si\s(?:just\s)?can't\sstop\b
    | ^(?:being|seeing|knowing|having|hearing|facing|juggling)\s[^,;.!?]{1,80}?\s(?:is|was|can\sbe|feels|felt)\s
        (?:(?:so|really|super|pretty|truly|always)\s)*(?:awesome|amazing|great|rewarding|tricky|wonderful|incredible
        |fantastic|inspiring|fulfilling|priceless|tough|hard|fun|cool|nice|special|exciting)(?:,\sbut[^,;.!?]{1,40})?[.!]*$
    | ^(?:i'm\s)?\w{2,20}ing\s[^;.!?]{1,120}\s[-–—]\s(?:that's|how|what\san?|sounds)\s(?:so\s|really\s|just\s)?
        (?:awesome|amazing|great|wonderful|incredible|fantastic|inspiring|cool|nice)\b
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
_REQUEST = any_case(
    r"\b(?:looking for|need|want|like|love|appreciate|searching for)\b (?:\w+ ){0,3}(?:advice|tips"
    r"|recommendations?|suggestions?|help|ideas"
    r"|information|info|guidance|to know|your help|assistance|an explanation|more details|to ask|to hear)\b"
)
_ADDRESSES = any_case(r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd|ya|y'all|u)\b")
_HARMLESS_ADDRESS = any_case(
    r"^(?:just )?(?:so|letting) you know,? (?:that )?|(?:\bi )?(?:just )?\b(?:wanted?|have|had) to (?:let you know"
    r"|tell you)(?: that)? (?=(?:i|we|my|our)\b)|,? ?\b(?:as you know|you know|thank you(?: so much)?)\b,? ?"
)
_TELLS = any_case(r"\b(?:tell|to share with) you (?=about\b|some\b)")


def statement_of(sentence: str) -> str | None:
    """Return the stated part of a sentence; None for a question.

    "I've been baking bread, can you suggest a flour?" states its first part.
    """
    bare = sentence.rstrip('"”’)]* ')
    mentioned = _MENTIONED.match(bare)
    if mentioned is not None:
        return mentioned["what"] + "."
    if "?" not in bare:
        return None if _ASKS.match(bare) or _WHEN_ASKS.match(bare) else sentence
    reasoned = _REASONED.match(bare)
    if reasoned is not None:
        return reasoned["what"] + "."
    cut = _TRAILING_QUESTION.search(bare)
    if cut is None or _ASKS.match(bare) or not re.match(r"(?:i|my|we|our)\b", bare, re.IGNORECASE):
        return None
    return bare[: cut.start()] + "."


def is_unreliable(sentence: str, *, instructs: bool = False) -> bool:
    """Hypothetical, or not the speaker's own statement. An instruction may say when it holds."""
    if SPEECH in sentence:
        return True
    if not instructs and (_HYPOTHETICAL.search(sentence) or _CONDITIONAL.search(sentence) or _is_invented(sentence)):
        return True
    if _OTHER_VOICE.search(sentence) or _SCRIPT_LINE.match(sentence):
        return True
    reported = _REPORTED.search(sentence)
    return reported is not None and reported["who"].lower() not in ("i", "we", "to")


def _is_invented(sentence: str) -> bool:
    return not _FANCIFUL.isdisjoint(sentence.lower().replace(",", " ").replace(".", " ").split()) and bool(
        _INVENTED.search(sentence)
    )


def is_unserious(sentence: str) -> bool:
    """Return whether the sentence, openings included ("Yeah right, …"), is a joke or says the opposite of what it
    means."""
    return bool(_SARCASM.search(sentence) or _JOKE.search(sentence))


def is_small_talk(sentence: str, *, alone: bool = False) -> bool:
    """Greeting, praise, thanks, agreement, what holds of everyone, or a request to the assistant; interjections already
    removed. ``alone``: spoken to the assistant, which is asked for things in more ways."""
    if _SMALL_TALK.match(sentence) or _SAYS_NOTHING.search(sentence) or _REQUEST.search(sentence):
        return True
    return alone and bool(_ASKED_OF_ASSISTANT.match(sentence) or _WILL_TRY.match(sentence))


def addresses_listener(sentence: str) -> bool:
    """Return whether the sentence is about the person spoken to; harmless address already removed."""
    return bool(_ADDRESSES.search(sentence))


def without_address(sentence: str) -> str:
    """Return the sentence without "you know", "to tell you about" and the like."""
    if "you" not in sentence.lower():
        return sentence
    return _TELLS.sub("talk ", _HARMLESS_ADDRESS.sub(" ", sentence)).strip()


_PRONOUNS = word_set("it it's they they're he he's she she's him them there ones")
_POSSESSIVES = word_set("his her its their")
_BEHIND_OBJECT = word_set("""
    , ; : and or but so because when while if a an the my our some back up out off down in on at to for with from
    by during about again this next last every all too""")
"""Behind the object "her", and not behind "her" of something that is hers."""
_POINTERS = word_set("this these those")
_PREPOSITIONS = word_set("of about for with like from on in at to")
_TIME_NOUNS = word_set("""
    week month year weekend morning afternoon evening summer winter spring fall days night moment point autumn
    season time past""")
_AT_HAND = word_set("""
    project repo repository codebase app team company workspace quarter sprint release conversation chat agent
    account prototype branch cluster house flat apartment city country town""")
_BOUNDARY = word_set("""
    , ; - – — : ( and but or so because since that which who when while after before where though although then how
    what""")
_PIECE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,:/]*|[,;:(]|(?<=\s)[-–—](?=\s)")
_EXPLETIVE = any_case(
    r"^it(?:'s| is| was| feels| felt| makes me| breaks my heart| means)(?: (?!a\b|an\b|the\b|my\b|like\b"
    r"|just\b)\w+){0,3} (?:to|that|when|how|knowing|seeing|having|being)\b"
)
_DEPENDENT = any_case(
    r"^(?:or|and|but|so)? ?(?:actually |maybe |then )?(?:(?:in|at|on|during|around|by|from|since|for|with|without|like"
    r"|to|of) [^,;–—]{1,60} )?(?:when|whenever|where|wherever|although|though|even though|while|after|before|once"
    r"|because|since|until|who|whose|which|whom|that|than)\b[^,;:–—]*$|^(?:or|nor|than|as well as|such as|including"
    r"|like|except|rather than|instead of|plus|etc)\b"
)
_NO_SUBJECT = word_set("""
    a an the my our their his her its this that to of for with in on at by no some any and or , ; :""")


def has_dangling_pronoun(sentence: str) -> bool:
    """Return whether a pronoun has nothing in an earlier clause to stand for, so that the sentence needs its context.

    Within its own clause a pronoun hardly ever has its antecedent ("I did some research for it").
    """
    pieces = [piece.lower().replace("’", "'") for piece in _PIECE.findall(sentence)]
    if "even" in pieces[:3] or pieces[:2] == ["one", "is"] or "here's" in pieces:
        return True
    earlier = here = 0
    if _EXPLETIVE.match(sentence):
        pieces = pieces[1:]
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else ""
        if piece == "that" and not earlier and _points(pieces, at):
            return True
        if piece in _BOUNDARY:
            earlier, here = earlier + here, 0
        if piece in _POINTERS and not following:
            return True
        if piece in ("these", "those") and not earlier and following in ("to", "at", "from"):
            return True
        if piece in _PRONOUNS and not earlier and following not in ("is", "are", "was", "were"):
            return True
        if piece in _PRONOUNS and piece != "there" and not earlier + here:
            return True
        if piece in _POSSESSIVES and not earlier + here:
            return True
        if piece == "her" and not earlier and here <= 1 and _is_object(pieces, at):
            return True
        if (
            piece in _POINTERS
            and not earlier
            and following not in _TIME_NOUNS
            and following not in _AT_HAND
            and not _introduces(pieces[at + 1 :])
        ):
            return True
        if _is_noun_like(piece) or (at == 0 and gerund_base(piece) is not None):
            here += 1
    return False


def _is_object(pieces: Sequence[str], at: int) -> bool:
    """Return whether "her" is the object of the first verb, and not whose something is."""
    following = pieces[at + 1] if at + 1 < len(pieces) else ""
    return (not following or following in _BEHIND_OBJECT) and "to" not in pieces[:at]


def _points(pieces: Sequence[str], at: int) -> bool:
    """Return whether "that" stands for something ("like that", "with that recipe") and does not open a clause."""
    following = pieces[at + 1] if at + 1 < len(pieces) else ""
    before = pieces[at - 1] if at else ""
    return not following or following in _BOUNDARY or before in _PREPOSITIONS or before.endswith("ing")


def _introduces(rest: Sequence[str]) -> bool:
    """Return whether what "this" points at is told in the words after it: "I got this deal with an outdoor gear
    company"."""
    return sum(map(_is_noun_like, rest)) >= 2


def _is_noun_like(word: str) -> bool:
    if word in STOPWORDS or word in BLAND or not word[0].isalpha():
        return False
    return word not in BASE_VERBS and not is_past(word) and not word.endswith("ing")


def is_fragment(sentence: str) -> bool:
    """Return whether it has no predicate ("In a city like this, my friends"), or all of it depends on what is not
    there."""
    if _DEPENDENT.match(sentence):
        return True
    pieces = [piece.lower().replace("’", "'") for piece in _PIECE.findall(sentence)]
    return not any(
        piece in AUXILIARIES or "'" in piece or is_past(piece) or _is_predicate(piece, pieces[at - 1] if at else "")
        for at, piece in enumerate(pieces)
    )


def _is_predicate(piece: str, before: str) -> bool:
    if before in _NO_SUBJECT:
        return False
    if piece in BASE_VERBS:
        return piece != "like" or before in ("i", "we", "they", "you")
    return piece == "lasts" or (len(piece) > 3 and is_present(piece))


_ADJECTIVE = r"(?:due(?! date)|ok|okay|fine|gross|good|bad|great|nice|awesome|awful|fun|hard|easy|old|expensive|cheap)"
_FAULTS = (
    # a question behind the statement: "my cpu runs at 90 is that bad", "send a parcel how much will it be"
    any_case(
        r"\w (?:how(?: much| many| long)?|why|what|where|when) (?:is|are|was|were|will|does|do|did|can|should"
        r"|would) (?:it|i|you|he|she|they|we|that|this)\b|\w why (?:is|are|was|were|do|does|did) \w"
        r"|\w (?<!and )(?<!but )(?:is|are) (?:that|it|this) (?:bad|ok|okay|normal|good|weird|right|true)\b"
    ),
    # a second statement without a join
    any_case(rf"\d that's|\w its {_ADJECTIVE}\b|\b(?:and|but|think|so|because) its \w{{3,20}}(?:ed|ing)\b"),
    any_case(
        r"(?<!,) (?:always|never) (?:have|has|will)[.!]?$|(?<!the )\b(?:most|best|worst) (?:\w{1,20} ){1,2}ever[.!]?$"
    ),
    # chat: "my dog is barking brb"
    re.compile(r"\w (?:brb|gtg|g2g|ttyl|afk|btw|ngl|idk|smh|lmao)\b|(?<!\ban)(?<!\bthe) rn\b"),
    any_case(r"^(?:h+i{2,}|he+y{2,}|dear \w{2,20},)|\bgod help\b|\bpeoples\b(?!')"),
    # cut off: "my grandma was a nurse so"
    any_case(r"(?<!\bdo )(?<!\bor )\b(?:so|and|but|because|or)[.!]?$|\band everything[.!]?$"),
    any_case(r"\w (?:i|we|s?he)[.!]?$"),
    # "me" for "my", as in "I lost me pliers"
    any_case(
        r"\b(?:drink|drank|lost|broke|hate|love|use|used|drive|drove|do|did) me"
        r" (?!(?:a|an|the|some|so|to|when|and|at|in|for|if|any|no|well|over|wrong|too)\b)\w"
        r"|\b(?:in|of|for|on|with|off) me (?:life|sins|own|head|back|knees?|house|van|job|tea|mates?)\b"
    ),
    # of a couple of whom one is not named: "we broke up"
    any_case(
        r"^we(?:'re|'ve been| are| were| have been)? (?:still |both |just |only )?(?:together(?= for\b| since\b|[.!]?$)"
        r"|dating|broke up|split up|breaking up|splitting up)\b(?! with\b)"
    ),
    # forms of verbs that learners of English confuse
    any_case(
        r"\b(?:i'm|i am|s?he is|s?he's|we're|we are) (?:work|miss|agree|go|live|think|want|need|know|have|understand"
        r"|come|get|make|take|call|see|study)\b"
        r"|\bis not work\b|\bwant that (?:my|he|she|we|they|you|i)\b|^(?:i|we|they) been\b"
    ),
    re.compile(
        r"\bfor (?:find|see|make|get|go|be|send|learn|improve|have|meet|speak|study (?:[Ee]nglish|my|the|in))\b"
    ),
    any_case(r"\b(?:is|are) (?:difficult|hard|easy|important|necessary) the\b|^i have \d{1,3} years[.!]?$"),
    any_case(
        r"^(?:my|our) [a-z]{2,15} s?he\b(?!')|^(?:my|our) (?!people\b|children\b|family\b|team\b|folks\b|crew\b"
        r"|staff\b)[a-z]{1,15}[a-rt-z] (?:finish|live|say|want|come|go|have|do)\b"
    ),
)
_JOINED = listed("""
    and but or so because cause who that which when where if what how why since as than while though although until
    think thinks thought hope know knew wish feel felt sure believe say said says guess afraid glad happy means
    mean see saw found heard like love hate to i we they he she it you there people""")
_DENIED_AGAIN = any_case(
    rf"^I(?:'m|'ve)? (?:(?!(?:{'|'.join(_JOINED)})\b)[\w'-]{{1,20}} ){{2,8}}(?:can't|don't|won't|didn't|wouldn't) "
)
"""A denial without its own subject: "I use these boards can't stand the others"."""
_THERE_IS = any_case(r"\b([\w'-]{1,20}) (?:it's|there's) ")
_ONE = any_case(
    r"^[^,;:–—]{0,80}\b(?:the|my|our|his|her|this) (?:last|other|same|next|second) one\b(?! of\b| i\b"
    r"| who\b| that\b| to\b| in\b)"
)
_JOIN = any_case(r"\b(?:and|but|so|because|that|which|who|or|than|both)\b")
_FIRST_VERB = re.compile(r"^I ([a-z]{3,20}) (?=[a-z])")
_OTHER_VERBS = word_set("recall overslept misread slid shone wept")
_VERBS = BASE_VERBS | AUXILIARIES | ADVERBS | PARTICIPLES | _OTHER_VERBS


def is_garbled(statement: str) -> bool:
    """Return whether a claim, in the first person and with its spelling put right, runs into another or is no
    sentence."""
    statement = statement.replace("’", "'")
    if any(fault.search(statement) for fault in _FAULTS) or _DENIED_AGAIN.match(statement):
        return True
    if any(match[1].lower() not in _JOINED for match in _THERE_IS.finditer(statement) if _plain(statement)):
        return True
    one = _ONE.match(statement)
    return bool(one and not _JOIN.search(one[0])) or _has_no_verb(statement)


def _plain(statement: str) -> bool:
    """Return whether nothing in it divides clauses, as in text that nobody punctuated."""
    return not re.search(r"[,;:–—(]| - ", statement)


def _has_no_verb(statement: str) -> bool:
    """Return whether what stands behind "I" is no verb of the lexicon, and so would not agree with a name."""
    first = _FIRST_VERB.match(statement)
    if first is None:
        return False
    word = first[1]
    return word not in _VERBS and not is_past(word) and not word.endswith(("ed", "ly"))
