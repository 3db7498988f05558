"""The first stage: informal and misspelt English as the rules spell it, and sentences that nobody ended.

Only spellings with one reading are put right; what could be another word ("id", "ill", "its", "were") needs the word
after it. Names in a text without any capital get theirs where the words before them say what they are.
"""

from __future__ import annotations

import re

from service.domain.word_lists import pairs, word_set
from service.extraction.lexicon import BASE_VERBS, BLAND, STOPWORDS
from service.extraction.mentions import FIRST_NAMES, PLACES
from service.extraction.patterns.grammar import EVENT_NOUN

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
_LABELLED = re.compile(
    rf"^(?:the |our )?(?:(?P<attribute>{_ATTRIBUTE}) (?P<of>(?:for|of) [\w'’-]{{1,30}}(?: [\w'’-]{{1,30}}){{0,3}})"
    rf"|(?P<whose>(?-i:[A-Z])[\w-]{{1,30}}['’]s {_ATTRIBUTE})"
    rf"|(?P<compound>(?-i:[A-Z])[\w-]{{1,30}} (?:{_ATTRIBUTE}|{EVENT_NOUN}))): ?(?=\w|[$€£])",
    re.IGNORECASE,
)
"""A value behind a label, as in "Budget for Apollo: 50000", which is a sentence without its verb."""
_BARE = re.compile(
    rf"^(?P<name>(?-i:[A-Z])[\w-]{{1,30}}) (?={_ATTRIBUTE} |{EVENT_NOUN} )(?=[\w-]+(?: date)? "
    rf"(?:is|was|has|got|will|moved|changed|went|slipped)\b)"
    rf"|^(?={_ATTRIBUTE} (?:for|of) (?-i:[A-Z])[\w'’-]{{1,30}} (?:is|was|has|will|went)\b)",
    re.IGNORECASE,
)
"""Where a statement about a thing lacks its article: "Orion review got moved", "Budget of Orion is 20k"."""
_NOT_NAMES = word_set("my our the his her their your this that next last every each no any what which whose")
_REVISED = re.compile(r" \((?:updated|revised|new|corrected|final|as of today)\)(?=[.!]?$)", re.IGNORECASE)
_LONE_I = re.compile(r"(?<![\w'./-])i(?=[ ,]|'(?:m|ve|ll|d)\b|$)")
_ID = re.compile(r"\b[Ii]d (?=(?:like|love|prefer|rather|say|be|never|really|also|always|have|go|want)\b)")
_ID_OPENS = re.compile(
    r"(?:^|[,.!?;] |\b(?:and|but|so|then|only|oh|yeah) )id (?=(?P<verb>[a-z]{2,12})\b)", re.IGNORECASE
)
_ILL = re.compile(
    r"\b[Ii]ll (?=(?:be|use|go|do|have|take|get|need|try|call|send|buy|make|move|start|see|let|probably|never|just"
    r"|also|keep|stick|switch|pay|book|meet|finish|pick|come|join|ask)\b)"
)
_WELL = re.compile(
    r"(?:(?<=^)|(?<=[.!?,;] )|(?<=\band ))well (?=(?:be|use|go|need|have|ship|launch|meet|move|switch)\b)"
)
_TWO_FOR_TO = re.compile(
    r"(?<=going|oving|.went) 2 (?=[a-z]+(?<!s)\b)|(?<=want|love|used|like|need|able) 2 (?=(?P<verb>[a-z]+)\b)",
    re.IGNORECASE,
)
_N_FOR_AND = re.compile(
    r"(?<!\bfor)(?<!\bof)(?<!\bthe)(?<!\bby)(?<!\bto)(?<!\bwith)(?<!\bif)(?<!\bwhere)(?<!\bis)(?<!\ball)(?<!\bevery)"
    r"(?<=[\w!)]) n (?=[A-Za-z])(?!(?:is|items|times|steps|rows|and|or|must|can)\b)"
)
_FOUR_FOR_FOR = re.compile(r"(?:(?<=best|good|time|free)|(?<=asking)|(?<=looking|waiting)) 4 (?=[a-z])")
_AND_OPENS = re.compile(r"^n (?=(?:I|we|my|our|I'm|I've)\b)", re.IGNORECASE)
_GIRLFRIEND = re.compile(r"(?:^|\b(?:my|his|her|their|your|ur|new|the|a|ex) )gf\b(?!-| free)", re.IGNORECASE)
""""gf" behind any other word is gluten-free: "we cook gf"."""
_KIN_IS = re.compile(
    r"\b(?P<who>(?:my|our|his|her|their) (?:m[uo]m|dad|sister|brother|wife|husband|boss|(?:boy|girl)friend|gran|nan|son"
    r"|daughter|landlord|car|flat|birthday))s (?=(?:a|an|the|not|in|at|on|from|been|got|getting|coming|having|gone"
    r"|going|very|really|too|so|still|now|just|\d{1,4})\b)",
    re.IGNORECASE,
)
_TURNS_AGE = re.compile(
    r"\bI(?:'m| am) (?P<age>\d{1,3}) (?=(?:next|on|this|tomorrow|in (?:a|two|three|\d))\b)", re.IGNORECASE
)
_IT_IS = re.compile(
    r"\b(?P<it>[Ii])ts (?=(?:a|an|the|not|so|just|been|going|gonna|really|too|very|always|getting|helping|working"
    r"|raining|snowing|now|on|at|my|our|about|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?= \d))\b)"
)
_ON_DAY = re.compile(r"(?<=\bon )(?:mon|tue|wed|thu|fri|sat|sun)\b(?! \d)", re.IGNORECASE)
_DAYS = pairs("mon=monday tue=tuesday wed=wednesday thu=thursday fri=friday sat=saturday sun=sunday")
_SO_REQUESTS = re.compile(r",? so (?=(?:please|keep it|remind me|tell me|give me)\b)", re.IGNORECASE)
"""A request behind its reason: "I can't see small print so please write large"."""
_ME_FOR_MY = re.compile(
    r"(?:^|(?<=\band )|(?<=, ))me (?=(?:m[ua]m|dad|son|daughter|wife|missus|husband|brother|sister|nan|mate|nephew"
    r"|lad)s?\b)",
    re.IGNORECASE,
)
_COMMA_UNSPACED = re.compile(r"(?<=[a-z]) ?,(?=(?:my|i|we|s?he|they|but|and|it)\b)", re.IGNORECASE)
_COUPLE = re.compile(
    r"^(?P<we>we(?: are| were| have|'re|'ve)?)"
    r"(?= (?:been |just |both |finally |only |getting |got |get ){0,3}(?:married|engaged|divorced|separated)\b)",
    re.IGNORECASE,
)
_ONE_OF_A_COUPLE = pairs("""
    we=I we~are=I~am we~were=I~was we~have=I~have we're=I'm we've=I've""")
