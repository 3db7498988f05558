"""From a message to the speaker's own sentences, as the patterns spell them.

Addresses are set aside; injected memory, code, pasted text and quoted speech are removed; informal spelling and missing
full stops are put right; interjections and introductions are taken off, and a dropped "I" is put back. Every pattern
here runs in time linear in the text: repeats are over single characters or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from service.domain.word_lists import pairs, word_set
from service.extraction.english.facts import LEFT_FOR
from service.extraction.english.grammar import EVENT_NOUN
from service.extraction.english.intentions import is_instruction
from service.extraction.english.lexicon import (
    BASE_VERBS,
    BLAND,
    FIRST_NAMES,
    IRREGULAR_PAST,
    PLACES,
    STOPWORDS,
    gerund_base,
    is_past,
    is_present,
)
from service.extraction.patterns import any_case

_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"“”]{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?!\w)"
    r"|(?<![\w/.~])(?:~|\.{1,2})?(?:/[\w.@-]{1,60}){2,12}/?"
)
_ENDS = ".,;:!?)]}'’"
_STAND_IN = "Zqaddress"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_STANDS = any_case(rf"{_STAND_IN}([a-z])")


def without_addresses(text: str) -> tuple[str, list[str]]:
    """``text`` with a word in place of each address, and the addresses; those past the 26th are left out."""
    if "/" not in text and "@" not in text and "www." not in text:
        return text, []
    found: list[str] = []

    def replace(match: re.Match[str]) -> str:
        address = match[0].rstrip(_ENDS)
        rest = match[0][len(address) :]
        if len(found) == len(_LETTERS):
            return rest
        found.append(address)
        return f"{_STAND_IN}{_LETTERS[len(found) - 1]}{rest}"

    return _ADDRESS.sub(replace, text), found


def with_addresses(text: str, addresses: Sequence[str]) -> str:
    """``text`` with the addresses back in their places."""
    if not addresses:
        return text

    def restore(match: re.Match[str]) -> str:
        at = _LETTERS.index(match[1].lower())
        return addresses[at] if at < len(addresses) else match[0]

    return _STANDS.sub(restore, text)


_SPELLED = pairs("""
    hav=have havnt=haven't dosnt=doesn't wk=week wks=weeks tues=tuesday thurs=thursday thur=thursday weds=wednesday
    dauhgter=daughter daugther=daughter interveiw=interview smth=something yr=year sumthing=something w=with im=I'm
    ive=I've dont=don't doesnt=doesn't didnt=didn't cant=can't wont=won't isnt=isn't wasnt=wasn't arent=aren't
    havent=haven't hasnt=hasn't hadnt=hadn't couldnt=couldn't wouldnt=wouldn't shouldnt=shouldn't werent=weren't
    aint=ain't youre=you're youve=you've theyre=they're theyve=they've weve=we've thats=that's whats=what's
    theres=there's hes=he's shes=she's lets=let's imma=I'm~going~to u=you ur=your r=are gonna=going~to
    wanna=want~to gotta=have~to gotten=got cuz=because coz=because bc=because becuz=because becos=because b4=before
    tmrw=tomorrow tmr=tomorrow tmw=tomorrow 2moro=tomorrow tomorow=tomorrow tommorow=tomorrow tommorrow=tomorrow
    tonite=tonight 2nite=tonight 2day=today yday=yesterday yest=yesterday pls=please plz=please plss=please
    bday=birthday b-day=birthday birtday=birthday yrs=years fave=favorite fav=favorite favourite=favorite
    favrite=favorite favorit=favorite alot=a~lot abt=about w/o=without appt=appointment apt=apartment
    appartment=apartment definately=definitely defo=definitely prolly=probably probly=probably rlly=really
    rly=really realy=really alergic=allergic allergc=allergic alergy=allergy vegitarian=vegetarian
    vegeterian=vegetarian vegitarain=vegetarian vegatarian=vegetarian penicilin=penicillin prefered=preferred
    recieve=receive recieved=received febuary=February wensday=Wednesday wednsday=Wednesday wendesday=Wednesday
    thrusday=Thursday thurdsay=Thursday saterday=Saturday teh=the hte=the freind=friend freinds=friends
    frend=friend beleive=believe becuase=because becasue=because occured=occurred seperated=separated
    girlfreind=girlfriend boyfreind=boyfriend colleage=colleague collegue=colleague restaraunt=restaurant
    excercise=exercise buisness=business adress=address calender=calendar dotn=don't cna=can nad=and liek=like
    lik=like luv=love wich=which bc.=because thx=thanks ty=thanks msg=message msgs=messages emial=email
    untill=until acct=account mtg=meeting mgr=manager proj=project dept=department govt=government hubby=husband
    wifey=wife bf=boyfriend sis=sister bro=brother hafta=have~to oughta=ought~to tryna=trying~to finna=going~to
    kinda=kinda lemme=let~me gimme=give~me dunno=don't~know i'ma=I'm~going~to mooved=moved movd=moved
    startd=started workin=working livin=living goin=going lookin=looking shld=should wld=would cld=could dnt=don't
    wud=would shud=should cud=could tryin=trying movin=moving gettin=getting doin=doing makin=making
    learnin=learning eatin=eating drinkin=drinking smokin=smoking startin=starting plannin=planning
    thinkin=thinking playin=playing takin=taking comin=coming havin=having sayin=saying buildin=building
    watchin=watching readin=reading writin=writing runnin=running sleepin=sleeping talkin=talking bein=being
    bout=about nite=night finaly=finally finshed=finished reccomend=recommend reccommend=recommend prob=probably
    probs=probably ppl=people til=until""")
_WORD = re.compile(r"(?<![\w@#./'-])(?:[A-Za-z0-9][a-zA-Z'/-]{0,11}[A-Za-z0-9]|[A-Za-z])(?![\w@/'-]|\.\w)")
_ATTRIBUTE = (
    r"(?:budget|deadline|due date|launch date|release date|price|cost|rent|owner|lead|manager|venue|version|eta|target"
    r"|quota)"
)
_NOT_NAMES = word_set("my our the his her their your this that next last every each no any what which whose")
_DAYS = pairs("mon=monday tue=tuesday wed=wednesday thu=thursday fri=friday sat=saturday sun=sunday")
_ONE_OF_A_COUPLE = pairs("""
    we=I we~are=I~am we~were=I~was we~have=I~have we're=I'm we've=I've""")
_BLANKS = re.compile(r"[^\S\n]{1,40}")
_I_CUES = ("ill ", "id ", "i m ", "i ve ")

_ENDED = re.compile(r"[.!?;:]|,(?= )")
_RUN_ON = re.compile(
    r" (?=(?:also )?(?:I'm|I've|I'll|I don't|I can't|I hate|I love|I like|I live|I work|I prefer|I have|I need|I want"
    r"|I moved|I never|I always|I usually|I was|I got|I went|my (?:\w+ ){1,2}(?:is|are|was|lives|works|has)|let's"
    r"|please|don't (?!like\b|know\b|have\b|want\b)|remind me)\b)"
)
_JOINS = word_set("""
    and but or so because that which who when while if as since than then though although what how where why
    whether until sing sings sang text texts texted write writes wrote claims claim asked ask think thought say
    said says know knew hope guess believe feel felt wish mean sure told tell see saw hear heard like love thing
    things way reason time place everything anything something nothing all only the a an my our to of for with in
    on at by from about also i'm i i've just really sometimes usually always never ever before after once unless
    remember forget forgot please not no""")
_TIMES = word_set("""
    now today yesterday tomorrow tonight lately currently recently nowadays week month year morning evening night
    afternoon weekend""")
_RUN_ON_WORDS_MIN = 3
_LOOKED_BACK = 120  # characters
_TIME_ALONE_WORDS_MAX = 4

_NAME_CUES = re.compile(
    r"\b(?:(?:live|living|based|lives|staying) in|(?:moved|moving|relocated|relocating) (?:back )?to|(?:trip|travel|fly"
    r"|flight|flying|went) to|(?:I'm|i am|come|comes|came|originally) from) (?P<place>[a-z]{3,20}(?: [a-z]{3,12})?)\b"
    r"|\b(?:work|works|working|started|start|job|employed|interned|joined) (?:at|for|with) "
    r"(?P<company>[a-z][\w&-]{2,20})\b|\b(?:my name is|my name's|call me|i go by|named|called) "
    r"(?P<person>[a-z]{2,15})\b"
)
_NO_NAME = word_set("""
    home house night noon school work college university once sea bed town here there now then least first last
    best present nine eight seven six five four three two one ten myself someone people fun free hire years ages
    some any all that this these those clients customers friends family money hours weeks months days minutes
    government city state company startup bank hospital office shop store big small new good great different
    another scratch scratched behind beginning start end front back bottom top what where when how who which later
    earlier soon today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december abroad overseas downtown""")
_FIRST_WORD = re.compile(
    r"^(?P<name>[a-z]{2,12})(?= (?:likes|loves|hates|prefers|enjoys|is|lives|works|moved|has|was|dislikes|doesn't"
    r"|wants|needs|speaks|joined|left|got)\b)"
)


def _stated(match: re.Match[str]) -> str:
    if match["whose"]:
        return f"{match['whose']} is "
    if match["compound"]:
        return f"The {match['compound']} is "
    return f"The {match['attribute'].lower()} {match['of']} is "


def _with_article(match: re.Match[str]) -> str:
    name = match["name"]
    if name is None:
        return "The "
    return match[0] if _is_common(name.lower()) or name.lower() in _NOT_NAMES else f"The {match[0]}"


def _to(match: re.Match[str]) -> str:
    verb = match["verb"]
    return " to " if verb is None or verb.lower() in BASE_VERBS else match[0]


def _would(match: re.Match[str]) -> str:
    return f"{match[0][:-3]}I'd " if match["verb"].lower() in BASE_VERBS else match[0]


def _has_capital_word(line: str) -> bool:
    return any(word[:1].isupper() and word not in ("I", "I'm", "I've", "I'll", "I'd") for word in line.split()[1:])


_REPAIRS: tuple[tuple[tuple[str, ...], str | Callable[[re.Match[str]], str], re.Pattern[str]], ...] = (
    (("i",), "I", re.compile(r"(?<![\w'./-])i(?=[ ,]|'(?:m|ve|ll|d)\b|$)")),
    (_I_CUES, r"I'\1", re.compile(r"\b[Ii] (?=m\b |ve\b |ll\b |d\b )(m|ve|ll|d)\b")),
    (_I_CUES, "I'd ", re.compile(r"\b[Ii]d (?=(?:like|love|prefer|rather|say|be|never|really|also|always|have|go"
        r"|want)\b)")),
    (_I_CUES, "I'll ", re.compile(r"\b[Ii]ll (?=(?:be|use|go|do|have|take|get|need|try|call|send|buy|make|move|start"
        r"|see|let|probably|never|just|also|keep|stick|switch|pay|book|meet|finish|pick|come|join|ask)\b)")),
    (_I_CUES, _would, any_case(r"(?:^|[,.!?;] |\b(?:and|but|so|then|only|oh|yeah) )id (?=(?P<verb>[a-z]{2,12})\b)")),
    ((" 2 ",), _to, any_case(r"(?<=going|oving|.went) 2 (?=[a-z]+(?<!s)\b)|(?<=want|love|used|like|need"
        r"|able) 2 (?=(?P<verb>[a-z]+)\b)")),
    (("like ",), "", re.compile(r"\blike (?=\d{1,3} (?:years?|months?|weeks?|days?|hours?)\b)")),
    (("n ",), " and ", re.compile(r"(?<!\bfor)(?<!\bof)(?<!\bthe)(?<!\bby)(?<!\bto)(?<!\bwith)(?<!\bif)(?<!\bwhere)"
        r"(?<!\bis)(?<!\ball)(?<!\bevery)(?<=[\w!)]) n (?=[A-Za-z])(?!(?:is|items|times|steps|rows|and|or|must"
        r"|can)\b)")),
    (("n ",), "and ", any_case(r"^n (?=(?:I|we|my|our|I'm|I've)\b)")),
    # "gf" behind any other word is gluten-free: "we cook gf"
    (("gf",), r"\g<whose>girlfriend", any_case(r"(?P<whose>^|\b(?:my|his|her|their|your|ur|new|the|a|ex) )gf\b(?!-"
        r"| free)")),
    (("s ",), r"\g<who>'s ", any_case(r"\b(?P<who>(?:my|our|his|her|their) (?:m[uo]m|dad|sister|brother|wife|husband"
        r"|boss|(?:boy|girl)friend|gran|nan|son|daughter|landlord|car|flat|birthday))s (?=(?:a|an|the|not|in|at|on|from"
        r"|been|got|getting|coming|having|gone|going|very|really|too|so|still|now|just|\d{1,4})\b)")),
    (("",), r"I turn \g<age> ", any_case(r"\bI(?:'m| am) (?P<age>\d{1,3}) (?=(?:next|on|this|tomorrow|in (?:a|two|three"
        r"|\d))\b)")),
    ((" 4 ",), " for ", re.compile(r"(?:(?<=best|good|time|free)|(?<=asking)|(?<=looking|waiting)) 4 (?=[a-z])")),
    (("its ",), r"\g<it>t's ", re.compile(r"\b(?P<it>[Ii])ts (?=(?:a|an|the|not|so|just|been|going|gonna|really|too"
        r"|very|always|getting|helping|working|raining|snowing|now|on|at|my|our|about|(?:jan|feb|mar|apr|jun|jul|aug"
        r"|sept?|oct|nov|dec)(?= \d))\b)")),
    ((": ",), "", any_case(r" \((?:updated|revised|new|corrected|final|as of today)\)(?=[.!]?$)")),
    # a value behind a label, as in "Budget for Apollo: 50000", which is a sentence without its verb
    ((": ",), _stated, any_case(rf"^(?:the |our )?(?:(?P<attribute>{_ATTRIBUTE}) (?P<of>(?:for|of) [\w'’-]{{1,30}}(?: "
        rf"[\w'’-]{{1,30}}){{0,3}})|(?P<whose>(?-i:[A-Z])[\w-]{{1,30}}['’]s {_ATTRIBUTE})|(?P<compound>"
        rf"(?-i:[A-Z])[\w-]{{1,30}} (?:{_ATTRIBUTE}|{EVENT_NOUN}))): ?(?=\w|[$€£])")),
    # a statement about a thing without its article: "Orion review got moved", "Budget of Orion is 20k"
    (("",), _with_article, any_case(rf"^(?P<name>(?-i:[A-Z])[\w-]{{1,30}}) (?={_ATTRIBUTE} |{EVENT_NOUN} )(?=[\w-]+(?: "
        rf"date)? (?:is|was|has|got|will|moved|changed|went|slipped)\b)|^(?={_ATTRIBUTE} (?:for|of) "
        rf"(?-i:[A-Z])[\w'’-]{{1,30}} (?:is|was|has|will|went)\b)")),
    (("on ",), lambda match: _DAYS[match[0].lower()], any_case(r"(?<=\bon )(?:mon|tue|wed|thu|fri|sat|sun)\b(?! \d)")),
    (("were ",), lambda match: match[0] if _has_capital_word(match.string) else "we're ", re.compile(r"^were "
        r"(?=\w{2,20}ing\b)")),
    (("we",), lambda match: _ONE_OF_A_COUPLE[match["we"].lower()], any_case(r"^(?P<we>we(?: are| were| have|'re"
        r"|'ve)?)(?= (?:been |just |both |finally |only |getting |got |get ){0,3}(?:married|engaged|divorced"
        r"|separated)\b)")),
    # a request behind its reason: "I can't see small print so please write large"
    ((" so ",), ". ", any_case(r",? so (?=(?:please|keep it|remind me|tell me|give me)\b)")),
    (("me ",), "my ", any_case(r"(?:^|(?<=\band )|(?<=, ))me (?=(?:m[ua]m|dad|son|daughter|wife|missus|husband|brother"
        r"|sister|nan|mate|nephew|lad)s?\b)")),
    ((",",), ", ", any_case(r"(?<=[a-z]) ?,(?=(?:my|i|we|s?he|they|but|and|it)\b)")),
    (("well ",), "we'll ", re.compile(r"(?:(?<=^)|(?<=[.!?,;] )|(?<=\band ))well (?=(?:be|use|go|need|have|ship|launch"
        r"|meet|move|switch)\b)")),
)  # fmt: skip
"""Of a spelling: what a line with it holds one of, in lower case; what is put in its place; and the spelling."""


def normalized(line: str) -> str:
    """Return one line of speech with informal spellings put right, and a full stop between statements run together."""
    line = _BLANKS.sub(" ", line)
    lowered = line.lower()
    if not _SPELLED.keys().isdisjoint(lowered.replace(",", " ").replace(".", " ").replace("!", " ").split()):
        line = _WORD.sub(_spelled, line)
    for cues, replacement, pattern in _REPAIRS:
        if any(map(lowered.__contains__, cues)):
            line = pattern.sub(replacement, line)
    if lowered == line or not _has_capital_word(line):
        line = _with_names(line)
    return _ended(line) if len(line) > 30 else line


def _spelled(match: re.Match[str]) -> str:
    word = match[0]
    spelled = _SPELLED.get(word.lower())
    if spelled is None or (word.isupper() and len(word) > 1 and word not in ("IM", "IVE", "DONT", "CANT")):
        return word
    return spelled[:1].upper() + spelled[1:] if word[0].isupper() else spelled


def _with_names(line: str) -> str:
    line = _FIRST_WORD.sub(
        lambda match: match["name"].capitalize() if match["name"] in FIRST_NAMES else match["name"], line
    )
    return _NAME_CUES.sub(_named, line)


def _named(match: re.Match[str]) -> str:
    group = next(name for name, value in match.groupdict().items() if value is not None)
    words = match[group].split()
    start = match.start(group) - match.start()
    said = match[0]
    if group == "place":
        if " ".join(words) in PLACES:
            return said[:start] + " ".join(word.capitalize() for word in words)
        if words[0] in PLACES:
            return said[:start] + said[start].upper() + said[start + 1 :]
        if words[0] in _NO_NAME or _is_common(words[0]):
            return said
    elif words[0] in _NO_NAME or _is_common(words[0]):
        return said
    return said[:start] + said[start].upper() + said[start + 1 :]


def _is_common(word: str) -> bool:
    return word in STOPWORDS or word in BLAND or word in BASE_VERBS


def _ended(line: str) -> str:
    """Return the line with full stops where one statement begins right after another; nothing where it is
    punctuated."""
    if _ENDED.search(line, 0, len(line) - 2):
        return line
    parts: list[str] = []
    start = 0
    for match in _RUN_ON.finditer(line):
        said = line[max(start, match.start() - _LOOKED_BACK) : match.start()].split()
        if len(said) < _RUN_ON_WORDS_MIN or said[-1].lower() in _JOINS or _only_time(said) or _opens_relative(said):
            continue
        parts.append(line[start : match.start()])
        start = match.end()
    return ". ".join([*parts, line[start:]]) if parts else line


def _only_time(said: list[str]) -> bool:
    """Return whether it only says when: "last month | I moved"."""
    return said[-1].lower() in _TIMES and (len(said) <= _TIME_ALONE_WORDS_MAX or said[-2].lower() in _JOINS)


def _opens_relative(said: list[str]) -> bool:
    """Return whether what follows may say which one is meant: "the city | I live in"."""
    return any(word.lower() in ("the", "a", "an", "every", "any", "all") for word in said[-3:-1]) and len(said) < 8


SPEECH = "\x01"  # stands where somebody's quoted words were; a sentence that holds it is not the speaker's own

_SENTENCE_CHARS_MAX = 500  # longer runs without a full stop are data, not speech
_INJECTED_OPEN = any_case(r"<reverie-memory")
_INJECTED_CLOSE = any_case(r"</reverie-memory>")
_RECALLED = any_case(r"^[ \t]*retrieved memories:")
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*•–]|\d{1,3}[.)]|\[)")
_BULLET = re.compile(r"^[ \t]*(?:[-*•–+]|\d{1,3}[.)]|#{1,6})[ \t]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\ufeff]")
_APOSTROPHE = re.compile(r"(?<=\w)[’ʼ](?=\w)")
_INLINE_CODE = re.compile(r"`([^`\n]{1,80})`")
_EMAIL_QUOTE = any_case(r"^(?:On .{1,80} wrote:|-{2,}\s?(?:Original|Forwarded) |From: \S)")
_EMPHASIS = re.compile(r"\*\*|__|(?<=\s)[*_](?=\w)|(?<=\w)[*_](?=[\s.,!?])")
_WRITING_TASK = any_case(
    r"^(?:hi[,!]? |hello[,!]? |please |can you |could you |now |help me )*(?:write|rewrite|draft|compose|translate"
    r"|summari[sz]e|proofread|paraphrase|edit|correct|improve|rephrase|generate|act as|act like|pretend|you are"
    r"|you will|continue|classify|role-?play|imagine|create|fix|analy[sz]e|convert|grade|review)\b"
)
_RESUMES = any_case(r"^(?:by the way|btw|also, i|speaking of)\b")

_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|‘[^\n‘]{1,300}?’(?!\w)|«[^»\n]{1,300}»"
    r"|(?<!\w)'(?!(?:cause|em|til|n|bout|s|t|re|ve|ll|d|m)\b)(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w)"
)
_OWN_VOICE = any_case(r"\b(?:i|i'm|i've|i'll|i'd|my|me|we|we're|our|us|you|your)\b")
_LEADS_SPEECH = any_case(
    r"(?:\b(?:says?|said|saying|asks?|asked|told|tells|texted|wrote|writes|replied|answered|shouted|claims?|goes|like"
    r"|quote|went|yelled|thinks?)\b[^\"“‘«']{0,30}|:\s*)$"
)
_LONG_QUOTE_WORDS = 9

_BOUNDARY = re.compile(r"[.!?…]{1,10}[\"”’)\]*]{0,3}(?=\s|$)|[.!?…]{1,10}(?=[^\x00-\u2fff])|\n+")
_ABBREVIATION = any_case(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|e\.g|i\.e|approx|dept|fig|inc|ltd|co|corp|u\.s|u\.k|mt|ft|no)"
    r"|\b[A-Za-z])\.$"
)
_MACHINE = re.compile(
    r"(?:</?[a-zA-Z][\w-]{0,20}[ >/]|(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b[\]:]? "
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|Traceback |File \"|at \w+\.|import |from \w+ import |def |class \w+[(:]|return "
    r"|function |const |let \w+ =|var |public |private |#include|SELECT |INSERT |UPDATE |DELETE FROM |CREATE TABLE "
    r"|git |npm |pip |sudo |docker |\$ |>>> ))"
)
_ALNUM_SHARE_MIN = 0.72
_NO_PROSE = re.compile(r"[^\w ,.'’]|_")


def own_sentences(text: str, spelling: Callable[[str], str] | None = None) -> list[str]:
    """Return the sentences of ``text`` that its author wrote as statements of their own, in order.

    Injected or recalled memories, code, quoted mail, material pasted for a writing task and data lines are gone.
    ``spelling`` puts each line right before it is cut. Questions, hypotheticals and the like are still in: see
    :mod:`service.extraction.filters`.
    """
    lines = _own_lines(without_injected(_APOSTROPHE.sub("'", _CONTROL.sub(" ", text))))
    body = _masked_speech(_EMPHASIS.sub("", "\n".join(map(spelling, lines) if spelling else lines)))
    return list(_without_tasks(list(_split(body))))


def without_injected(text: str) -> str:
    """``text`` without what Reverie itself put into a prompt."""
    kept: list[str] = []
    at = 0
    while (start := _INJECTED_OPEN.search(text, at)) is not None:
        kept = _after_stray_close(kept, text[at : start.start()])
        end = _INJECTED_CLOSE.search(text, start.end())
        if end is None:
            return "\n".join(kept)
        at = end.end()
    return "\n".join(_after_stray_close(kept, text[at:]))


def _after_stray_close(kept: list[str], outside: str) -> list[str]:
    """``kept`` and ``outside``. Where the opening was cut off, what stands before its close was injected too."""
    *before, rest = _INJECTED_CLOSE.split(outside)
    return [rest] if before else [*kept, rest]


def _own_lines(text: str) -> Iterator[str]:
    """Lines outside code fences, quotes and recalled memories, with list marks removed."""
    fenced = recalled = False
    blank = True
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        elif _RECALLED.match(line):
            recalled = True
        elif recalled:
            recalled = not (blank and bare) or bool(_LIST_ITEM.match(line))
            if not recalled:
                yield bare
        elif _EMAIL_QUOTE.match(bare):
            return
        elif not fenced and not bare.startswith((">", "|")) and not _is_data(line):
            yield _INLINE_CODE.sub(r"\1", _BULLET.sub("", bare))
        blank = not bare


def _is_data(line: str) -> bool:
    """Indented code, tables of figures, log lines: too few letters and spaces to be prose."""
    if _MACHINE.match(line.lstrip()):
        return True
    if len(line) < 12:
        return False
    return len(_NO_PROSE.findall(line)) > (1 - _ALNUM_SHARE_MIN) * len(line)


def _masked_speech(text: str) -> str:
    if not any(mark in text for mark in "\"“‘«'"):
        return text

    def mask(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        before = text[max(0, match.start() - 60) : match.start()]
        words = inner.split()
        is_speech = len(words) > 1 and bool(_OWN_VOICE.search(inner)) and not inner.istitle()
        if is_speech or len(words) >= _LONG_QUOTE_WORDS or _LEADS_SPEECH.search(before):
            return SPEECH
        return match[0]

    return _QUOTED.sub(mask, text)


def _split(text: str) -> Iterator[str]:
    start = 0
    for match in _BOUNDARY.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text, max(start, match.start() - 8), match.end()):
            continue
        sentence = text[start : match.end()].strip()
        start = match.end()
        if 0 < len(sentence) <= _SENTENCE_CHARS_MAX:
            yield sentence
    rest = text[start:].strip()
    if 0 < len(rest) <= _SENTENCE_CHARS_MAX:
        yield rest


def _without_tasks(sentences: Sequence[str]) -> Iterator[str]:
    """Leaves out what follows "Translate this:" or "Write a story…": it is material, not a statement."""
    in_material = False
    for sentence in sentences:
        if _RESUMES.match(sentence):
            in_material = False
        if not in_material and _WRITING_TASK.match(sentence) and not sentence.endswith("?"):
            in_material = not is_instruction(sentence)
        if not in_material:
            yield sentence


_SUBJECT = r"(?:(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our|the|from now on|please|always|never|don't)\b|(?-i:[A-Z]))"
_LABEL = any_case(
    r"(?:(?:just|also|and|oh|so|a|an|some|quick|small|little|side|important|final|another|minor|short|personal|random"
    r"|fun|general) ){0,4}(?:notes?|updates?|corrections?|reminder|heads[ -]up|fyi|context|background|disclaimer"
    r"|confession|news|facts?|important|p\.?s\.?|pps|edit|info|information|intro|introduction|about me|btw|allergy info"
    r"|health info|warning|attention|good to know|thing|(?:one )?(?:more|other|last) thing|first things first"
    r"|clarification|addendum|detail)(?: for (?:you|later|context|next time))?(?:\s?[:;.!–—]|,|\s-(?=\s)) {0,2}(?=\S)"
)
_PHRASE = any_case(
    r"(?:(?:just|also|and|oh|so|ah) ){0,2}(?:for your information|for context|on a personal note|for the record"
    r"|to be clear|to clarify|in case (?:it (?:matters|helps|is relevant)|you(?:'re| are) wondering|you need it"
    r"|you didn't know)|if (?:it (?:matters|helps)|you must know)|as (?:i said|i mentioned|mentioned|you know"
    r"|a heads[ -]up)|like i said|before i forget|while i remember|(?:just )?so (?:you know|you're aware)"
    r"|(?:just )?(?:to let|letting) you know|worth (?:knowing|noting|mentioning)|fun fact|one (?:more|other|last) thing"
    r"|(?:i'm |i am )?not sure (?:if|whether) i(?:'ve| have)? (?:told you|mentioned)(?: it| this| that)?(?: yet"
    r"| already| before)?,? but|i don't (?:know|think) (?:if )?i(?:'ve| have)? (?:told you|mentioned)(?: it| this"
    r"| that)?(?: yet| already| before)?,? but"
    rf"|don't know if i (?:told you|mentioned)(?: it| this)?,? but|turns out|it turns out|the thing is|fact is"
    rf"|speaking of which)(?:[:,.–—]| -)? (?:that )?(?={_SUBJECT})"
)
_TELLING = any_case(
    r"(?:(?:also|so|and|oh|well|please),? ){0,2}(?:(?:i|we) (?:should|must|forgot to|wanted to|want to|need to|have to"
    r"|ought to|(?:'d|would) like to|just wanted to)(?: also| probably| just)? (?:mention|add|say|note|point out"
    r"|let you know|tell you|clarify|inform you)|(?:you|u) (?:should|might want to|need to|gotta|must)(?: also)? "
    r"(?:know|note|remember)|(?:(?:i'd|i would|i) )?(?:like|love|want) you to (?:know|remember|keep in mind)"
    r"|let me (?:tell you|clarify|add)|(?:note|remember|keep in mind|be aware|be advised|bear in mind|know"
    r"|don't forget)(?: too| also)?"
    rf"|it(?:'s| is) worth (?:mentioning|noting|knowing)|did you know)(?: that)?[,:]? (?={_SUBJECT})"
)
_SECOND_THOUGHT = any_case(
    r"(?:(?:or|and|but) actually|actually|no wait|wait|hold on|scratch that|sorry|my mistake|oops|i mean|i meant"
    r"(?: to say)?|sorry,? i meant|no|correction)[,:.!]*(?: actually,?)? "
    r"(?=(?:i|i'm|i've|my|we|we're|our|the|make it|it's)\b)"
)


_STRIPS_MAX = 6

_LOOSE = any_case(
    r"(?:and|but|so+|also|plus|well|oh|ah|btw|by the way|anyways?|actually|honestly|yeah|yep|yup|yes|okay|ok|haha|lol"
    r"|luckily|a lot(?:'s| has) (?:happened|changed)[\w ]{0,25}|that's why|that is why|since (?:our|we) last (?:chat"
    r"|talk|chatted|talked|spoke)|thankfully|unfortunately|fortunately|sadly|basically|meanwhile|guess what"
    r"|you won't believe it|hey|ugh|hmm+|um+|uh|nah|omf?g|ngl|tbh|smh|yo|fml|heads up|lmf?ao|(?:br(?:o|uh|other)|dude"
    r"|man|mate|girl)(?=,? (?:i|i'm|i've|we|we're|my)\b)|like(?=,? (?:i|i'm|i've|we|we're|we've|she|she's|he|he's|they"
    r"|they're|they've|it's|on|at|last|yesterday)\b)|(?:i )?(?:can't|cannot) believe it,? but|(?:i )?hate to (?:say it"
    r"|be that (?:guy|girl|person)),? but|turns out(?: that)?|(?:i |we )?haven't (?:talked|chatted|spoken) (?:in"
    r"|for) [\w ]{2,20}(?=,)|long story short|kinda(?= (?:miss|want|need|love|like|hate)\b)|(?:my |our )?new (?:address"
    r"|job|home|place|flat|apartment)(?=[:!,-] (?:i|we|i'm|we're|i've|we've)\b)|(?:n|right)(?=,? (?:i|i'm|i've|we|we're"
    r"|my)\b)|(?:i think )?i should (?:probably )?(?:tell you|let you know|mention|say)(?: about [\w' ]{2,30}(?=,)"
    r"| that)?|(?:too|bit|a bit|quite|pretty|super) [\w']{2,15}(?: for (?:me|us))?(?=, (?:i|i'm|i've|we|we're|my)\b)"
    r"|(?:hi|hello|hey),? (?!i\b|we\b)\w{2,15} here(?=,)|(?:please )?(?:remember|note|keep in mind|be aware) that"
    r"|for the record)\b[\s,.!:;–—-]{1,5}"
)
_STRICT = any_case(
    r"(?:(?:wow|woah|whoa|hi|hello|thanks|thank you|thx|thanks (?:so much|a lot|a bunch|again|for asking)"
    r"|thank you so much|no|nope|nah|sure|sure thing|absolutely|definitely|totally|exactly|right|cool|awesome|great"
    r"|nice|amazing|sweet|aw+|woo+(?:hoo+)?|whoop|phew|yikes|correction|note|true|indeed|of course|for sure|no worries"
    r"|no problem|no doubt|good (?:morning|evening|afternoon)|on another note|(?:i )?(?:think|guess|hope|suppose) so"
    r"|to be honest|in fact|as always|you know|i mean|i think|fun fact|good news|great news|big news|update|yay|man"
    r"|dude|fyi|so far so good|not much|not really|same here|me too|i know|i see|trust me|i agree|totally agree"
    r"|congrats|as for me|for me|on my end|in my case|in other news|also|recently|speaking of [\w\s']{2,40}"
    r"|like)(?: (?-i:[A-Z][a-z]{1,15}))?)\s?(?:[,!.:;–—]|-(?=\s)){1,3}\s*"
)
_OPENINGS = (_LABEL, _PHRASE, _TELLING, _SECOND_THOUGHT, _STRICT, _LOOSE)
_CALLED = re.compile(r"([A-Z][a-z]{1,15})(?:,|!)\s+")
_CALLED_LAST = re.compile(r",\s([A-Z][a-z]{1,15})(?=[.!]{0,3}$)")
_LEADING_MARKS = re.compile(r"^[^\w\"“'‘$€£(]+")
_DROPPED = any_case(r"^(just|always|still|finally|also|recently|already|even|actually|probably|never)\s(?=[a-z])")
_FINITE = any_case(
    r"\b(?:is|are|was|were|has|have|had|'s|helps?|helped|makes?|made|gives?|gave|brings?|brought|can|will|would|lets?"
    r"|gets?|means?|takes?|keeps?|feels?|felt|really|always|inspires?|requires?|teaches|taught|sounds?|seems?|reminds?"
    r"|does|did|must|could)\b"
)
_FEELING = any_case(
    r"^(?:so |really |super |very )?(?:excited|thrilled|proud|lucky|grateful|nervous|stressed|determined|ready|eager"
    r"|hopeful|worried|tired|glad|happy)\s(?:to|about|for|that|of|with|because|i|we|my|our)\b"
)
_BARE_VERB = any_case(
    r"^(?:not (?:a (?:big |huge )?fan of|keen on|into)|can't (?:do|eat|drink|have)|miss|want|wanna|need|hope|plan|love"
    r"|hate|prefer|enjoy|gotta|have to|used to|can't stand|don't like|didn't|haven't)\b\s(?!you|it|that|this|me\b|us\b"
    r"|is\b|and\b|was\b|in\b|of\b|can\b|are\b|to see\b)"
)
_AFTER_VERB = any_case(
    r"^\w+\s(?:the|an?|my|our|some|to|at|in|on|up|out|down|off|with|for|about|this|these|lots|two|three|his|her"
    r"|their|over|back|around|into)\b|^\w+ \w+, (?:i|i'm|i've|we|we're|my)\b"
)
_GOING_IS_SUBJECT = any_case(
    r"^going to (?:the |an? |my |our )?\w++[^,;.]*\b(?:is|was|are|were|has|had|have|made|makes|gave|gives|helped|helps|"
    r"felt|feels|taught|showed|brought|brings)\b"
)
_GOING = any_case(r"(?:gonna|going to)\s(?!be\b)")
_ABOUT_PAST = re.compile(r"^\w+ (?:by|is|was|are|has)\b")
_GERUND_SUBJECTS = word_set("going being seeing having knowing hearing")
_NO_DROPPED_I = word_set("bit let put cut set read quit hit shut hurt bet stuck")
_KIN = any_case(
    r"^(?:m[uo]m(?:my)?|dad(?:dy)?|gran(?:d(?:m|p)a|ny)?|husband|wife|boss|landlord|(?:boy|girl)friend|roommate"
    r"|sister|brother|neighbou?r)(?:'s)? (?=[a-z])"
)
_TAGS = any_case(
    r"(?:,?(?: [-–—])? (?:k|kk|xx|xxx|btw|smh|ngl|tbh|imo|imho|omg|no debate|I (?:guess|think)|wish me luck"
    r"|(?:I )?can't wait|thank god|ugh|fr|if (?:that|it) (?:matters|helps|counts)"
    r"|if you(?:'re interested| care| must know))){1,4}(?=[.!]{0,3}$)"
)
_BY_THE_WAY = any_case(r",? btw(?=,| (?:so|and|but)\b)")
_DONE_TO_ME = any_case(
    r"^they (?P<done>promoted|hired|fired|offered|gave|accepted|rejected|laid) me\b(?: (?P<off>off)\b)?"
)
_TAIL = any_case(
    r"(?:,? so|\s[-–—]|;|,)? let's [^.!?]{1,80}(?=[.!]|$)"
    r"|[,;] (?:why|how come|what|who) (?:am|are|do|did) (?:i|you|we)\b[^.!?]{1,60}(?=[.!]|$)"
)
_HEDGED = any_case(r",? I (?:think|guess|reckon|suppose)(?=,)")
_QUIT = any_case(r"^quit (?:in|last|on|my|the|this|smoking|drinking|back)\b")


def without_opening(sentence: str, people: Collection[str]) -> str:
    """Return the sentence without leading interjections ("Wow,", "Thanks, Mel!") and without the listener's name."""
    sentence = _LEADING_MARKS.sub("", sentence)
    for _ in range(_STRIPS_MAX):
        match = next(filter(None, (opening.match(sentence) for opening in _OPENINGS)), None)
        if match is None:
            match = _CALLED.match(sentence)
            if match is None or not _is_called(match[1], people):
                break
        sentence = _LEADING_MARKS.sub("", sentence[match.end() :])
    last = _CALLED_LAST.search(sentence)
    if last is not None and _is_called(last[1], people):
        sentence = sentence[: last.start()] + sentence[last.end() :]
    sentence = _HEDGED.sub("", _BY_THE_WAY.sub("", _TAGS.sub("", sentence)))
    return sentence if sentence[:4].lower() in ("let'", "lets") else _TAIL.sub("", sentence)


