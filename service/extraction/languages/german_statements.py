"""German: the patterns of statements."""

from __future__ import annotations

from service.domain.types import MemoryType
from service.extraction.languages.grammar import VALUE, likes, row

_ADVERB = (
    r"(?:(?:sehr|wirklich|echt|total|auch|eigentlich|inzwischen|mittlerweile|jetzt|nun|derzeit|zurzeit|aktuell|momentan"
    r"|gerade|immer|schon|noch|lange?|besonders|übrigens|ja|halt|eben|einfach|überhaupt|gar|nur|leider|neuerdings|wieder"
    r"|früher"
    r"|heute|ursprünglich|persönlich|absolut|so|am\sliebsten|nicht|nicht\smehr|kein|keine|seit\s(?:kurzem|langem|gestern|heute|\d{4})"
    r"|seit\s(?:diese[mr]|letzte[mr]|dem|de[mr]\s\d{1,2}\.|anfang|mitte|ende)\s\w{3,10}"
    r"|seit\s\w{1,12}\s(?:tagen|wochen|monaten|jahren)|bald|allein|von\sberuf|beruflich|doch|stark|leicht"
    r"|eine?)\s){0,4}"
)
_I = r"^(?:ich|wir)\s"
_WE = r"^(?:ich|wir)\s(?:habe|hab|haben)\s(?:uns\s|mich\s)?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?:\s(?-i:[A-ZÄÖÜ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!de[rmns]\s(?!schweiz|türkei|ukraine|slowakei|nähe|usa)|einem?r?\s|eine\s|mein|unser|dies|ordnung"
    r"|hause"
    r"|versehen|spaß|gutem|schlecht)(?:der\s|den\s|die\s)?[\w'-]{2,30}(?:\s(?:(?-i:[A-ZÄÖÜ][\w'-]{1,30})"
    r"|am\smain)){0,3})"
)
_RELATIVE = (
    r"mann|frau|mutter|vater|mama|papa|bruder|schwester|sohn|tochter|freund|freundin|chef|chefin|kollege|kollegin|hund"
    r"|katze|kater|papagei|hamster|pferd|partner|partnerin|oma|opa|tante|onkel|verlobte|verlobter|cousin|cousine"
)
_WHO = (
    rf"(?P<who>meine?\s(?:{_RELATIVE})(?:\s(?-i:[A-Z][a-z]{{1,20}}))?"
    r"|(?!(?:ich|wir|das|die|der|es|er|sie|man|wer|was|hier|dort|mir|jeder|alle|keiner|niemand)\b)"
    r"(?-i:[A-ZÄÖÜ][a-zäöüß]{1,20}(?:\s[A-ZÄÖÜ][a-zäöüß]{1,20})?))"
)
PROFESSION = (
    r"(?P<value>[\w-]{0,20}(?:lehrer|ingenieur|entwickler|designer|berater|arzt|ärzt|pfleger|schwester|krankenpfleger"
    r"|student|anwält|anwalt|architekt|künstler|musiker|autor|journalist|wissenschaftler|forscher|professor"
    r"|programmierer|manager|leiter|gründer|koch|köch|bäcker|fahrer|pilot|mechaniker|elektriker|tischler|bauer"
    r"|bäuer|zahnarzt|therapeut|psycholog|apotheker|polizist|verkäufer|friseur|fotograf|schauspieler|sänger|trainer"
    r"|buchhalter|beamter|beamt|schreiner|informatiker|biolog|chemiker|physiker|mathematiker|übersetzer|rentner|makler)"
    r"(?:e|in|er)?)\b"
)
ATTRIBUTES = {
    "budget": "budget", "frist": "deadline", "deadline": "deadline", "abgabetermin": "deadline", "preis": "price",
    "kosten": "cost", "miete": "rent", "gehalt": "salary", "adresse": "address", "telefonnummer": "phone number",
    "handynummer": "phone number", "zeitzone": "time_zone", "limit": "limit", "ort": "location", "standort": "location",
    "startdatum": "start date", "enddatum": "end date", "liefertermin": "due date", "version": "version", "port":
        "port",
    "größe": "height", "gewicht": "weight", "blutgruppe": "blood type", "e-mail": "email",
    "email": "email", "spitzname": "nickname", "meeting": "meeting date", "termin": "appointment",
    "besprechung": "meeting date",
}  # fmt: skip
_ATTRIBUTE = "|".join(ATTRIBUTES)
DIETS = {
    "veganer": "vegan", "veganerin": "vegan", "vegan": "vegan", "vegetarier": "vegetarian", "vegetarierin":
        "vegetarian",
    "vegetarisch": "vegetarian", "pescetarier": "pescatarian", "glutenfrei": "gluten free", "halal": "halal",
    "koscher": "kosher", "diabetiker": "diabetic", "diabetikerin": "diabetic", "laktoseintolerant":
        "lactose intolerant",
}  # fmt: skip
_DIET = rf"(?P<value>{'|'.join(sorted(DIETS, key=len, reverse=True))})\b"
MARITAL = {"verheiratet": "married", "ledig": "single", "single": "single", "geschieden": "divorced",
            "verlobt": "engaged", "verwitwet": "widowed"}  # fmt: skip
