"""Spanish: word order, the third person, dates, the patterns of statements, and what is no statement."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, pairs, places, word_set
from service.extraction.calendar import Calendar
from service.extraction.languages.language import (
    VALUE,
    Language,
    any_of,
    likes,
    meanings,
    row,
    spelled,
    spellings,
)
from service.extraction.patterns import any_case

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
    r"(?:ayer|hoy|mañana|anteayer|anoche|pasado\smañana|normalmente|actualmente|ahora|antes|últimamente|siempre|(?:el"
    r"|este)\s(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?:\s(?:pasado|próximo|que\sviene))?"
    r"|la\s(?:semana\s(?:pasada|que\sviene|próxima)|próxima\ssemana)|el\s(?:mes|año|fin\sde\ssemana|verano)\s(?:pasado"
    r"|que\sviene|próximo)|el\spróximo\s(?:mes|año)|este\s(?:año|mes|verano|fin\sde\ssemana)|esta\ssemana"
    r"|hace\s\w{1,8}\s\w{3,8}|en\s\w{4,10}(?:\sde\s\d{4})?|el\s\d{1,2}\sde\s\w{4,10}(?:\sde\s\d{4})?|desde\s(?:el\s"
    r"|hace\s)?\w{2,12}(?:\s\w{3,8})?|todos\slos\s\w{3,10}|todas\slas\s\w{5,10}|cada\s\w{3,8}|los\s\w{5,9}"
    r"|por\slas?\s\w{5,8}|a\smenudo|por\slo\sgeneral)"
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
    r"^(?:mi|mis|nuestro|nuestra)\s(?P<noun>\w{2,20})(?P<more>(?:\s\w{2,20}){0,2}?)\s(?P<rest>(?:es|son|está|se\sllama"
    r"|vive|trabaja|tiene|termina|acaba|empieza|ahora|se\smudó|será|odia|ama|prefiere).{0,500})$"
)
_OF_OTHERS = spelled(r"^a\s(?:mis?|nuestr[oa]s?)\s")
_FEMININE = spelled(r"^(?!(?:idioma|problema|programa|día|clima|tema)$)(?:\w+(?:a|ción|sión|dad)|madre|mujer)$")
_POSSESSIVES = ((spelled(r"\b(?:mi|nuestro|nuestra)\b"), "su"), (spelled(r"\b(?:mis|nuestros|nuestras)\b"), "sus"))
_FIRST = any_case(r"\b(?:yo|me|mí|mi|mis|conmigo|nos|nosotros|nosotras|nuestr[oa]s?|mío|mía)\b")


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


_CALENDAR = Calendar(_EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS)


_ADVERB = (
    r"(?:(?:muy|mucho|realmente|de\sverdad|también|ahora|actualmente|ya|siempre|todavía|aún|solo|sólo|bastante|un\spoco"
    r"|totalmente|originalmente|mucho\smás|muchísimo|especialmente|sobre\stodo|más|nada|tanto"
    r"|desde\shace\s\w{1,8}\s\w{3,8})\s){0,3}"
)
_NO = r"(?:no\s|ya\sno\s|nunca\s|tampoco\s)?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?:\s(?-i:[A-ZÁÉÍÓÚÑ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!casa\b|un\b|una\b|mi\b|este\b|esta\b|vacaciones|broma|serio|general|realidad|el\s(?!salvador)"
    r"|las?\s(?!habana|paz|coruña|palmas|rioja|plata)|los\s(?!ángeles))(?:la\s|las\s|los\s|el\s)?[\w'-]{2,30}"
    r"(?:\s(?:(?-i:[A-ZÁÉÍÓÚÑ][\w'-]{1,30})|de\s(?-i:[A-ZÁÉÍÓÚÑ]\w{1,30}))){0,3})"
)
_RELATIVE = (
    r"hermano|hermana|madre|padre|mamá|papá|hijo|hija|marido|esposo|esposa|mujer|novio|novia|pareja|jefe|jefa|perro"
    r"|perra|gato|gata|loro|conejo|caballo|abuelo|abuela|tío|tía|primo|prima|amigo|amiga|colega"
)
_WHO = (
    rf"(?P<who>mi\s(?:{_RELATIVE})(?:\s(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{{1,20}}))?"
    r"|(?!(?:yo|el|la|los|las|un|una|mi|su|me|no|nos|ya|lo|les?|hoy|ayer|ella|esto|eso|este|ese|que|quien|todo"
    r"|nadie)\b)(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20}(?:\s[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20})?))"
)
_PROFESSION = (
    r"(?P<value>(?:\w{0,14}(?:médic|enfermer|ingenier|abogad|arquitect|cociner|camarer|músic|psicólog|biólog|bombero"
    r"|veterinari|fotógraf|farmacéutic|funcionari|carpinter|peluquer|jardiner|maestr|químic|físic|matemátic|cajer"
    r"|mecánic|secretari|emplead|desarrollador|profesor|escritor|diseñador|programador|investigador|traductor|contador"
    r"|entrenador|actor|actriz|conductor|vendedor|agricultor|director|pintor|doctor|consultor)(?:o|a)?"
    r"|estudiante|periodista|dentista|artista|electricista|taxista|economista|gerente|policía|piloto|analista|cantante"
    r"|jubilad[oa]|chef|fontanero|panader[oa]|carpinter[oa])(?:\sde\s(?!profesión\b|oficio\b|carrera\b)\w{3,20})?)\b"
)
ATTRIBUTES = pairs("""
    presupuesto=budget fecha~límite=deadline fecha~limite=deadline plazo=deadline precio=price costo=cost
    coste=cost alquiler=rent sueldo=salary salario=salary dirección=address direccion=address teléfono=phone~number
    telefono=phone~number número~de~teléfono=phone~number correo=email email=email zona~horaria=time_zone
    versión=version version=version puerto=port reunión=meeting~date reunion=meeting~date cita=appointment
    límite=limit altura=height peso=weight apodo=nickname fecha~de~inicio=start~date fecha~de~entrega=due~date
    ubicación=location lanzamiento=launch~date""")
_ATTRIBUTE = "|".join(sorted((name.replace(" ", r"\s") for name in ATTRIBUTES), key=len, reverse=True))
DIETS = pairs("""
    vegano=vegan vegana=vegan vegetariano=vegetarian vegetariana=vegetarian celíaco=celiac celíaca=celiac
    diabético=diabetic diabética=diabetic pescetariano=pescatarian pescetariana=pescatarian
    intolerante~a~la~lactosa=lactose~intolerant kosher=kosher halal=halal""")
_DIET = rf"(?P<value>{'|'.join(sorted((name.replace(' ', chr(92) + 's') for name in DIETS), key=len, reverse=True))})\b"
MARITAL = pairs("""
    casado=married casada=married soltero=single soltera=single divorciado=divorced divorciada=divorced
    viudo=widowed viuda=widowed comprometido=engaged comprometida=engaged""")
LANGUAGES = (
    r"(?:español|inglés|francés|alemán|italiano|chino|japonés|ruso|portugués|catalán|gallego|euskera|árabe|coreano"
    r"|polaco|noruego|sueco|holandés|griego|turco|ucraniano|mandarín)"
)
_NOT_A_WISH = (
    r"(?!(?:saber|preguntar(?:te)?|decir(?:te)?|entender|agradecer(?:te)?|pedir(?:te)?|irme|ver|admitir|reconocer)\b)"
)
_INFINITIVE = r"\w{2,20}(?:ar|er|ir|arme|erme|irme|arlo|arla|erlo|irlo|arle|arnos)\b"

_IDENTITY = (
    row("name", rf"^(?:me\sllamo|mi\snombre\s(?:completo\s)?es|(?:todos\s|puedes\s)?(?:me\sllaman|llamarme"
        rf"|llámame))\s{_NAME}"),
    row("birthday", rf"^mi\scumpleaños\ses\s(?:el\s)?{VALUE}"),
    row("birthday", r"^(?:cumplo\saños|nací)\sel\s(?P<value>\d{1,2}\sde\s\w{4,10}(?:\sde(?:l)?\s\d{4})?)"),
    row("age", r"^(?:ya\s)?tengo\s(?:ya\s|ahora\s)?(?P<value>\d{1,3})\saños\b(?!\sde)"),
    row("from", rf"^{_NO}soy\s(?:originalmente\s)?de\s{_PLACE}"),
    row("from", rf"^(?:nací|crecí|me\scrié)\sen\s{_PLACE}"),
    row("allergic_to", rf"^{_NO}soy\s{_ADVERB}(?:alérgic[oa]|intolerante)\s(?:a\slas?|a\slos|al|a)\s{VALUE}",
        deniable=True),
    row("allergic_to", rf"^tengo\s(?:una\s)?alergia\s(?:grave\s|fuerte\s)?(?:a\slas?|a\slos|al|a)\s{VALUE}"),
    row("diet", r"^(?:ahora\s|ya\s)?(?:vuelvo\sa\scomer|como)\s(?:carne\sotra\svez|carne\sde\snuevo|carne)$",
        fills="eats meat"),
    row("diet", r"^(?:no|nunca|ya\sno)\scomo\s(?:nada\sde\s)?carne\b", fills="vegetarian", negated=True),
    row("diet", rf"^{_NO}(?:soy|me\she\shecho|me\she\svuelto|me\svolví|me\shice)\s{_ADVERB}{_DIET}", deniable=True),
    row("diet", rf"^(?:llevo|sigo|hago)\suna\sdieta\s{_DIET}"),
    row("marital_status", rf"^{_NO}(?:estoy|soy)\s{_ADVERB}(?P<value>{'|'.join(MARITAL)})\b"),
    row("job", rf"^{_NO}soy\s{_ADVERB}(?:una?\s)?{_PROFESSION}"),
    row("job", rf"^{_NO}trabajo\s{_ADVERB}(?:como|de)\s{VALUE}"),
    row("native_language", r"^mi\s(?:lengua|idioma)\s(?:materna|materno|nativa"
        r"|nativo)\ses\s(?:el\s)?(?P<value>\w{3,20})"),
    row("speaks", rf"^{_NO}hablo\s(?:bien\s|un\spoco\sde\s|solo\s"
        rf"|también\s)?(?={LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})", deniable=True),
    row("identity", r"^(?:tengo|tenemos)\s(?:dos|tres|cuatro|cinco|\d|una?)\s(?:hij[oa]s?|herman[oa]s?|niet[oa]s?)\b"),
    row("named", rf"^{_WHO}\sse\sllama\s{_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÁÉÍÓÚÑ][\w'-]{{1,30}}))\ses\s(?P<who>mi\s(?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:tengo|tenemos)\s(?P<who>una?\s(?:{_RELATIVE}))(?:\sque\sse\sllama|\sllamad[oa]"
        rf"|,)\s{_NAME}$"),
    row("time_zone", rf"^estoy\sen\s(?:la\s)?zona\shoraria\s(?:de\s)?{VALUE}"),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:mi|nuestro|nuestra)\s(?:piso|casa|apartamento|departamento)\sestá\sen\s{_PLACE}"),
    row("lives_in", rf"^(?:resido|residimos|est(?:oy|amos)\sviviendo|llev(?:o"
        rf"|amos)\s[\w\s]{{2,20}}?\sviviendo)\sen\s{_PLACE}"),
    row("moved to", rf"^(?:me\sacabo\sde\smudar|nos\sacabamos\sde\smudar)\sa\s{_PLACE}"),
    row("works_at", r"^(?:estoy|estamos|sigo)\sen\s(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}"
        r"(?:\s[A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2})),?\sen\s(?:el|su)\s(?:equipo|departamento)\b"),
    row("works_at", rf"^mi\s(?:nueva\s)?empresa\s(?:ahora\s)?es\s{_NAME}"),
    row("works_at", rf"^(?:me\shan\scontratado|me\scontrataron)\sen\s{_NAME}", past=True),
    row("lives_in", rf"^{_NO}(?:vivo|vivimos)\s{_ADVERB}en\s{_PLACE}", deniable=True),
    row("moved to", rf"^(?:me\smudé|nos\smudamos|me\she\smudado|nos\shemos\smudado"
        rf"|acabo\sde\smudarme)\s(?:hace\s\w{{1,8}}\s\w{{3,8}}\s|ayer\s)?a\s{_PLACE}"),
    row("left", r"^(?:dejé|he\sdejado|renuncié\sa|me\sfui\sde)\s(?:mi\strabajo\sen\s)?(?-i:"
        r"(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}))\b"),
    row("joined", r"^(?:empecé\sa\strabajar|he\sempezado\sa\strabajar|acabo\sde\sempezar|empecé"
        r"|tengo\sun\snuevo\strabajo)\s(?:un\snuevo\strabajo\s)?(?:en|para)\s(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}"
        r"(?:\s[A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2}))"),
    row("works_at", rf"^{_NO}(?:ahora\s)?(?:trabajo|curro)\s{_ADVERB}(?:en|para)\s(?!casa|una?\b|el\b|la\b|mi\b"
        rf"|equipo)(?:el\s|la\s)?{_NAME}", deniable=True),
    row("attribute", rf"^(?:mi|nuestro|nuestra|el|la)\s(?P<attribute>{_ATTRIBUTE})\s(?:ahora\s)?(?:es|será|fue|son"
        rf"|está\sen|se\scambió\sa|se\sha\scambiado\sa|pas[óo]\sal?|se\spas[óo]\sal?|se\smovi[óo]\sal?|se\saplazó\sal?"
        rf"|se\straslad[óo]\sal?|sube\sa|ha\ssubido\sa)\s(?:ahora\s)?(?:de\s)?{VALUE}"),
    row("fact", r"^(?:tengo|tenemos)\s(?:una?|dos|tres|\d)\s(?:perr[oa]s?|gat[oa]s?|caballos?|loros?|conejos?)\b"),
    row("lives_in of another", rf"^{_WHO}\s{_NO}vive\s{_ADVERB}en\s{_PLACE}"),
    row("moved to of another", rf"^{_WHO}\sse\s(?:mudó|ha\smudado)\sa\s{_PLACE}"),
    row("works_at of another", rf"^{_WHO}\s{_NO}trabaja\s{_ADVERB}(?:en|para)\s(?!casa|una?\b){_NAME}"),
    row("job of another", rf"^{_WHO}\s(?:es|trabaja\scomo)\s(?:una?\s)?{_PROFESSION}"),
    row("habit", r"^(?:estoy\saprendiendo|aprendo|estudio)\s(?!más\b)", importance=0.55, grounded=True),
)  # fmt: skip
_OVER = (
    r"\s(?:a|al|en\slugar\sdel?|en\svez\sdel?|antes\sque|más\sque|que|sobre)\s(?:el\s|la\s|los\s"
    r"|las\s)?(?P<other>[\w\s+#-]{1,40})"
)
_PREFERENCES = (
    row("favorite", rf"^mis?\s(?P<attribute>\w{{2,20}})\s(?:favorit[oa]s?|preferid[oa]s?)\s(?:es|son)\s{VALUE}"),
    row("prefers", rf"^(?:prefiero|preferimos)\s(?P<value>[\w\s+#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^me\sgustan?\smás\s(?P<value>[\w\s+#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^{_WHO}\sprefiere\s(?P<value>[\w\s+#-]{{1,40}}?){_OVER}"),
    likes(r"^(?:odio|detesto|aborrezco|evito|odiamos)\s(?!cuando|que)", "negative"),
    likes(r"^(?:me\s(?:molestan?|disgustan?)|me\sdan?\sasco)\s(?!que|cuando)", "negative"),
    likes(r"^no\s(?:soporto|aguanto|puedo\scon|tolero)\s", "negative", negated=True),
    likes(r"^(?:no|nunca|ya\sno)\s(?:como|bebo|tomo|uso|fumo)\s(?:nada\sde\s)?", "negative", negated=True),
    likes(r"^(?:dejé|he\sdejado)\sde\s(?:comer|beber|tomar|usar)\s", "negative"),
    likes(rf"^{_NO}(?:me|nos)\s(?:gustan?|encantan?|interesan?|apasionan?|fascinan?|chiflan?)\s{_ADVERB}(?!que|cuando"
        rf"|saber|si\b)"),
    likes(r"^me\she\s(?:cansado|hartado|aburrido)\s(?:del|de)\s(?!que|todo|esto|ti\b)", "negative"),
    likes("^", thing=r"(?P<value>(?!eso\b|esto\b|lo\b)[\w\s+#-]{2,40}?)",
        end=r"\s(?:ya\sno|no)\sme\sgustan?(?:\snada)?$", polarity="negative", negated=True),
    likes(rf"^{_NO}(?:amo|adoro|prefiero|amamos)\s{_ADVERB}(?!que|cuando)"),
    likes(rf"^{_NO}soy\s{_ADVERB}(?:un\s|una\s)?(?:gran\s)?(?:fan|fanátic[oa]|aficionad[oa]|amante)\s(?:del?|al?)\s"),
    likes(rf"^a\s{_WHO}\s{_NO}le\s(?:gustan?|encantan?)\s{_ADVERB}"),
    likes(rf"^{_WHO}\s{_NO}(?:ama|adora|prefiere)\s"),
    likes(rf"^(?:{_WHO}\s(?:odia|detesta))\s", "negative"),
    row("instruction", r"^(?:(?:por\sfavor,?\s)?(?:tutéame|trátame\sde\s(?:tú|usted)|háblame\sde\s(?:tú|usted))"
        r"|(?:por\sfavor,?\s)?(?:sin|nada\sde)\s\w{3,20}(?:,?\spor\sfavor)?$|(?:a\spartir\sde\sahora"
        r"|de\sahora\sen\sadelante)\b|(?:por\sfavor,?\s)?(?:responde|contesta|usa|utiliza|escribe|respóndeme|háblame"
        r"|dame|mantén|resume|evita|no\suses|no\sutilices|quiero\sque\sme|quiero\sque)\s(?=(?:\S{1,30}\s){0,6}?"
        r"(?:siempre|nunca|solo|español|inglés|unidades|viñetas|emojis?|formato|frases|tono|breves?|cort[oa]s?"
        r"|concis[oa]s?|métric[oa]s?|tú|usted|listas?)\b)|(?:por\sfavor,?\s)?(?:siempre|nunca)\s(?:responde|contesta"
        r"|usa|escribe|uses|respondas)\b|unidades\smétricas|prefiero\srespuestas\s)", instructs=True),
)  # fmt: skip
_PLANS = (
    row("reminder", r"^(?:por\sfavor,?\s)?(?:recuérdame|recuerdame|acuérdame|hazme\sacordar)\s"),
    row("todo", r"^(?:to-?\s?do|tarea|pendiente|recordatorio)\s?:\s"),
    row("todo", r"^(?:por\sfavor,?\s)?(?:no\solvides|no\solvidar|que\sno\sse\sme\solvide)\s?[,:]?\s", instructs=True),
    row("todo", r"^(?:ping|pregúntale|pregunta|llama|escríbele|avisa|avísale)\sa\s(?-i:[A-ZÁÉÍÓÚÑ]\w{1,20})\s(?:por"
        r"|sobre|para|de)\s", news=1),
    row("decision", r"^(?:la\s)?(?:decisión|decidido|acordado)(?:\sfinal)?(?:\ses|:)\s"),
    row("decision", r"^(?:hemos\s|he\s)?(?:decidido|decidimos|decidí|acordado|acordamos|acordé|elegido|elegimos|elegí"
        r"|optado|optamos|opté|quedamos)\s(?!irme)", past=True, news=1),
    row("decision", r"^(?:nos\squedamos\scon|vamos\sa\s(?:usar|utilizar|adoptar)|voy\sa\susar|usaremos|usaré"
        r"|utilizaremos|utilizaré|usemos)\s", importance=0.7, news=1),
    row("decision", r"^se\s(?:decidió|ha\sdecidido|acordó)\s"),
    row("aim", r"^(?:mi|nuestro|nuestra)\s(?:gran\s)?(?:objetivo|meta|sueño|propósito|plan)\s(?:para\seste\saño\s"
        r"|de\seste\saño\s)?es\s"),
    row("goal", rf"^(?:quiero|queremos|quisiera|espero|esperamos|planeo|planeamos|pienso|pretendo|me\sgustaría"
        rf"|nos\sgustaría|sueño\scon|tengo\spensado|tengo\sla\sintención\sde|estoy\spensando\sen"
        rf"|voy\sa)\s{_NOT_A_WISH}{_INFINITIVE}", news=1),
    row("goal", r"^estoy\sahorrando\spara\s"),
    row("goal", rf"^{_INFINITIVE}.{{3,80}}\s(?:antes\sdel?|para\sel|hasta\sel)\s.{{3,25}}$", dated=True),
    row("todo", rf"^(?:tengo\sque|tenemos\sque|debo|debemos|necesito|hay\sque|debería)\s{_NOT_A_WISH}{_INFINITIVE}",
        news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^(?:suelo|solemos)\s\w{2,20}"),
    row("habit", r"^(?:no\s)?(?:me\s)?(?!he\b|hemos\b|fui\b|tengo\sque)\w{2,20}(?:o|oy|mos)\s(?:.{1,80}\s)?"
        r"(?:tod[oa]s\sl[oa]s\s\w{3,10}|cada\s(?:día|mañana|noche|semana|mes|lunes|martes|miércoles|jueves|viernes"
        r"|sábado|domingo|año)|normalmente|siempre|a\smenudo|regularmente|por\slo\sgeneral|por\slas\smañanas"
        r"|por\slas\snoches|los\s(?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|fines\sde\ssemana))\b"),
    row("fact", r"^(?:nunca|no)\s(?:fumo|bebo|tomo\salcohol)(?:\snunca)?$", importance=0.5),
)  # fmt: skip
_PAST = (
    r"(?:\w{2,20}(?:é|í)|fui|fuimos|hice|hicimos|tuve|tuvimos|estuve|estuvimos|vi|vimos|vine|\w{2,20}amos|\w{2,20}imos)"
)
_EVENTS = (
    row("event", r"^(?:mi|nuestro|nuestra|el|la|tengo\suna?|tenemos\suna?)\s(?:.{1,40}\s)?(?:contrato|vuelo|cita"
        r"|reunión|examen|boda|viaje|curso|conferencia|concierto|entrevista|mudanza|fiesta|operación|presentación"
        r"|dentista|médico|vacaciones)\b"),
    row("event", r"^(?:vuelo|volamos|viajo|viajamos|voy|vamos|salgo|me\smudo|nos\smudamos|me\scaso|nos\scasamos"
        r"|empiezo|visito|celebramos|quedo|tengo|estoy|estaré|iré|iremos)\s", importance=0.55),
    row("past event", r"^(?:me\s|nos\s)?(?:he|hemos)\s(?!entendido|visto|leído|dicho|pensado|pedido|preguntado|sido"
        r"|estado\spensando)\w{2,20}(?:ado|ido|cho|sto|rto|ito)\b"),
    row("past event", rf"^(?!entendí|pensé|creí|quería|olvidé|pregunté|dije|así\b|aquí\b|allí\b|qué\b|sí\b"
        rf"|mí\b)(?:me\s|nos\s)?{_PAST}\s"),
    row("event", r"^(?:me\s|nos\s)?(?:compre|visite|viaje|encontre|termine|empece|llegue|corri|conoci|vendi|cene|gane"
        r"|perdi|termine|estudie|comi|sali)\s", importance=0.5, past=True),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


_SEPARATOR = (
    rf";\s|\s[–—-]\s|,?\s(?:pero|aunque|sin\sembargo)\s|,\s(?:y\s)?(?=(?:yo|mi|mis|nuestr[oa]|{OWN_VERBS})\b)"
    rf"|,?\s(?:y|e)\s(?=(?:yo|mi|mis|tampoco|{OWN_VERBS})\b)"
)
SPANISH = Language(
    name="spanish",
    markers=word_set("""
        curro hecho cansado contratado vegetariano vegetariana vegano vegana resido yo el de la los las una unos
        que es en mi mis gusta gustan encanta con para por pero muy soy tengo estoy del hoy ayer mañana vivo
        trabajo también tambien hemos he decidido quiero prefiero odio nuestro nuestra siempre nunca porque como
        donde cuando está esta este llamo años alérgico alergia favor sin hablo días semana recuérdame recuerdame
        usa responde hasta desde decidimos lunes martes miércoles jueves viernes sábado domingo más mas ahora tú se
        lo su uso amo bebo fumo voy fui compré visité debo tenemos somos español presupuesto le nos prefiere vive
        odia un vuelvo dejé suelo acabo les hace semanas estuve viene año mes fue mudé mude mudo mudamos comprado
        gracias quizás quizas hola alegro nueva nuevo tarea trabaja vivimos gustaría gustaria"""),
    rows=ROWS,
    calendar=_CALENDAR,
    write_date=_written,
    behind=frozenset({"desde", "desde el"}),
    ahead=frozenset({"antes del", "antes de", "hasta", "hasta el", "para el", "para"}),
    inner_stops=any_case(r"\b(?:sr|sra|dr|dra|ud|uds|p\. ?ej|aprox|núm|av|ee\. ?uu)\."),
    openings=spelled(
        r"(?:(?:hola|buenas|buenos\sdías|buenas\s(?:tardes|noches)|sí|no,|ok|okay|vale|bueno|pues|oye|mira|ah|oh|eh"
        r"|por\scierto|además|la\sverdad|en\srealidad|para\stu\sinformación|nota|nota\srápida|importante|ojo|corrección"
        r"|rectifico|perdón|actualización|de\shecho|entonces|gracias|aclaración|y|pero|es\sque)\b[\s,:;.!¡–—-]{0,4}"
        r"|[¡¿]|(?:recuerda|ten\sen\scuenta|apunta|anota|que\ssepas|debes\ssaber)\sque\s|(?:creo|pienso)\sque\s(?="
        r"(?:soy|vivo|prefiero|me)\b))"
    ),
    tag=spelled(r",?\s(?:¿?y\stú|¿?y\susted|¿?y\sa\sti)\s?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:¿|qué\b(?!\sno)|quién|cuándo|dónde\b|cómo\sse|cómo\spuedo|por\squé|cuál|cuánto|puedes|podrías|puede\s"
        r"|sabes|me\spuedes|me\spodrías|hay\salg|te\sgusta|vives|eres)"
    ),
    unreliable=any_case(
        r"\b(?:si\s(?:yo\s)?(?:fuera|tuviera|pudiera|viviera|me|no|tú|puedes|quieres)|ojalá|quizás?|tal\svez|imagina"
        r"|supongamos|a\slo\smejor|por\sejemplo|en\sbroma|es\sbroma|como\ssi|no\ssolo|no\ssólo|viviría|sería|tendría"
        r"|podría|haría|compraría|según|(?:dice|dijo|dicen|cuenta|opina|afirma|comenta|cree|piensa|escribió|contó"
        r"|preguntó)\s(?:que|:|si)|dijo|como\sdice|en\sla\s(?:película|novela|canción))\b|🙄|/s$"
        r"|^[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20}:\s\"?(?:yo|me|vivo|soy)"
),
    retraction=spelled(r"^¡?(?:jaja\w*\s|jeje\w*\s)?,?\s?(?:no,?\s)?(?:era\s(?:una\s)?broma|es\sbroma|estoy\sbromeando"
        r"|solo\sbromeaba|es\sun\schiste|mentira)\b"),
    task=spelled(
        r"^(?:por\sfavor,?\s|hola,?\s|puedes\s|podrías\s)?(?:traduce|traducir|corrige|escribe\s(?:un|una)"
        r"|escribir\suna?|redacta|resume\s(?:este|el|la)|reescribe|mejora|imagina|actúa|genera|inventa|crea)\b"
    ),
    negation=spelled(r"\b(?:ya\sno|no|nunca|jamás|tampoco|ni)\b"),
    first_person=spelled(r"\b(?:yo|me|mí|mi|mis|nos|nosotros|nuestr[oa]s?|conmigo)\b"),
    vague=spelled(
        r"^(?:lo|la|los|las|le|esto|eso|ello|ese|esa|esos|esas|este|esta|tu|tus|ti|te|usted|su|sus|todo|nada|algo"
        r"|mucho|más|que|qué|cómo|cuando|así|él|ella|ellos|ir|ser|hacer|ver|el\sque|saber|como|menos|ambos)$"
        r"|^(?:que|cuando|cómo|lo\sque|tu|tus|si|esto\sde|eso\sde)\b"
    ),
    value_ends=spelled(
        r"\s(?:porque|pero|cuando|aunque|y\s(?:me|que|mi|yo)|con|sin|en|al|por|para|desde|hasta|como|mucho|muchísimo"
        r"|bastante|más|tanto|nada|ahora|todos|cada|antes|después|ya|si|también|hoy|mañana|ayer|que|hace|actualmente"
        r"|otra\svez|de\snuevo|este|esta|a\slas|a\slos|últimamente|por\sfavor|tampoco)\s"
    ),
    determiners=spelled(r"^(?:el|la|los|las|un|una|unos|unas|mi|mis|su|nuestr[oa]|mucho|muchos|al|del|de|a|el\sdel)\s"),
    conjunction=any_case(r",\s(?:y\s|o\s|ni\s)?|\s(?:y|e|o|u|ni|&)\s"),
    words=re.compile(r"[^\W_]+"),
    stopwords=word_set("""
        el la los las un una unos unas y o pero que de del a al en con por para sin no me te se lo le nos mi tu su
        es soy estoy ser estar he hemos ha muy más ya también mucho todo algo nada así bien hola gracias ayer hoy
        mañana ahora este esta eso esto hacer hecho hice fui ido ir tengo tener quiero puedo saber ayuda duda
        pregunta visto"""),
    canonical=canonical,
    third_person=third_person,
    nobody=NOBODY,
    says="{name} dice: «{text}»",
    asks="{name} pide al asistente: «{text}»",
    rewrites=(
        (spelled(r"(?P<head>\b(?:(?:dejé|he\sdejado|me\sfui\sde)\s(?-i:[A-ZÁÉÍÓÚÑ])[\w&\s-]{1,40}?|(?:cambié|he\scambiado)\sde"
            r"\strabajo))(?:,|\sy|,\sy)\s(?:ahora|ya)\sestoy\s(?=en\s(?-i:[A-ZÁÉÍÓÚÑ]))"),
            r"\g<head> y ahora trabajo "),
        (spelled(r"^(?:dejé|he\sdejado|me\sfui\sde)\s(?:mi\strabajo\sen\s)?[\w&\s-]{2,30}?(?:,|,?\sy)\s(?:ahora\s|ya\s)?(?=trabajo\s)"),
            ""),
        (spelled(rf"^(?P<time>{TIME}),\s(?=\w)"), r"\g<time> "),
        (spelled(r"^(?:ya\s)?no\s(?=(?P<verb>vivo|trabajo|soy|me\sllamo|es)\b)(?P<head>[^,]{2,20}?\s(?:en\s"
            r"|de\s)?)(?:[^,]{1,30}),?\ssino\s(?:(?:en|de|que)\s)?"), r"\g<head>"),
        (spelled(r"(?P<head>\b(?:es|en|el|al)\s)?\bno\s(?:en\s|el\s)?(?:[^,]{1,30}),?\ssino\s(?:en\s|el\s)?"),
            r"\g<head>"),
    ),
    elided=(
        (spelled(r"^(?:tampoco|no)\s(?=(?:el|la|los|las|\w{3,20}$))(?!me\b|soy|vivo|trabajo)(?P<rest>.{2,60})$"),
            r"no me gusta \g<rest>"),
    ),
    attributes=ATTRIBUTES | {"película": "movie", "libro": "book", "comida": "food"},
    values=spellings(DIETS | MARITAL),
    relatives=meanings("""
        hermano=brother hermana=sister madre=mother mamá=mother padre=father papá=father hijo=son hija=daughter
        marido=husband esposo=husband esposa=wife mujer=wife novio=boyfriend novia=girlfriend pareja=partner
        jefe=boss jefa=boss perro=dog loro=parrot conejo=rabbit caballo=horse perra=dog gato=cat gata=cat
        abuelo=grandfather abuela=grandmother tío=uncle tía=aunt primo=cousin prima=cousin amigo=friend
        amiga=friend colega=colleague"""),
)  # fmt: skip
