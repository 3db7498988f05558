"""Spanish: word order, the third person, and dates."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, places, word_set
from service.extraction.languages.grammar import Calendar, any_of, meanings, spelled, spellings

NOBODY = "El usuario"

_SINGULAR = meanings("""
    soy=es estoy=está tengo=tiene voy=va hago=hace he=ha quiero=quiere puedo=puede debo=debe prefiero=prefiere
    juego=juega suelo=suele vengo=viene vivo=vive escribo=escribe leo=lee como=come bebo=bebe corro=corre
    aprendo=aprende conduzco=conduce padezco=padece pertenezco=pertenece salgo=sale sueño=sueña pienso=piensa
    duermo=duerme vuelvo=vuelve vuelo=vuela sigo=sigue elijo=elige conozco=conoce digo=dice pongo=pone veo=ve
    creo=cree dejo=deja fui=fue hice=hizo tuve=tuvo estuve=estuvo vine=vino vi=vio di=dio pude=pudo quise=quiso
    puse=puso traje=trajo leí=leyó era=era había=había tenía=tenía quisiera=quisiera querría=querría iré=irá
    odio=odia necesito=necesita asisto=asiste acabo=acaba vendo=vende recibo=recibe divido=divide mudé=mudó
    curro=curra""")
_PLURAL = meanings("""
    somos=son estamos=están tenemos=tienen vamos=van hemos=han queremos=quieren debemos=deben podemos=pueden
    fuimos=fueron hicimos=hicieron tuvimos=tuvieron decidimos=decidieron elegimos=eligieron acordamos=acordaron
    vivimos=viven usamos=usan optamos=optaron volamos=vuelan usaremos=usarán preferimos=prefieren
    nos~mudamos=se~mudaron""")
_LIKING = (
    "gusta|gustan|encanta|encantan|interesa|interesan|molesta|molestan|apasiona|apasionan|chifla|disgusta|disgustan|cae"
    "|sienta|gustaría|gustaria|fascina|fascinan"
)
OWN_VERBS = (
    any_of((*_SINGULAR, *_PLURAL)) + r"|me|nos|no|trabajo|curro|amo|adoro|detesto|hablo|uso|estudio|fumo|viajo|tomo"
    r"|evito"
)
TIME = (
    r"(?:ayer|hoy|mañana|anteayer|anoche|pasado\smañana|normalmente|actualmente|ahora|antes|últimamente|siempre"
    r"|(?:el|este)\s(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?:\s(?:pasado|próximo|que\sviene))?"
    r"|la\s(?:semana\s(?:pasada|que\sviene|próxima)|próxima\ssemana)|el\s(?:mes|año|fin\sde\ssemana"
    r"|verano)\s(?:pasado|que\sviene|próximo)"
    r"|el\spróximo\s(?:mes|año)|este\s(?:año|mes|verano|fin\sde\ssemana)|esta\ssemana|hace\s\w{1,8}\s\w{3,8}"
    r"|en\s\w{4,10}(?:\sde\s\d{4})?"
    r"|el\s\d{1,2}\sde\s\w{4,10}(?:\sde\s\d{4})?|desde\s(?:el\s|hace\s)?\w{2,12}(?:\s\w{3,8})?|todos\slos\s\w{3,10}"
    r"|todas\slas\s\w{5,10}"
    r"|cada\s\w{3,8}|los\s\w{5,9}|por\slas?\s\w{5,8}|a\smenudo|por\slo\sgeneral)"
)
_FRONTED = spelled(
    rf"^(?P<front>{TIME}),?\s(?P<rest>(?:yo\s|nosotros\s)?(?:(?:{OWN_VERBS})\b|\w{{2,20}}(?:o|é|í)\b"
    rf"|\w{{2,20}}mos\b).{{0,400}})$"
)
_PRONOUN = spelled(r"^(?:yo|nosotros|nosotras|a\sm\u00ed|a\smi(?=\s(?:no\s|también\s)?me\b)|a\snosotros)\s(?=\w)")
_LIKED = spelled(
    rf"^(?P<no>(?:(?:ya|ahora)\s)?(?:no|nunca|tampoco|también|siempre|ahora)\s)?(?P<who>me"
    rf"|nos)\s(?P<verb>(?:{_LIKING})\b)(?P<rest>.{{0,600}})$"
)
_DONE = spelled(
    r"^(?P<no>(?:no|nunca|ya\sno|también|ahora|solo|siempre)\s)?(?P<self>(?:me"
    r"|nos)\s)?(?P<verb>\w{1,30})\b(?P<rest>.{0,600})$"
)
_OWNED = spelled(
    r"^(?:mi|mis|nuestro|nuestra)\s(?P<noun>\w{2,20})(?P<more>(?:\s\w{2,20}){0,2}?)"
    r"\s(?P<rest>(?:es|son|está|se\sllama|vive|trabaja|tiene|termina|acaba|empieza|ahora|se\smudó|será|odia|ama"
    r"|prefiere).{0,500})$"
)
_OF_OTHERS = spelled(r"^a\s(?:mis?|nuestr[oa]s?)\s")
_FEMININE = spelled(r"^(?!(?:idioma|problema|programa|día|clima|tema)$)(?:\w+(?:a|ción|sión|dad)|madre|mujer)$")
_POSSESSIVES = ((spelled(r"\b(?:mi|nuestro|nuestra)\b"), "su"), (spelled(r"\b(?:mis|nuestros|nuestras)\b"), "sus"))
_FIRST = re.compile(r"\b(?:yo|me|mí|mi|mis|conmigo|nos|nosotros|nosotras|nuestr[oa]s?|mío|mía)\b", re.IGNORECASE)


def canonical(clause: str) -> str:
    """The clause with its verb in front: "Ayer compré un coche" as "compré un coche ayer"."""
    clause = _PRONOUN.sub("", clause)
    fronted = _FRONTED.match(clause)
    if fronted is None:
        return clause
    front = fronted["front"]
    return f"{_PRONOUN.sub('', fronted['rest'])} {front[:1].lower()}{front[1:]}"


def third_person(clause: str, name: str) -> str | None:
    """The clause, said by ``name``, told of them; None where that takes more than rules."""
    told = None if _OF_OTHERS.match(clause) else _told(clause, name)
    if told is None:
        return None
    for pattern, other in _POSSESSIVES:
        told = pattern.sub(other, told)
    return None if _FIRST.search(told) else told


def _told(clause: str, name: str) -> str | None:
    liked = _LIKED.match(clause)
    if liked is not None:
        adverb = (liked["no"] or "").lower()
        whom = f"A {name} {adverb}le" if liked["who"].lower() == "me" else f"A {name} y otros {adverb}les"
        return f"{whom} {liked['verb'].lower()}{liked['rest']}".replace(f"A {NOBODY}", "Al usuario")
    owned = _OWNED.match(clause)
    if owned is not None:
        article = "la" if _FEMININE.match(owned["noun"]) else "el"
        return f"{article} {owned['noun']}{owned['more']} de {name} {owned['rest']}".replace(
            f"de {NOBODY}", "del usuario"
        )
    done = _DONE.match(clause)
    if done is None:
        return clause
    verb = done["verb"].lower()
    adverb, itself = (done["no"] or "").lower(), "se " if done["self"] else ""
    one = _singular(verb)
    if one is not None:
        return f"{name} {adverb}{itself}{one}{done['rest']}"
    many = _plural(verb)
    if many is not None:
        return f"{name} y otros {adverb}{itself}{many}{done['rest']}"
    return None if itself else clause


def _singular(verb: str) -> str | None:
    if verb in _SINGULAR:
        return _SINGULAR[verb]
    if verb.endswith(("aré", "eré", "iré")):
        return f"{verb[:-1]}á"
    if verb.endswith(("gué", "qué")):
        return f"{verb[:-3]}{'g' if verb.endswith('gué') else 'c'}ó"
    if verb.endswith("cé"):
        return f"{verb[:-2]}zó"
    if verb.endswith("é"):
        return f"{verb[:-1]}ó"
    if verb.endswith("í") and len(verb) > 3:
        return f"{verb[:-1]}ió"
    return f"{verb[:-1]}a" if verb in _PRESENT_IN_AR else None


_PRESENT_IN_AR = word_set("""
    trabajo amo adoro detesto hablo uso estudio fumo viajo tomo evito cocino nado toco monto camino practico visito
    entreno medito compro planeo espero ceno desayuno madrugo soporto aguanto llamo ahorro preparo utilizo celebro
    participo dibujo pinto bailo canto escucho miro busco quedo pago reviso llego hago""")


def _plural(verb: str) -> str | None:
    if verb in _PLURAL:
        return _PLURAL[verb]
    if verb.endswith(("aremos", "eremos", "iremos")):
        return f"{verb[:-4]}án"
    return f"{verb[:-4]}an" if verb.endswith("amos") else f"{verb[:-4]}en" if verb.endswith("emos") else None


_MONTH_NAMES = listed("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
_DAY_NAMES = listed("lunes martes miércoles jueves viernes sábado domingo")
_MONTHS = spellings(places(" ".join(_MONTH_NAMES)) | {"setiembre": 9})
_WEEKDAYS = spellings(places(" ".join(_DAY_NAMES), 0))
_NAMED = spellings(places("anteayer ayer/anoche hoy mañana pasado~mañana", -2))
_UNITS = meanings("""
    día=day días=day semana=week semanas=week fin~de~semana=weekend mes=month meses=month año=year años=year""")
_STEPS = spellings(places("pasado/pasada este/esta próximo/próxima/que~viene", -1))
_COUNTS = spellings(places("un/una dos tres cuatro cinco seis siete ocho nueve diez"))
MONTH = any_of(_MONTHS)
_KEPT = ("antes del", "hasta el", "para el", "desde el", "antes de", "hasta", "para", "desde", "al", "del")
_DAY = any_of(_WEEKDAYS)
_COUNT = any_of(_COUNTS)
_PERIOD = any_of([*_UNITS, *_WEEKDAYS, *_MONTHS])
_EXPRESSION = re.compile(
    rf"""(?:\b(?P<prep>{any_of((*_KEPT, "el", "en el", "en la", "la", "en"))})\s)?(?:
      \b(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b
    | \b(?P<day>\d{{1,2}})(?:º|°)?\sde\s(?P<month>{MONTH})\b(?:\s(?:de|del)\s(?P<year>(?:19|20)\d\d)\b)?
    | \b(?P<day2>\d{{1,2}})/(?P<month2>\d{{1,2}})(?:/(?P<year2>(?:19|20)?\d\d))?\b
    | (?<!la\s)(?<!las\s)\b(?P<named>{any_of(_NAMED)})\b
    | \b(?P<unit>{_PERIOD})\s(?P<step>pasad[oa]|pr[óo]xim[oa]|que\sviene)\b
    | \b(?P<step2>pr[óo]xim[oa]|pasad[oa]|este|esta)\s(?P<unit2>{_PERIOD})\b
    | \b(?P<weekday>(?:(?<=el\s)|(?<=del\s)|(?<=al\s))(?:{_DAY}))\b
    | \bhace\s(?P<ago>\d{{1,3}}|{_COUNT})\s(?P<unit3>{any_of(_UNITS)})\b
    | \bdentro\sde\s(?P<in>\d{{1,3}}|{_COUNT})\s(?P<unit4>{any_of(_UNITS)})\b
    | (?:(?<=en\s)|(?<=desde\s))(?P<month3>{MONTH})\b(?:\s(?:de|del)\s(?P<year3>(?:19|20)\d\d)\b)?
    | \b(?P<month4>{MONTH})\s(?:de|del)\s(?P<year4>(?:19|20)\d\d)\b
    | (?:(?<=en\s)|(?<=desde\s))(?P<year5>(?:19|20)\d\d)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def _written(kind: str, day: datetime, preposition: str) -> str:
    date = f"{day.day} de {_MONTH_NAMES[day.month - 1]} de {day.year}"
    kept = preposition if preposition in _KEPT else ""
    if kind == "month":
        return f"{kept.removesuffix(' el') or 'en'} {_MONTH_NAMES[day.month - 1]} de {day.year}"
    if kind == "year":
        return f"{kept.removesuffix(' el') or 'en'} {day.year}"
    if kind in ("week", "week before", "week after"):
        return {"week": f"en la semana del {date}", "week before": f"en la semana anterior al {date}",
                "week after": f"en la semana siguiente al {date}"}[kind]  # fmt: skip
    if kind == "weekend":
        return f"el fin de semana del {date}"
    if kind == "weekday":
        date = f"{_DAY_NAMES[day.weekday()]} {date}"
    if kept.endswith(("el", "al")):
        return f"{kept} {date}"
    return f"{kept} el {date}".strip()


CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _written,
    behind=frozenset({"desde", "desde el"}), ahead=frozenset({"antes del", "antes de", "hasta", "hasta el",
        "para el", "para"}),
)  # fmt: skip