_WE_ARE = re.compile(r"^were (?=\w{2,20}ing\b)")
_ABOUT_AGO = re.compile(r"\blike (?=\d{1,3} (?:years?|months?|weeks?|days?|hours?)\b)")
_BLANKS = re.compile(r"[^\S\n]{1,40}")
_I_AM_SPACED = re.compile(r"\b[Ii] (?=m\b |ve\b |ll\b |d\b )(m|ve|ll|d)\b")

_ENDED = re.compile(r"[.!?;:]|,(?= )")
_RUN_ON = re.compile(
    r" (?=(?:also )?(?:I'm|I've|I'll|I don't|I can't|I hate|I love|I like|I live|I work|I prefer|I have|I need"
    r"|I want|I moved|I never|I always"
    r"|I usually|I was|I got|I went|my (?:\w+ ){1,2}(?:is|are|was|lives|works|has)|let's|please|don't (?!like\b"
    r"|know\b|have\b|want\b)|remind me)\b)"
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
    r"\b(?:(?:live|living|based|lives|staying) in|(?:moved|moving|relocated|relocating) (?:back )?to|(?:trip|travel"
    r"|fly|flight|flying|went) to|(?:I'm|i am|come|comes|came|originally) from) "
    r"(?P<place>[a-z]{3,20}(?: [a-z]{3,12})?)\b"
    r"|\b(?:work|works|working|started|start|job|employed|interned|joined) (?:at|for|with) "
    r"(?P<company>[a-z][\w&-]{2,20})\b"
    r"|\b(?:my name is|my name's|call me|i go by|named|called) (?P<person>[a-z]{2,15})\b"
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


def normalized(line: str) -> str:
    """One line of speech with informal spellings put right, and a full stop between statements run together."""
    line = _BLANKS.sub(" ", line)
    lowered = line.lower()
    if not _SPELLED.keys().isdisjoint(lowered.replace(",", " ").replace(".", " ").replace("!", " ").split()):
        line = _WORD.sub(_spelled, line)
    if "i" in lowered:
        line = _LONE_I.sub("I", line)
    if "ill " in lowered or "id " in lowered or "i m " in lowered or "i ve " in lowered:
        line = _I_AM_SPACED.sub(lambda match: f"I'{match[1]}", line)
        line = _ID_OPENS.sub(_would, _ILL.sub("I'll ", _ID.sub("I'd ", line)))
    if " 2 " in lowered:
        line = _TWO_FOR_TO.sub(_to, line)
    if "like " in lowered:
        line = _ABOUT_AGO.sub("", line)
    if "n " in lowered:
        line = _AND_OPENS.sub("and ", _N_FOR_AND.sub(" and ", line))
    if "gf" in lowered:
        line = _GIRLFRIEND.sub(lambda match: f"{match[0][:-2]}girlfriend", line)
    if "s " in lowered:
        line = _KIN_IS.sub(lambda match: f"{match['who']}'s ", line)
    line = _TURNS_AGE.sub(lambda match: f"I turn {match['age']} ", line)
    if " 4 " in lowered:
        line = _FOUR_FOR_FOR.sub(" for ", line)
    if "its " in lowered:
        line = _IT_IS.sub(lambda match: f"{match['it']}t's ", line)
    if ": " in lowered:
        line = _LABELLED.sub(_stated, _REVISED.sub("", line))
    line = _BARE.sub(_with_article, line, count=1)
    if "on " in lowered:
        line = _ON_DAY.sub(lambda match: _DAYS[match[0].lower()], line)
    if not _has_capital_word(line):
        line = _WE_ARE.sub("we're ", line)
    line = _COUPLE.sub(lambda match: _ONE_OF_A_COUPLE[match["we"].lower()], line)
    if " so " in lowered:
        line = _SO_REQUESTS.sub(". ", line)
    if "me " in lowered:
        line = _ME_FOR_MY.sub("my ", line)
    if "," in line:
        line = _COMMA_UNSPACED.sub(", ", line)
    if "well " in lowered:
        line = _WELL.sub("we'll ", line)
    if lowered == line or not _has_capital_word(line):
        line = _with_names(line)
    return _ended(line) if len(line) > 30 else line


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


def _spelled(match: re.Match[str]) -> str:
    word = match[0]
    spelled = _SPELLED.get(word.lower())
    if spelled is None or (word.isupper() and len(word) > 1 and word not in ("IM", "IVE", "DONT", "CANT")):
        return word
    return spelled[:1].upper() + spelled[1:] if word[0].isupper() else spelled


def _has_capital_word(line: str) -> bool:
    return any(word[:1].isupper() and word not in ("I", "I'm", "I've", "I'll", "I'd") for word in line.split()[1:])


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
    """The line with full stops where one statement begins right after another; nothing where it is punctuated."""
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
    """Whether it only says when: "last month | I moved"."""
    return said[-1].lower() in _TIMES and (len(said) <= _TIME_ALONE_WORDS_MAX or said[-2].lower() in _JOINS)


def _opens_relative(said: list[str]) -> bool:
    """Whether what follows may say which one is meant: "the city | I live in"."""
    return any(word.lower() in ("the", "a", "an", "every", "any", "all") for word in said[-3:-1]) and len(said) < 8
