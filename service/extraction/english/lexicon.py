"""English words: verbs and their forms, function words, words that carry no news, names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.domain.guards import base_of_irregular
from service.domain.word_lists import places, word_set

BASE_VERBS = word_set("""
    accept achieve act adapt add admire admit adopt adore advise agree aim allow analyze answer apologize appear
    apply appreciate argue arrive ask assume attend avoid bake balance be become begin believe belong bet bike bond
    book borrow bother brainstorm break breathe brew bring build bump burn buy cancel call care carry carve catch
    celebrate change chat check cherish choose chop clean climb close coach code collect combine come communicate
    commute compare compete complete compose concentrate connect consider consult continue contribute control cook
    count crave create cry cut cycle dance deal debug decide decorate dedicate deliver depend deploy describe
    deserve design despise detest develop discover discuss dislike do donate dream dress dye drink drive drop earn
    eat edit embrace enjoy ensure enter escape exercise expand expect experience experiment explain explore express
    face fail fall favor fear feed feel fight figure fill find finish fish fit fix fly focus follow forget
    freelance gain garden gather get give go golf grab graduate grow guess handle hang happen hate have head hear
    help hike hold honor hope host hurt identify imagine improve include incorporate inspire intend invest invite
    jog join journal juggle jump keep kick knit know lack laugh launch lead learn lease leave lend let lift like
    listen live loathe look lose love maintain make manage market marry matter mean measure meditate meet mentor
    mind miss mix motivate move need notice offer open order organize outline own paint pay perform pick plan plant
    play pledge post practice practise praise pray prefer prepare present promise promote protect provide publish
    pursue push put quit raise reach read realize receive recharge recommend record recover redecorate reduce
    refuse relate relax relocate rely remember remind remodel rent repair replace report represent research respect
    respond rest return review ride run save say schedule score search see seek seem sell send serve set sew share
    ship shoot shop show sing sit ski skip sleep smell smile smoke snack solve speak spend stand start stay stick
    stop store strive struggle study subscribe abandon acquire allocate announce annoy appoint approve archive
    arrange assign attach audit automate ban bark battle beat bill blog boil bore brush budget bully bury camp cast
    cater cheat cheer chew clear click collaborate commit complain confirm conflict confuse consume convert
    convince cope correct crash criticize cross cure damage date deadlift decline default delay delegate delete
    demand deny depart deprecate devote dig dine discourage download draft drag drum dry email employ enable
    encourage end enforce engage enroll estimate evaluate examine exceed exchange exclude exist expire export
    extend fade farm fetch file film finalize fire flood fold foster freeze function fund gamble generate grade
    grill grind guard guide harm harvest haunt heal hesitate hire hunt hurry ignore implement import inform inherit
    insist inspect install integrate interview introduce invent involve invoice iron isolate itch kayak kiss kneel
    label land lay lie limit link lint list load lock log merge message migrate mow multiply name negotiate nod
    observe obtain occupy occur offend operate oppose oversee overthink owe pack park participate pass pause permit
    phone photograph ping pitch plug postpone pour preach preorder preserve press pretend prevent print produce
    program proofread propose prove punish purchase quote race raid rain range rank rate react rebase rebuild
    recruit recycle refactor refill register regret rehearse reject release remain remove renew renovate reply
    request require reschedule resemble reserve reset resign resist resolve restart restore retire retrain reuse
    reveal reward rotate rush sail scan scare scold scratch scream sculpt separate settle shave shift shout shower
    shrink shut sign simplify sink skate sketch slip slow snore snow solder sort spill split sponsor spread squat
    squeeze stain stare steal steam stretch style submit subtract supervise supply suppose survive suspect swap
    swear sweat sweep swing tackle target tax tease test text thread tidy tie time tip top tour trade transfer trim
    tutor twist type undo unplug unsubscribe upload urge vacuum vape vote wag warn water weave weld whisper wipe
    wire withdraw wrap yell succeed suffer suggest support surf surround swim switch take talk taste teach tell
    tend thank think throw touch track train translate travel treasure treat trust try turn understand unwind
    update upgrade use value vary view visit volunteer wait wake walk wander want wash waste watch wear weigh
    welcome whip win wish wonder work worry worship write""")

IRREGULAR_PAST = word_set("""
    ate bought built became began bit bled blew broke brought burnt came caught chose cut did drew drank drove
    dreamt fell fed felt fought found flew forgot forgave froze gave got grew had heard held hid hit hung hurt kept
    knew laid led learnt left lent let lit lost made meant met paid put quit ran rang read rode rose said sang sat
    saw sent set sewed shook shot showed shut slept sold spent spoke stood stole stuck struck swam swept taught
    threw told took thought tore understood was were went woke won wore wrote""")
PARTICIPLES = word_set("""
    been begun bitten blown broken chosen come done drawn driven drunk eaten fallen flown forgotten forgiven frozen
    given gone got gotten grown hidden known ridden risen run seen shaken shown spoken stolen sung swum taken
    thrown torn woken worn written become""")

ADVERBS = word_set("""
    really also just never always often sometimes usually still already recently finally currently actually even
    only mostly mainly now then definitely totally absolutely truly both all almost kind kinda sort sorta of first
    once soon twice no longer rarely hardly barely ever simply highly too generally typically probably""")

MODALS = word_set("will would can could shall should may might must cannot can't won't wouldn't couldn't")
AUXILIARIES = word_set("am is are was were be been being have has had do does did") | MODALS

STOPWORDS = (
    word_set("""
        a an the and or but so if as at by for from in into of off on onto out over to up down with without about
        after before than then there here that this these those it its it's i i'm i've i'll i'd me my mine myself
        we we're we've we'll us our ours you your yours yourself he she they them their his her him who whom which
        what when where why how not no yes don't doesn't didn't isn't wasn't haven't hasn't can't couldn't won't
        wouldn't shouldn't too very also just really even still ever more most much many some any all both each
        every other another own same such only again while because since until through whenever during around
        between back away am is are was were be been being have has had do does did will would can could shall
        should may might must let's that's there's what's you're they're he's she's 'cause cause like well though
        although however lately anyway either them'""")
    | ADVERBS
)