def _is_called(word: str, people: Collection[str]) -> bool:
    return any(
        name == word or (name.startswith(word[:3]) and len(word) > 2) or (len(word) == 2 and name.startswith(word))
        for name in people
    )


def with_subject(sentence: str) -> str:
    """ "Went hiking" becomes "I went hiking", "Researching schools" "I'm researching schools"; else unchanged."""
    adverb = _DROPPED.match(sentence)
    head = adverb[0].lower() if adverb else ""
    rest = sentence[len(head) :]
    first = rest.split(" ", 1)[0].lower().strip(",.!")
    done = _DONE_TO_ME.match(sentence)
    if done is not None:
        participle = "given" if done["done"].lower() == "gave" else done["done"].lower()
        return f"I was {participle}{' off' if done['off'] else ''}{sentence[done.end() :]}"
    if (LEFT_FOR.match(sentence) and first in ("quit", "left")) or _QUIT.match(sentence):
        return f"I {_lowered(sentence)}"
    if _KIN.match(sentence):
        return f"My {_lowered(sentence)}"
    if first == "been":
        return f"I've {head}{_lowered(rest)}"
    if (
        is_past(first)
        and first not in _NO_DROPPED_I
        and (first in IRREGULAR_PAST or _AFTER_VERB.match(rest))
        and not _ABOUT_PAST.match(rest)
    ):
        return f"I {head}{_lowered(rest)}"
    going = first in ("gonna", "going") and _GOING.match(rest) and not _GOING_IS_SUBJECT.match(rest)
    doing = first not in _GERUND_SUBJECTS and gerund_base(first) is not None and not _has_finite_verb(rest)
    if going or doing or _FEELING.match(rest):
        return f"I'm {head}{_lowered(rest)}"
    if _BARE_VERB.match(rest):
        return f"{'I am' if first == 'not' else 'I'} {head}{_lowered(rest)}"
    return sentence


def _has_finite_verb(text: str) -> bool:
    """Return whether a verb makes an opening gerund the subject: "Trying new flavors has been fun"."""
    clause = re.split(r";|\s[-–—]\s", text, maxsplit=1)[0]
    return bool(_FINITE.search(clause)) or any(
        len(word) > 4 and is_present(word) for word in clause.lower().split()[2:]
    )


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