_LANGUAGES = (
    r"(?:deutsch|englisch|französisch|spanisch|italienisch|chinesisch|japanisch|russisch|portugiesisch|polnisch"
    r"|türkisch"
    r"|norwegisch|schwedisch|dänisch|niederländisch|arabisch|koreanisch|ukrainisch|griechisch|ungarisch|finnisch)"
)
_INFINITIVE = r"(?:\w{2,30}(?:en|ern|eln)|tun|sein)"
_PARTICIPLE = (
    r"(?:(?:\w{0,12}ge\w{2,20}|(?:be|ver|er|ent|zer|miss|über|unter)\w{2,20}|\w{2,15}iert)(?<=t|n)"
    r"|verloren|bekommen|begonnen|bestanden)"
)
_NOT_A_WISH = (
    r"(?!.{0,60}\b(?:wissen|fragen|sagen|verstehen|dich|dir|euch|danke[n]?|hören|zugeben|betonen|gehen$|los$)\b)"
)

_IDENTITY = (
    row(MemoryType.IDENTITY, rf"^(?:ich\sheiße|mein\s(?:voller\s|richtiger\s|echter\s)?name\s(?:ist|lautet)"
        rf"|man\snennt\smich|alle\snennen\smich|(?:bitte\s)?nenn(?:e|t)?\smich(?:\sbitte)?)\s(?:jetzt\s|auch\s|einfach\s|ruhig\s){{0,2}}"
        rf"(?!(?:nicht|mit|das|es|doch|also|so|dich|alle|zwar|hier)\b){_NAME}", "name", importance=0.9, kind="person"),
    row(MemoryType.IDENTITY, rf"^mein\sgeburtstag\sist\s(?:am\s|der\s)?{VALUE}", "birthday", importance=0.85,
        grounded=False),
    row(MemoryType.IDENTITY, r"^ich\s(?:habe|hab)\s(?:am\s)?(?P<value>\d{1,2}\.?\s?[\w.]{1,10})\sgeburtstag$",
        "birthday",
        importance=0.85, grounded=False),
    row(MemoryType.IDENTITY, r"^ich\sbin\s(?:am\s)(?P<value>\d{1,2}\.?\s?[\w.]{1,10}(?:\s?\d{4})?)\sgeboren",
        "birthday",
        importance=0.85, grounded=False),
    row(MemoryType.IDENTITY, r"^ich\sbin\s(?:jetzt\s|inzwischen\s|gerade\s|erst\s|schon\s"
        r"|heute\s){0,2}(?P<value>\d{1,3})"
        r"(?:\s(?:jahre(?:\salt)?|geworden))?$", "age", importance=0.8, grounded=False),
    row(MemoryType.IDENTITY, rf"^ich\s(?:komme|stamme|bin)\s(?:ursprünglich\s|eigentlich\s)?aus\s{_PLACE}", "from",
        importance=0.8, kind="place"),
    row(MemoryType.IDENTITY, rf"^ich\sbin\s(?:in\s){_PLACE}\s(?:geboren|aufgewachsen)", "from", importance=0.8,
        kind="place"),
    row(MemoryType.IDENTITY, rf"^ich\s(?:bin|reagiere)\s{_ADVERB}allergisch\s(?:gegen|auf)\s{VALUE}", "allergic_to",
        importance=0.9, several=True, deniable=True),
    row(MemoryType.IDENTITY, r"^ich\s(?:habe|hab|leide\s(?:an|unter))\s(?:leider\s|auch\s)?(?:eine?r?\s)?(?:starke\s"
        r"|schwere\s)?"
        r"(?P<value>\w{3,20}?)-?(?:allergie|intoleranz|unverträglichkeit)\b", "allergic_to", importance=0.9,
        several=True),
    row(MemoryType.IDENTITY, rf"^ich\svertrage\s(?:kein\w{{0,2}}\s){VALUE}", "allergic_to", importance=0.9,
        several=True, negated=True),
    row(MemoryType.IDENTITY, r"^ich\sesse\s(?:inzwischen\s|jetzt\s|seit\s\w{1,12}\s)?wieder\sfleisch", "diet",
        importance=0.85, value="eats meat"),
    row(MemoryType.IDENTITY, r"^ich\sesse\s(?:gar\s|überhaupt\s|seit\s\w{1,12}\s)?kein\sfleisch", "diet",
        importance=0.85, value="vegetarian", negated=True),
    row(MemoryType.IDENTITY, rf"^ich\s(?:bin|esse|lebe|ernähre\smich)\s{_ADVERB}{_DIET}", "diet", importance=0.85,
        deniable=True),
    row(MemoryType.IDENTITY, rf"^ich\sbin\s{_ADVERB}(?P<value>{'|'.join(MARITAL)})\b", "marital_status",
        importance=0.8),
    row(MemoryType.IDENTITY, rf"^ich\sbin\s{_ADVERB}{PROFESSION}", "job", importance=0.8),
    row(MemoryType.IDENTITY, rf"^ich\sarbeite\s{_ADVERB}als\s{VALUE}", "job", importance=0.8),
    row(MemoryType.IDENTITY, r"^meine\smuttersprache\sist\s(?P<value>\w{3,20})", "native_language", importance=0.8),
    row(MemoryType.IDENTITY, rf"^ich\sbin\smit\s(?P<value>{_LANGUAGES})\saufgewachsen", "speaks", importance=0.75,
        several=True),
    row(MemoryType.IDENTITY, rf"^ich\sbin\s(?:in|auf)\sder\szeitzone\s{VALUE}", "time_zone", importance=0.8),
    row(MemoryType.IDENTITY, rf"^ich\sspreche\s(?:fließend\s|etwas\s|gut\s|ein\sbisschen\s|auch\s|nur\s){{0,2}}"
        rf"(?={_LANGUAGES}\b|kein)(?P<value>[^.;:!?]{{1,80}})", "speaks", importance=0.75, several=True, deniable=True),
    row(MemoryType.IDENTITY, r"^(?:ich|wir)\s(?:habe|hab|haben)\s(?:zwei|drei|vier|fünf|\d|eine?n?)\s"
        r"(?:kleine\s|ältere\s|jüngere\s|große\s|ältere[nr]\s|jüngere[nr]\s)?"
        r"(?:kind(?:er)?|söhne|sohn|töchter|tochter|geschwister|brüder|bruder|schwestern?|enkel\w{0,3})\b",
        importance=0.8),
    row(MemoryType.IDENTITY, rf"^{_WHO}\sheißt\s{_NAME}", "named", importance=0.8, several=True, kind="person"),
    row(MemoryType.IDENTITY, rf"^(?P<value>(?-i:[A-ZÄÖÜ][\w'-]{{1,30}}))\sist\s(?P<who>meine?\s(?:{_RELATIVE}))$",
        "named",
        importance=0.8, several=True, kind="person"),
    row(MemoryType.FACT, rf"^(?:ich|wir)\s(?:habe|hab|haben)\s(?:auch\s)?(?P<who>eine?n?\s(?:{_RELATIVE}))"
        rf"(?:\snamens|,)\s{_NAME}$", "named", several=True),
    row(MemoryType.IDENTITY, r"^(?P<who>mein\w?\s(?:mann|frau|bruder|schwester|sohn|tochter|hund|katze|freundin"
        r"|freund))\s"
        r"ist\s(?P<value>\d{1,3})\sjahre", "age", importance=0.75, grounded=False),
)  # fmt: skip
_FACTS = (
    row(MemoryType.FACT, rf"^(?:meine|unsere|mein|unser)\s(?:wohnung|haus|zuhause)\s(?:ist"
        rf"|liegt)\s(?:jetzt\s)?in\s{_PLACE}",
        "lives_in", importance=0.75, kind="place"),
    row(MemoryType.FACT, rf"^ich\sbin\szu\s?hause\sin\s{_PLACE}", "lives_in",
        importance=0.75, kind="place"),
    row(MemoryType.FACT, rf"^mein\s(?:neuer\s)?arbeitgeber\sist\s(?:jetzt\s)?{_NAME}", "works_at", importance=0.75,
        kind="company"),
    row(MemoryType.FACT, rf"^ich\sbin\s{_ADVERB}bei\s(?:der\s|dem\s)?{_NAME}\s(?:angestellt|beschäftigt|tätig)",
        "works_at",
        importance=0.75, deniable=True, kind="company"),
    row(MemoryType.FACT, rf"^ich\sbin\s(?:[\w.]{{1,15}}\s){{0,3}}?zu\s(?:der\s)?{_NAME}\sgewechselt$", "works_at",
        importance=0.7,
        kind="company", past=True),
    row(MemoryType.FACT, rf"{_I}(?:wohne|wohnen|lebe|leben)\s{_ADVERB}in\s{_PLACE}", "lives_in", importance=0.75,
        deniable=True, kind="place"),
    row(MemoryType.FACT, rf"{_I}(?:bin|sind)\s(?:[\w.]{{1,15}}\s){{0,4}}?(?:nach|in\sdie)\s{_PLACE}\s(?:um)?gezogen",
        "lives_in", importance=0.75, kind="place", past=True),
    row(MemoryType.FACT, rf"{_I}(?:arbeite|arbeiten)\s{_ADVERB}(?:bei|für)\s(?:der\s|dem\s)?"
        rf"(?!(?:ner|nem|ne|einer|einem|eine|meiner|meinem)\b){_NAME}", "works_at",
        importance=0.75, deniable=True, kind="company"),
    row(MemoryType.FACT, rf"^ich\s(?:habe|hab)\s(?:[\w.]{{1,15}}\s){{0,3}}?bei\s(?:der\s"
        rf"|dem\s)?{_NAME}\s(?:[\w.]{{1,15}}\s){{0,2}}?"
        r"gekündigt", "works_at", polarity="negative", importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, rf"^ich\s(?:habe|hab)\s(?:[\w.]{{1,15}}\s){{0,4}}?(?:job|stelle"
        rf"|arbeit)\sbei\s(?:der\s)?{_NAME}"
        r"\s(?:angefangen|angetreten|begonnen|bekommen)", "works_at", importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, rf"^ich\s(?:habe|hab)\s(?:[\w.]{{1,15}}\s){{0,3}}?bei\s(?:der\s)?{_NAME}\s(?:angefangen"
        rf"|begonnen)",
        "works_at", importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, r"^ich\s(?:habe|hab)\s(?-i:(?P<value>[A-ZÄÖÜ][\w&-]{1,30}))\sverlassen$", "works_at",
        polarity="negative", importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, rf"^(?:mein|meine|unser|unsere|das|die|der)\s(?P<attribute>{_ATTRIBUTE})\s(?:ist|beträgt"
        rf"|liegt\sbei"
        rf"|lautet|wurde\sauf|ist\sauf|wurde|wird)\s(?:jetzt\s|nun\s|inzwischen\s|nicht\smehr\s\w{{1,20}}\ssondern\s"
        rf"|auf\s|am\s){{0,3}}"
        rf"{VALUE}", "{attribute}"),
    row(MemoryType.FACT, rf"^(?P<who>(?-i:[A-ZÄÖÜ][\w-]{{1,20}}))s\s(?P<attribute>{_ATTRIBUTE})\s(?:ist|beträgt"
        rf"|liegt\sbei)\s"
        rf"(?:jetzt\s|nun\s)?{VALUE}", "{attribute}"),
    row(MemoryType.FACT, r"^ich\s(?:habe|hab)\s(?:auch\s)?(?:zwei|drei|eine?n?|\d)\s(?:kleine[nr]?\s|alte[nr]?\s)?"
        r"(?:hund|hunde|katze|katzen|kater|pferd|hamster|kaninchen|papagei)\b", importance=0.6),
    row(MemoryType.FACT, rf"^{_WHO}\s(?:wohnt|lebt)\s{_ADVERB}in\s{_PLACE}", "lives_in", deniable=True, kind="place"),
    row(MemoryType.FACT, rf"^{_WHO}\sist\s(?:[\w.]{{1,15}}\s){{0,3}}?nach\s{_PLACE}\s(?:um)?gezogen", "lives_in",
        kind="place",
        past=True),
    row(MemoryType.FACT, rf"^{_WHO}\sarbeitet\s{_ADVERB}(?:bei|für)\s{_NAME}", "works_at", deniable=True, kind=
        "company"),
    row(MemoryType.FACT, rf"^{_WHO}\s(?:ist|arbeitet\sals)\s(?:eine?\s)?{PROFESSION}", "job"),
)  # fmt: skip
_GLAD = r"(?:gern|gerne|am\sliebsten)"
_PREFERENCES = (
    row(MemoryType.PREFERENCE, rf"^(?:mein|meine)\slieblings-?(?P<attribute>\w{{2,20}})\s(?:ist|sind)\s(?:jetzt\s"
        rf"|nun\s|immer\snoch\s)?{VALUE}",
        "favorite {attribute}", importance=0.7),
    row(MemoryType.PREFERENCE, rf"{_I}(?:mag|trinke|esse|nutze|benutze|verwende|habe|spiele|lese|höre"
        rf"|nehme)\s{_ADVERB}lieber\s"
        r"(?P<value>[\w\s+#-]{1,40}?)\sals\s(?P<other>[\w\s+#-]{1,40})", "prefers", importance=0.7),
    row(MemoryType.PREFERENCE, rf"{_I}(?:mag|trinke"
        rf"|esse)\s(?P<value>[\w\s+#-]{{1,40}}?)\slieber\sals\s(?P<other>[\w\s+#-]{{1,40}})",
        "prefers", importance=0.7),
    row(MemoryType.PREFERENCE, rf"{_I}bevorzuge\s(?P<value>[\w\s+#-]{{1,40}}?)\s(?:gegenüber|statt|anstatt"
        rf"|vor)\s(?P<other>[\w\s+#-]{{1,40}})",
        "prefers", importance=0.7),
    row(MemoryType.PREFERENCE, r"^ich\sziehe\s(?P<value>[\w+#-]{1,30})\s(?P<other>[\w+#-]{1,30})\svor$", "prefers",
        importance=0.7),
    likes(rf"{_I}(?:hasse|hassen|verabscheue|meide|vermeide)\s{_ADVERB}", "negative"),
    likes(rf"{_I}(?:kann|können)\s{_ADVERB}", "negative", r"(?P<value>[\w\s+#-]{1,40}?)",
          r"\s(?:nicht|gar\snicht|überhaupt\snicht)\s(?:leiden|ausstehen|ab)$", negated=True),
    likes(rf"{_I}(?:trinke|esse|nutze|benutze|verwende)\s(?:gar\s|überhaupt\s|grundsätzlich\s|nie\s)?(?=kein)",
        "negative", negated=True),
    likes(rf"{_I}(?:trinke|esse|nutze|benutze|verwende)\s", "negative", r"(?P<value>[\w+#-]{2,30})",
        r"\s(?:nicht\smehr|nie)$", negated=True),
    likes(rf"{_I}(?:habe|hab)\s(?:mit\sdem|mit)\s", "negative", r"(?P<value>rauchen|alkohol|kaffee|zucker|trinken)",
          r"\saufgehört"),
    likes(rf"{_I}(?:mag|mögen|liebe|lieben|bevorzuge|schätze)\s{_ADVERB}(?:gern\s|gerne\s)?"),
    likes(rf"{_I}(?:trinke|esse|spiele|höre|lese|schaue|koche|gehe|fahre|reise|mache|nutze|trinken|essen)\s(?:sehr\s"
        rf"|nicht\s|auch\s"
          rf"|besonders\s|wirklich\s){{0,2}}{_GLAD}\s(?:in\sdie\s|ins\s|zum\s)?"),
    likes("^", "negative", r"(?P<value>(?!es\b|das\b|so\b)[\w\s+#-]{2,40}?)",
        r"\s(?:ist|sind)\s(?:einfach\s)?nichts\sfür\smich$",
          negated=True),
    likes(r"^ich\skann\smit\s", "negative", r"(?P<value>(?!de[mnr]\s|ihm|ihr)[\w\s+#-]{2,40}?)",
        r"\snichts\sanfangen$", negated=True),
    likes(r"^ich\sbin\smit\s", "negative", r"(?P<value>(?!de[mnr]\s|meine|diese|eine|ihm|ihr|allem)[\w\s+#-]{2,40}?)",
        r"\sdurch$"),
    likes(r"^ich\s(?:trinke|esse|spiele|höre|lese|schaue|koche|mag|habe)\s", thing=r"(?P<value>[\w\s+#-]{2,40}?)",
          end=rf"\s(?:sehr\s|nicht\s|besonders\s|wirklich\s|echt\s){{0,2}}{_GLAD}$"),
    likes(r"^ich\s", thing=r"(?P<value>(?!habe|hab|würde|möchte|bin|kann)\w{3,20}e)", end=rf"\s(?:sehr\s|nicht\s"
        rf"|auch\s|besonders\s){{0,2}}{_GLAD}$"),
    likes(rf"^ich\sbin\s{_ADVERB}(?:ein\s)?(?:großer\s|große\s)?fan\s(?:von|der|des)\s"),
    likes(rf"{_I}stehe\s{_ADVERB}auf\s"),
    likes(rf"^ich\sinteressiere\smich\s{_ADVERB}für\s"),
    likes(r"^mir\s(?:gefällt|gefallen|schmeckt|schmecken)\s(?:sehr\s|nicht\s|besonders\s){0,2}(?!nicht$)"),
    likes("^", thing=r"(?P<value>(?!es\b|das\b|so\b)[\w\s+#-]{2,40}?)",
          end=r"\s(?:gefällt|gefallen|schmeckt|schmecken)\smir\s?(?:sehr|nicht\smehr|nicht|gar\snicht"
              r"|überhaupt\snicht)?(?:\sgut)?$"),
    likes(r"^ich\sfinde\s", thing=r"(?P<value>[\w\s+#-]{2,40}?)",
          end=r"\s(?:sehr\s|echt\s|wirklich\s|richtig\s|total\s|so\s)?(?:gut|toll|super|klasse|großartig|lecker"
              r"|schön|spannend)$"),
    likes(r"^ich\sfinde\s", "negative", r"(?P<value>[\w\s+#-]{2,40}?)",
          r"\s(?:sehr\s|echt\s|wirklich\s|total\s|so\s)?(?:furchtbar|schrecklich|blöd|doof|langweilig|eklig|schlecht"
          r"|nervig)$"),
    row(MemoryType.PREFERENCE, rf"^{_WHO}\s(?:bevorzugt|mag|trinkt|isst)\s(?P<value>[\w\s+#-]{{1,40}}?)"
        r"\s(?:gegenüber|lieber\sals|statt|vor)\s(?P<other>[\w\s+#-]{1,40})", "prefers", importance=0.7),
    likes(rf"^{_WHO}\s(?:mag|liebt|bevorzugt|trinkt\sgerne?|isst\sgerne?|spielt\sgerne?)\s"),
    likes(rf"^{_WHO}\s(?:hasst|verabscheut)\s", "negative"),
    row(MemoryType.PREFERENCE, r"^(?:ich\s(?:will|möchte|hätte\sgerne?)\s,?\s?(?:bitte\s)?(?:dass\sdu|keine\semojis)"
        r"|ich\s(?:möchte|will),?\sdass\sdu"
        r"|ich\s(?:möchte|hätte\sgerne?|will|wünsche\smir|bevorzuge)\s(?:bitte\s)?(?:nur\s|immer\s)?\w{4,20}\s"
        r"(?:antworten|emojis|einheiten|erklärungen|sätze|zusammenfassungen)$"
        r"|ab\s(?:jetzt|sofort)\b|von\sjetzt\san\b|in\szukunft\sbitte"
        r"|(?:bitte\s)?(?:duz|siez)e?\smich|du\s(?:kannst|darfst)\smich\sduzen|bitte\skeine?\w?\s\w{3,}"
        r"|keine?\w?\s\w{3,30}(?:,?\sbitte)$"
        r"|(?:bitte\s)?(?:immer\s|stets\s|nur\s|künftig\s)?(?:antworte|antworten\ssie|schreib|schreibe|benutze|benutz"
        r"|verwende|nutze|fasse|gib\smir|sprich"
        r"|formatiere|halte|halt|bleib|erkläre|nenne\smir)\s(?=(?:\S{1,30}\s){0,6}?(?:immer|stets|nie|nur|kurz|bitte"
        r"|deutsch|englisch|einheiten"
        r"|stichpunkte\w?|emojis?|format|sätze\w?|ton|knapp|ausführlich|sachlich|metrische?|du|sie|datumsformat)\b)"
        r"|(?:bitte\s)?(?:metrische\seinheiten|immer\sauf\sdeutsch|immer\sauf\senglisch)|bitte\s(?:immer|nie|niemals"
        r"|stets)\s)",
        importance=0.7, instructs=True),
)  # fmt: skip
_PLANS = (
    row(MemoryType.TODO, r"^(?:bitte\s)?(?:erinner(?:e|t)?|erinnern\ssie)\smich\s(?:bitte\s)?(?!(?:nicht"
        r"|an\sdich)\b)", importance=0.7,
        instructs=True),
    row(MemoryType.TODO, r"^(?:to-?\s?do|aufgabe|erinnerung)\s?:\s", importance=0.65),
    row(MemoryType.TODO, r"^(?:bitte\s)?(?:nicht\svergessen|vergiss\snicht)\s?[,:]?\s", importance=0.65,
        instructs=True),
    row(MemoryType.TODO, r"^(?:ping|pinge|kontaktiere|frage?|rufe?)\s(?-i:[A-Z]\w{1,20})\s(?:wegen|zu|zum|zur|nach"
        r"|über)\s",
        importance=0.65, news=1),
    row(MemoryType.GOAL, r"^(?!(?:ich|wir|bitte|er|sie|es|man)\b).{3,80}\bbis\s(?:zum\s)?\d.{3,25}\s\w{3,20}(?:en|ern"
        r"|eln)$",
        importance=0.6, dated=True),
    row(MemoryType.TODO, rf"{_I}(?:darf|dürfen)\snicht\svergessen\b", importance=0.65),
    row(MemoryType.DECISION, r"^(?:endgültige\s)?(?:entscheidung|beschluss|entschieden|beschlossen)(?:\sist|\slautet"
        r"|:)\s", importance=0.75),
    row(MemoryType.DECISION, rf"{_WE}(?:[\w.-]{{1,30}}\s){{0,8}}?(?:entschieden|beschlossen|vereinbart|festgelegt"
        rf"|geeinigt|ausgewählt"
        r"|entschlossen|verständigt)\b", importance=0.75, past=True, news=1),
    row(MemoryType.DECISION, r"^(?:lass|lasst|lassen)\suns\s.{1,120}\b(?:nehmen|nutzen|verwenden|benutzen|wählen"
        r"|wechseln|bleiben|umsteigen)$", importance=0.75),
    row(MemoryType.DECISION, r"^(?:ich|wir)\s(?:nehme|nehmen|nutzen|verwenden|benutzen|setzen"
        r"|bleiben)\s.{1,80}\b(?:für\s(?:das|dieses|unser|den|die)|ab\s(?:jetzt|sofort)|auf|bei)\b", importance=0.7,
        news=1),
    row(MemoryType.DECISION, r"^(?:ich|wir)\s(?:werde|werden)\s.{1,80}\b(?:verwenden|nutzen|benutzen|nehmen"
        r"|einsetzen)$", importance=0.7),
    row(MemoryType.DECISION, r"^es\swurde\s(?:.{1,40}\s)?(?:entschieden|beschlossen|vereinbart)\b", importance=0.75),
    row(MemoryType.GOAL, r"^(?:mein|meine|unser)\s(?:\w{2,15}\s)?(?:ziel|traum|plan|vorsatz)\s(?:für\s\S{1,15}\s"
        r"|dieses\sjahr\s)?(?:ist|war\simmer)\b", importance=0.7),
    row(MemoryType.GOAL, rf"{_I}(?:plane|planen|hoffe|hoffen|beabsichtige|träume|träumen|versuche"
        rf"|habe\s(?:fest\s)?vor|haben\svor)\b{_NOT_A_WISH}.{{1,200}}\b(?:zu|\w{{2,12}}zu\w{{2,15}})\b",
        importance=0.6, news=1),
    row(MemoryType.GOAL, rf"{_I}(?:will|möchte|wollen|möchten"
        rf"|würde\sgerne?){_NOT_A_WISH}\s.{{2,160}}\b{_INFINITIVE}$", importance=0.6, news=2),
    row(MemoryType.GOAL, r"^ich\sspare\s(?:gerade\s)?(?:auf|für)\s", importance=0.6),
    row(MemoryType.TODO, rf"{_I}(?:muss|müssen|soll|sollte|sollten)\s(?!sagen|zugeben|gestehen|jetzt\slos|los\b"
        rf"|auch\ssagen){_NOT_A_WISH}.{{2,160}}\b{_INFINITIVE}$", importance=0.65, news=2),
)  # fmt: skip
_HABITS = (
    row(MemoryType.FACT, r"^ich\slerne\s(?!.{0,60}\bkennen\b)", importance=0.55, news=1),
    row(MemoryType.FACT, r"^(?:ich|wir)\s\w{3,20}\s(?:fast\s|eigentlich\s"
        r"|mich\s){0,2}(?:.{1,80}\s)?(?:jede[nsmr]?\s(?:zweiten\s)?(?:tag|morgen|abend|woche|montag|dienstag|mittwoch"
        r"|donnerstag"
        r"|freitag|samstag|sonntag|monat|jahr|nacht|mittag|wochenende)|täglich|wöchentlich|regelmäßig|normalerweise"
        r"|meistens|gewöhnlich|für\sgewöhnlich"
        r"|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|morgens|abends|einmal\s(?:pro|die"
        r"|in\sder)\swoche|zweimal\s\w{2,4}\swoche)\b",
        importance=0.5, grounded=False, news=1),
    row(MemoryType.FACT, r"^ich\s(?:rauche|trinke|jogge|schwimme|wandere|meditiere|koche|faste|pendle)(?:\s(?:nie"
        r"|niemals|nicht|nicht\smehr|gar\snicht))?$", importance=0.5),
)  # fmt: skip