BLAND = word_set("""
    awesome great amazing cool nice good fun thing things stuff lot lots time times way day days happy glad proud
    sure bit kind super pretty wow yeah okay ok totally definitely absolutely true right best better big little
    much hard tough incredible wonderful beautiful lovely interesting exciting excited inspiring special important
    crazy wild sweet cute perfect fantastic get got getting go going went come came know knew see saw seen look
    looks looking looked make makes made making feel feels feeling felt think thinking thought say said tell told
    talk talking want wanted need needed take takes took keep keeps give gives gave help helps helped mean means
    meant try trying love loved appreciate thank thanks hear heard guess hope yes everyone everything anything
    something nothing someone one ones people worth check forward wait believe agree yep yup gonna wanna gotta lol
    haha chat chatted catch last week year month today since ago weekend seems seem words deal part point idea
    first new support kindness journey life kudos dream dreams world next moment moments cannot gets goes share
    shared sharing pic photo picture pics photos encouragement goals push pushing chance hey hi hello stay staying
    positive strong motivated busy alright fine grateful thankful lucky blessed joy mood quit smile smiling matter
    matters difference able bring brings step steps heart honored amazed truly thrilled pumped stoked brought
    reminds reminder remind happiness happier hang sort blast impact move moving opportunity opportunities
    experience experiences success fulfilling rewarding vibe vibes appreciated honest course kinda hopeful content
    comfort peace plans plan ready set worked working works mind whole alone ways ride hanging emotions unknown
    hoping stepping fan huge done coming believing sticking proving mixed""")

MONTHS = places("""
    january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct
    november/nov december/dec""")

WEEKDAYS = places(
    "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun", 0
)

MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"

SMALL_NUMBERS = places("""
    a/an/one a~couple~of/couple~of/two a~few/few/three several/four five six seven eight nine ten eleven twelve""")

PLACES = word_set("""
    africa america argentina asia athens atlanta auckland australia austin austria bali bangkok barcelona beijing
    belgium bergen berlin bogota boston brazil britain brooklyn brussels budapest cairo california canada chicago
    chile china colombia colorado copenhagen croatia cuba dallas delhi denmark denver detroit dubai dublin
    edinburgh egypt england europe finland florence florida france geneva georgia germany greece hamburg hawaii
    helsinki houston hungary iceland india indonesia iran ireland israel istanbul italy japan jakarta kenya korea
    kyoto lisbon london lyon madrid malaysia manhattan manchester melbourne mexico miami milan minnesota montreal
    morocco moscow mumbai munich nairobi nashville nepal netherlands nevada norway nyc oregon orlando osaka oslo
    ottawa paris peru philadelphia philippines phoenix poland portland porto portugal prague rome russia scotland
    seattle seoul shanghai singapore spain stockholm sweden switzerland sydney taiwan tampa texas thailand tokyo
    toronto turkey uk ukraine usa vancouver vermont vienna vietnam wales warsaw washington yerevan zurich""") | {
    "new york", "new york city", "los angeles", "san francisco", "san diego", "las vegas", "new zealand", "costa rica",
    "south africa", "hong kong", "buenos aires", "cape town", "united states", "united kingdom", "rio de janeiro",
    "new orleans", "new jersey", "new mexico", "north carolina", "south carolina", "saudi arabia", "sri lanka",
}  # fmt: skip
PRODUCTS = word_set("""
    airtable android angular ansible aws azure bigquery bitbucket bigtable c c# c++ celery chatgpt chrome claude
    clickhouse dbt django docker dynamodb elasticsearch excel fastapi figma firefox flask gcp gemini git github
    gitlab gmail go golang grafana haskell instagram ios ipad iphone java javascript jenkins jira jupyter kafka
    kotlin kubernetes langchain laravel linux macbook macos mongodb mysql netflix nginx node.js notion numpy
    obsidian ollama openai oracle outlook pandas photoshop php playstation postgres postgresql powerpoint
    prometheus python pytorch rabbitmq rails react redis redshift ruby rust salesforce scala shopify slack
    snowflake spark spotify sqlite stripe supabase svelte swift tableau tensorflow terraform tiktok trello twitter
    typescript ubuntu vercel vim vscode vue windows xbox youtube zapier zig zoom""")
