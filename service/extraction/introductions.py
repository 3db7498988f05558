"""Introductions that stand before a statement and say nothing themselves: "Quick note:", "You should know that"."""

from __future__ import annotations

import re

_SUBJECT = r"(?:(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our|the|from now on|please|always|never|don't)\b|(?-i:[A-Z]))"
_LABEL = re.compile(
    r"(?:(?:just|also|and|oh|so|a|an|some|quick|small|little|side|important|final|another|minor|short|personal"
    r"|random|fun|general) ){0,4}"
    r"(?:notes?|updates?|corrections?|reminder|heads[ -]up|fyi|context|background|disclaimer|confession|news|facts?"
    r"|important|p\.?s\.?|pps"
    r"|edit|info|information|intro|introduction|about me|btw|allergy info|health info|warning|attention|good to know"
    r"|thing"
    r"|(?:one )?(?:more|other|last) thing|first things first|clarification|addendum|detail)"
    r"(?: for (?:you|later|context|next time))?(?:\s?[:;.!–—]|,|\s-(?=\s)) {0,2}(?=\S)",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"(?:(?:just|also|and|oh|so|ah) ){0,2}(?:for your information|for context|on a personal note|for the record"
    r"|to be clear|to clarify"
    r"|in case (?:it (?:matters|helps|is relevant)|you(?:'re| are) wondering|you need it|you didn't know)|if (?:it "
    r"(?:matters|helps)|you must know)"
    r"|as (?:i said|i mentioned|mentioned|you know|a heads[ -]up)|like i said|before i forget|while i remember|"
    r"(?:just )?so (?:you know|you're aware)"
    r"|(?:just )?(?:to let|letting) you know|worth (?:knowing|noting|mentioning)|fun fact|one (?:more|other|last) thing"
    r"|(?:i'm |i am )?not sure (?:if|whether) i(?:'ve| have)? (?:told you|mentioned)(?: it| this| that)?(?: yet"
    r"| already| before)?,? but"
    r"|i don't (?:know|think) (?:if )?i(?:'ve| have)? (?:told you|mentioned)(?: it| this| that)?(?: yet| already"
    r"| before)?,? but"
    rf"|don't know if i (?:told you|mentioned)(?: it| this)?,? but|turns out|it turns out|the thing is|fact is"
    rf"|speaking of which)(?:[:,.–—]| -)? (?:that )?(?={_SUBJECT})",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"(?:(?:also|so|and|oh|well|please),? ){0,2}(?:(?:i|we) (?:should|must|forgot to|wanted to|want to|need to"
    r"|have to|ought to|(?:'d|would) like to|just wanted to)"
    r"(?: also| probably| just)? (?:mention|add|say|note|point out|let you know|tell you|clarify|inform you)"
    r"|(?:you|u) (?:should|might want to|need to|gotta|must)(?: also)? (?:know|note|remember)|(?:(?:i'd|i would"
    r"|i) )?(?:like|love|want) you to (?:know|remember|keep in mind)"
    r"|let me (?:tell you|clarify|add)|(?:note|remember|keep in mind|be aware|be advised|bear in mind|know"
    r"|don't forget)(?: too| also)?"
    rf"|it(?:'s| is) worth (?:mentioning|noting|knowing)|did you know)(?: that)?[,:]? (?={_SUBJECT})",
    re.IGNORECASE,
)
_SECOND_THOUGHT = re.compile(
    r"(?:(?:or|and|but) actually|actually|no wait|wait|hold on|scratch that|sorry|my mistake|oops|i mean|i meant"
    r"(?: to say)?|sorry,? i meant|no|correction)[,:.!]*(?: actually,?)? "
    r"(?=(?:i|i'm|i've|my|we|we're|our|the|make it|it's)\b)",
    re.IGNORECASE,
)


def introduction(sentence: str) -> re.Match[str] | None:
    """What introduces the statement that the sentence makes, if anything does."""
    return (
        _LABEL.match(sentence) or _PHRASE.match(sentence) or _TELLING.match(sentence) or _SECOND_THOUGHT.match(sentence)
    )