_APPOINTMENT = (
    r"(?:arzttermin|termin|zahnarzttermin|flug|meeting|besprechung|prüfung|klausur|hochzeit|umzug|urlaub|kurs|konferenz"
    r"|vertrag|mietvertrag|vorstellungsgespräch|interview|konzert|party|geburtstagsfeier|operation|op|reise"
    r"|präsentation"
    r"|abgabe|probezeit|praktikum|semester)"
)
_EVENTS = (
    row(MemoryType.EVENT, rf"^(?:mein|meine|unser|unsere|der|die|das|wir\shaben|ich\shabe"
        rf"|ich\shab)\s(?:.{{1,60}}\s)?{_APPOINTMENT}\b(?!\sgehabt)",
        importance=0.6, dated=True, news=1),
    row(MemoryType.EVENT, r"^(?:ich|wir)\s(?:fliege|fliegen|fahre|fahren|reise|reisen|treffe|treffen|besuche|besuchen"
        r"|gehe|gehen|ziehe|ziehen|heirate|heiraten"
        r"|feiere|feiern|bin|sind|habe|haben|starte|beginne|fange)\s(?!.{0,200}\b(?:ge\w{2,20}[tn]|\w{3,20}iert|(?:be"
        r"|ver|er|ent)\w{3,20}t)$)", importance=0.55, dated=True, news=1),
    row(MemoryType.EVENT, rf"^(?:ich|wir)\s(?:habe|hab|bin|haben|sind)\s{_NOT_A_WISH}(?!.{{0,120}}\b(?:verstanden"
        rf"|vergessen|gedacht|gemeint|gesagt|gewusst"
        rf"|gefragt|gewesen)\b).{{2,200}}\b{_PARTICIPLE}(?:,.{{0,200}})?$", importance=0.5, past=True, news=2),
    row(MemoryType.EVENT, r"^(?:ich|wir)\s(?:war|waren|ging|gingen|fuhr|fuhren|flog|flogen|traf|trafen|besuchte"
        r"|besuchten|kaufte|kauften|lief|liefen|hatte|hatten|zog|zogen)\s",
        importance=0.5, past=True, news=2),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)