FIRST_NAMES = word_set("""
    aaron adam alan albert alex alexander alice alison amanda amy andrea andrew angela anna anne anthony arthur
    ashley barbara ben benjamin bob brandon brian bruce caleb carl carlos carol caroline catherine charles charlie
    chloe chris christina christopher claire clara daniel dave david deborah dennis diana donna dorothy dylan
    edward elena elizabeth ella ellen emily emma eric ethan eva evan evelyn frank gabriel gary george gina grace
    greg hannah harry heather helen henry isaac isabella jack jacob jake james jamie jane janet jason jean jeff
    jennifer jeremy jerry jesse jessica jim joan joanna joe john jon jonathan jose joseph joshua juan julia julie
    justin karen kate katherine kathleen keith kelly ken kevin kim kyle larry laura lauren leo liam linda lisa
    logan louis lucas lucy luis luke maria marie mark martha martin mary matt matthew megan melanie melissa mia
    michael michelle miguel mike nancy natalie nate nathan nicholas nick nicole noah nora olivia omar oscar pamela
    patricia patrick paul pedro peter philip rachel raymond rebecca richard rob robert roger rosa ruth ryan sam
    samantha samuel sandra sara sarah scott sean sharon simon sofia sophia sophie stephanie stephen steve steven
    susan taylor teresa thomas tigran tim timothy tina tom tony tyler vanessa victor victoria vincent walter wendy
    william zach zoe""")

_FIRST_WORD = re.compile(r"[\w'-]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,:/]*")


def third_person(verb: str) -> str:
    """Return the third person singular of a base verb: ``go`` gives ``goes``."""
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def gerund_base(word: str) -> str | None:
    """Return the base verb of an ``-ing`` form when it is a known verb, else None."""
    if not word.endswith("ing") or len(word) < 5:
        return None
    stem = word[:-3]
    for base in (stem, stem + "e", stem[:-1]):
        if base in BASE_VERBS:
            return base
    return None


def base_of_past(word: str) -> str | None:
    """Return the base verb of the simple past of a known verb, else None."""
    return base_of_irregular(word) if word in IRREGULAR_PAST else _base_of_regular(word)


def _base_of_regular(word: str) -> str | None:
    if not word.endswith("ed") or len(word) < 4:
        return None
    stem = word[:-2]
    candidates = (stem, stem + "e", stem[:-1], stem[:-1] + "y" if stem.endswith("i") else stem)
    return next((base for base in candidates if base in BASE_VERBS), None)


def is_present(word: str) -> bool:
    """Return whether a lower-case word may be the third person singular of a known verb: "likes", "goes"."""
    return word.endswith("s") and (word[:-1] in BASE_VERBS or word[:-2] in BASE_VERBS)


def is_past(word: str) -> bool:
    """Return whether a lower-case word is the simple past of a known verb."""
    return word in IRREGULAR_PAST or _base_of_regular(word) is not None


def words(sentence: str) -> list[str]:
    """Lower-case words and figures of a sentence, apostrophes straightened."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]


def content_words(sentence_words: Sequence[str]) -> list[str]:
    """Return the words that carry news: neither function words nor bland praise."""
    return [word for word in sentence_words if word not in STOPWORDS and word not in BLAND and len(word) > 1]


def first_word(text: str) -> str:
    """Return the word that a text opens with, in lower case; empty where it opens with none."""
    first = _FIRST_WORD.match(text)
    return first[0].lower() if first else ""
