"""Spanish: word order, the third person, dates, the patterns of statements, and what is no statement."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import listed, pairs, places, word_set
from service.extraction.calendar import Calendar
from service.extraction.compound_times import EARLY, FIRST_HALF, LATE, MIDDLE, SECOND_HALF, Wording, joining
from service.extraction.languages.language import (
    VALUE,
    Language,
    any_of,
    conjugated,
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
    r"(?:ayer|hoy|mañana|anteayer|anoche|pasado mañana|normalmente|actualmente|ahora|antes|últimamente|siempre|(?:el"
    r"|este) (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?: (?:pasado|próximo|que viene))?"
    r"|la (?:semana (?:pasada|que viene|próxima)|próxima semana)|el (?:mes|año|fin de semana|verano) (?:pasado"
    r"|que viene|próximo)|el próximo (?:mes|año)|este (?:año|mes|verano|fin de semana)|esta semana|hace \w{1,8} \w{3,8}"
    r"|en \w{4,10}(?: de \d{4})?|el \d{1,2} de \w{4,10}(?: de \d{4})?|desde (?:el |hace )?\w{2,12}(?: \w{3,8})?"
    r"|todos los \w{3,10}|todas las \w{5,10}|cada \w{3,8}|los \w{5,9}|por las? \w{5,8}|a menudo|por lo general)"
)
_FRONTED = spelled(
    rf"^(?P<front>{TIME}),? (?P<rest>(?:yo |nosotros )?(?:(?:{OWN_VERBS})\b|\w{{2,20}}(?:o|é|í)\b"
    rf"|\w{{2,20}}mos\b).{{0,400}})$"
)
_PRONOUN = spelled(r"^(?:yo|nosotros|nosotras|a m\u00ed|a mi(?= (?:no |también )?me\b)|a nosotros) (?=\w)")
_LIKED = spelled(
    rf"^(?P<no>(?:(?:ya|ahora) )?(?:no|nunca|tampoco|también|siempre|ahora) )?(?P<who>me"
    rf"|nos) (?P<verb>(?:{_LIKING})\b)(?P<rest>.{{0,600}})$"
)
_DONE = spelled(
    r"^(?P<no>(?:no|nunca|ya no|también|ahora|solo|siempre) )?(?P<self>(?:me"
    r"|nos) )?(?P<verb>\w{1,30})\b(?P<rest>.{0,600})$"
)
_OWNED = spelled(
    r"^(?:mi|mis|nuestro|nuestra) (?P<noun>\w{2,20})(?P<more>(?: \w{2,20}){0,2}?) (?P<rest>(?:es|son|está|se llama"
    r"|vive|trabaja|tiene|termina|acaba|empieza|ahora|se mudó|será|odia|ama|prefiere).{0,500})$"
)
_OF_OTHERS = spelled(r"^a (?:mis?|nuestr[oa]s?) ")
_FEMININE = spelled(r"^(?!(?:idioma|problema|programa|día|clima|tema)$)(?:\w+(?:a|ción|sión|dad)|madre|mujer)$")
_POSSESSIVES = ((spelled(r"\b(?:mi|nuestro|nuestra)\b"), "su"), (spelled(r"\b(?:mis|nuestros|nuestras)\b"), "sus"))
_FIRST = any_case(r"\b(?:yo|me|mí|mi|mis|conmigo|nos|nosotros|nosotras|nuestr[oa]s?|mío|mía)\b")


def canonical(clause: str) -> str:
    """Return the clause with its verb in front: "Ayer compré un coche" as "compré un coche ayer"."""
    clause = _PRONOUN.sub("", clause)
    fronted = _FRONTED.match(clause)
    if fronted is None:
        return clause
    front = fronted["front"]
    return f"{_PRONOUN.sub('', fronted['rest'])} {front[:1].lower()}{front[1:]}"


def third_person(clause: str, name: str) -> str | None:
    """Return the clause, said by ``name``, told of them; None where that takes more than rules."""
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
    short = verb.endswith("í") and len(verb) <= 3 and verb not in _ONE
    one = None if short else conjugated(verb, _ONE, _ONE_ENDINGS)
    if one is not None:
        return f"{name} {adverb}{itself}{one}{done['rest']}"
    many = conjugated(verb, _PLURAL, _MANY_ENDINGS)
    if many is not None:
        return f"{name} y otros {adverb}{itself}{many}{done['rest']}"
    return None if itself else clause


_PRESENT_IN_AR = word_set("""
    trabajo amo adoro detesto hablo uso estudio fumo viajo tomo evito cocino nado toco monto camino practico visito
    entreno medito compro planeo espero ceno desayuno madrugo soporto aguanto llamo ahorro preparo utilizo celebro
    participo dibujo pinto bailo canto escucho miro busco quedo pago reviso llego hago""")
_ONE = {verb: f"{verb[:-1]}a" for verb in _PRESENT_IN_AR} | _SINGULAR
_ONE_ENDINGS = pairs("aré=ará eré=erá iré=irá gué=gó qué=có cé=zó é=ó í=ió")
_MANY_ENDINGS = pairs("aremos=arán eremos=erán iremos=irán amos=an emos=en")


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


_YEAR = r"(?:19|20)\d\d"
_QUARTERS = places("primer/1.º segundo/2.º tercer/3.º cuarto/último/4.º")
_DECADES = places("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 3)
_WORDING = Wording(
    plain=joining(
        rf"""(?<![\w/.-])(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])(?![\w-])
        | \b(?:(?P<quarter>{any_of(map(re.escape, _QUARTERS))})\strimestre|T(?P<quarter2>[1-4]))
          (?:\s(?:del?\s(?:año\s)?)?(?P<year2>{_YEAR}))?\b
        | \b(?:años|los)\s(?P<decade>(?:(?:19|20)\d|[3-9])0|{any_of(_DECADES)})\b(?!\s\w+s\b)
        | \bhace\s(?P<hours>\d{{1,3}}|{_COUNT})\shoras?\b(?P<back>) | \b(?:dentro\sde|en)\s(?P<hours2>\d{{1,3}}
        |{_COUNT})\shoras?\b
        | \bhace\s(?P<minutes>\d{{1,3}}|{_COUNT})\sminutos?\b(?P<back2>) | \b(?:dentro\sde
        |en)\s(?P<minutes2>\d{{1,3}}|{_COUNT})\sminutos?\b
        | (?<=\bde(?:l)\s)(?P<current>mes|año)\b
        | \b(?P<bare_month>{MONTH})\b | \b(?P<bare_weekday>{_DAY})\b
        | (?<![\w.,:/$€£-])(?P<bare_year>{_YEAR})(?![\w%]|[.,:/]\d)"""
    ),
    taken=joining(
        r"\b(?:en|desde|hacia|durante|hasta|(?:año|verano|invierno|otoño|primavera)(?:\sdel?)?)\s(?:el\saño\s)?@"
    ),
    spans=joining(
        r"""\b(?:de|desde|del)\s(?:el\s)?@\s(?:al?|hasta)\s(?:el\s)?@ | \bentre\s(?:el\s)?@\sy\s(?:el\s)?@
        | @\s?[-–—]\s?@"""
    ),
    days=joining(r"\b(?P<n>\d{1,2})\s?(?:al?\s|[-–—]\s?)@"),
    part=joining(
        r"""\b(?P<part>principios|comienzos|inicios|mediados|finales|fines)\s(?:del?\s(?:año\s|mes\sde\s)?)?(?:la\s)?@
        | \b(?P<part2>primera\smitad|segunda\smitad|primer\ssemestre|segundo\ssemestre)\s(?:del?\s(?:año\s)?)?@"""
    ),
    parts={
        "principios": EARLY,
        "comienzos": EARLY,
        "inicios": EARLY,
        "mediados": MIDDLE,
        "finales": LATE,
        "fines": LATE,
        "primera mitad": FIRST_HALF,
        "primer semestre": FIRST_HALF,
        "segunda mitad": SECOND_HALF,
        "segundo semestre": SECOND_HALF,
    },
    clock=joining(
        r"""\bde\s(?P<hour>\d{1,2})\sa\s(?P<until>\d{1,2})\s?h(?:oras)?\b
        | \ba\slas?\s(?P<hour2>\d{1,2})(?:[:.h](?P<minute>[0-5]\d))?(?:\s?h(?:oras)?\b)?
          (?:\s(?:de|por)\sla\s(?P<half>mañana|tarde|noche)\b)?
        | \b(?:al\s)?(?P<noon>mediodía)\b"""
    ),
    late=word_set("tarde noche anoche"),
    bound=joining(r"\b(?:antes|después)\s(?:del?)\s(?:el\s|la\s)?@"),
    recurs=joining(
        rf"""\b(?:cada|todos\slos|todas\slas)\s(?:\w{{2,10}}\s)?(?:{_PERIOD}|{_DAY}|sábados|domingos|mañanas?
        |noches?|tardes?|veranos?)\b
        | \blos\s(?:{_DAY}|sábados|domingos)\b | \bsí\sy\sotr[oa]\sno\b | \b(?:diari|seman|mensu
        |anu)al\w{{0,6}}\b"""
    ),
    inexact=joining(
        r"""\b(?:en\s(?:la|mi)\s(?:universidad|escuela|infancia|juventud|prepa|secundaria) | de\s(?:niñ[oa]|joven
        |pequeñ[oa]|adolescente)
        | cuando\s(?:era|tenía|yo) | antaño | antiguamente | hace\s(?:años|tiempo|mucho|poco|meses|semanas|unos|unas
        |algunos|algunas|varios|varias)
        | recientemente | últimamente | algún\sdía | pronto | navidad | semana\ssanta
        | (?:verano|invierno|otoño)\s(?:pasado|que\sviene) | est[ea]\s(?:verano|invierno|otoño|primavera))\b"""
    ),
)
_CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _WORDING,
    quarters=_QUARTERS,
    decades={word: tens * 10 for word, tens in _DECADES.items()},
)  # fmt: skip


_ADVERB = (
    r"(?:(?:muy|mucho|realmente|de verdad|también|ahora|actualmente|ya|siempre|todavía|aún|solo|sólo|bastante|un poco"
    r"|totalmente|originalmente|mucho más|muchísimo|especialmente|sobre todo|más|nada|tanto"
    r"|desde hace \w{1,8} \w{3,8}) ){0,3}"
)
_NO = r"(?:no |ya no |nunca |tampoco )?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?: (?-i:[A-ZÁÉÍÓÚÑ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!casa\b|un\b|una\b|mi\b|este\b|esta\b|vacaciones|broma|serio|general|realidad|el (?!salvador)"
    r"|las? (?!habana|paz|coruña|palmas|rioja|plata)|los (?!ángeles))(?:la |las |los |el )?[\w'-]{2,30}"
    r"(?: (?:(?-i:[A-ZÁÉÍÓÚÑ][\w'-]{1,30})|de (?-i:[A-ZÁÉÍÓÚÑ]\w{1,30}))){0,3})"
)
_RELATIVES = pairs("""
    hermano=brother hermana=sister madre=mother mamá=mother padre=father papá=father hijo=son hija=daughter
    marido=husband esposo=husband esposa=wife mujer=wife novio=boyfriend novia=girlfriend pareja=partner
    jefe=boss jefa=boss perro=dog loro=parrot conejo=rabbit caballo=horse perra=dog gato=cat gata=cat
    abuelo=grandfather abuela=grandmother tío=uncle tía=aunt primo=cousin prima=cousin amigo=friend
    amiga=friend colega=colleague""")
_RELATIVE = any_of(_RELATIVES)
_WHO = (
    rf"(?P<who>mi (?:{_RELATIVE})(?: (?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{{1,20}}))?"
    r"|(?!(?:yo|el|la|los|las|un|una|mi|su|me|no|nos|ya|lo|les?|hoy|ayer|ella|esto|eso|este|ese|que|quien|todo"
    r"|nadie)\b)(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20}(?: [A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20})?))"
)
_PROFESSION = (
    r"(?P<value>(?:\w{0,14}(?:médic|enfermer|ingenier|abogad|arquitect|cociner|camarer|músic|psicólog|biólog|bombero"
    r"|veterinari|fotógraf|farmacéutic|funcionari|carpinter|peluquer|jardiner|maestr|químic|físic|matemátic|cajer"
    r"|mecánic|secretari|emplead|desarrollador|profesor|escritor|diseñador|programador|investigador|traductor|contador"
    r"|entrenador|actor|actriz|conductor|vendedor|agricultor|director|pintor|doctor|consultor)(?:o|a)?"
    r"|estudiante|periodista|dentista|artista|electricista|taxista|economista|gerente|policía|piloto|analista|cantante"
    r"|jubilad[oa]|chef|fontanero|panader[oa]|carpinter[oa])(?: de (?!profesión\b|oficio\b|carrera\b)\w{3,20})?)\b"
)
ATTRIBUTES = pairs("""
    presupuesto=budget fecha~límite=deadline fecha~limite=deadline plazo=deadline precio=price costo=cost
    coste=cost alquiler=rent sueldo=salary salario=salary dirección=address direccion=address teléfono=phone~number
    telefono=phone~number número~de~teléfono=phone~number correo=email email=email zona~horaria=time_zone
    versión=version version=version puerto=port reunión=meeting~date reunion=meeting~date cita=appointment
    límite=limit altura=height peso=weight apodo=nickname fecha~de~inicio=start~date fecha~de~entrega=due~date
    ubicación=location lanzamiento=launch~date""")
_ATTRIBUTE = any_of(ATTRIBUTES)
DIETS = pairs("""
    vegano=vegan vegana=vegan vegetariano=vegetarian vegetariana=vegetarian celíaco=celiac celíaca=celiac
    diabético=diabetic diabética=diabetic pescetariano=pescatarian pescetariana=pescatarian
    intolerante~a~la~lactosa=lactose~intolerant kosher=kosher halal=halal""")
_DIET = rf"(?P<value>{any_of(DIETS)})\b"
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
    row("name", rf"^(?:me llamo|mi nombre (?:completo )?es|(?:todos |puedes )?(?:me llaman|llamarme|llámame)) {_NAME}"),
    row("birthday", rf"^mi cumpleaños es (?:el )?{VALUE}"),
    row("birthday", r"^(?:cumplo años|nací) el (?P<value>\d{1,2} de \w{4,10}(?: de(?:l)? \d{4})?)"),
    row("age", r"^(?:ya )?tengo (?:ya |ahora )?(?P<value>\d{1,3}) años\b(?! de)"),
    row("from", rf"^{_NO}soy (?:originalmente )?de {_PLACE}"),
    row("from", rf"^(?:nací|crecí|me crié) en {_PLACE}"),
    row("allergic_to", rf"^{_NO}soy {_ADVERB}(?:alérgic[oa]|intolerante) (?:a las?|a los|al|a) {VALUE}", deniable=True),
    row("allergic_to", rf"^tengo (?:una )?alergia (?:grave |fuerte )?(?:a las?|a los|al|a) {VALUE}"),
    row("diet", r"^(?:ahora |ya )?(?:vuelvo a comer|como) (?:carne otra vez|carne de nuevo|carne)$", fills="eats meat"),
    row("diet", r"^(?:no|nunca|ya no) como (?:nada de )?carne\b", fills="vegetarian", negated=True),
    row("diet", rf"^{_NO}(?:soy|me he hecho|me he vuelto|me volví|me hice) {_ADVERB}{_DIET}", deniable=True),
    row("diet", rf"^(?:llevo|sigo|hago) una dieta {_DIET}"),
    row("marital_status", rf"^{_NO}(?:estoy|soy) {_ADVERB}(?P<value>{any_of(MARITAL)})\b"),
    row("job", rf"^{_NO}soy {_ADVERB}(?:una? )?{_PROFESSION}"),
    row("job", rf"^{_NO}trabajo {_ADVERB}(?:como|de) {VALUE}"),
    row("native_language", r"^mi (?:lengua|idioma) (?:materna|materno|nativa|nativo) es (?:el )?(?P<value>\w{3,20})"),
    row("speaks", rf"^{_NO}hablo (?:bien |un poco de |solo |también )?(?={LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})",
        deniable=True),
    row("identity", r"^(?:tengo|tenemos) (?:dos|tres|cuatro|cinco|\d|una?) (?:hij[oa]s?|herman[oa]s?|niet[oa]s?)\b"),
    row("named", rf"^{_WHO} se llama {_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÁÉÍÓÚÑ][\w'-]{{1,30}})) es (?P<who>mi (?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:tengo|tenemos) (?P<who>una? (?:{_RELATIVE}))(?: que se llama| llamad[oa]|,) {_NAME}$"),
    row("time_zone", rf"^estoy en (?:la )?zona horaria (?:de )?{VALUE}"),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:mi|nuestro|nuestra) (?:piso|casa|apartamento|departamento) está en {_PLACE}"),
    row("lives_in", rf"^(?:resido|residimos|est(?:oy|amos) viviendo|llev(?:o"
        rf"|amos) [\w ]{{2,20}}? viviendo) en {_PLACE}"),
    row("moved to", rf"^(?:me acabo de mudar|nos acabamos de mudar) a {_PLACE}"),
    row("works_at", r"^(?:estoy|estamos|sigo) en (?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}"
        r"(?: [A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2})),? en (?:el|su) (?:equipo|departamento)\b"),
    row("works_at", rf"^mi (?:nueva )?empresa (?:ahora )?es {_NAME}"),
    row("works_at", rf"^(?:me han contratado|me contrataron) en {_NAME}", past=True),
    row("lives_in", rf"^{_NO}(?:vivo|vivimos) {_ADVERB}en {_PLACE}", deniable=True),
    row("moved to", rf"^(?:me mudé|nos mudamos|me he mudado|nos hemos mudado"
        rf"|acabo de mudarme) (?:hace \w{{1,8}} \w{{3,8}} |ayer )?a {_PLACE}"),
    row("left", r"^(?:dejé|he dejado|renuncié a|me fui de) (?:mi trabajo en )?(?-i:"
        r"(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}))\b"),
    row("joined", r"^(?:empecé a trabajar|he empezado a trabajar|acabo de empezar|empecé|tengo un nuevo trabajo) (?:un "
        r"nuevo trabajo )?(?:en|para) (?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}(?: [A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2}))"),
    row("works_at", rf"^{_NO}(?:ahora )?(?:trabajo|curro) {_ADVERB}(?:en|para) (?!casa|una?\b|el\b|la\b|mi\b"
        rf"|equipo)(?:el |la )?{_NAME}", deniable=True),
    row("attribute", rf"^(?:mi|nuestro|nuestra|el|la) (?P<attribute>{_ATTRIBUTE}) (?:ahora )?(?:es|será|fue|son"
        rf"|está en|se cambió a|se ha cambiado a|pas[óo] al?|se pas[óo] al?|se movi[óo] al?|se aplazó al?"
        rf"|se traslad[óo] al?|sube a|ha subido a) (?:ahora )?(?:de )?{VALUE}"),
    row("fact", r"^(?:tengo|tenemos) (?:una?|dos|tres|\d) (?:perr[oa]s?|gat[oa]s?|caballos?|loros?|conejos?)\b"),
    row("lives_in of another", rf"^{_WHO} {_NO}vive {_ADVERB}en {_PLACE}"),
    row("moved to of another", rf"^{_WHO} se (?:mudó|ha mudado) a {_PLACE}"),
    row("works_at of another", rf"^{_WHO} {_NO}trabaja {_ADVERB}(?:en|para) (?!casa|una?\b){_NAME}"),
    row("job of another", rf"^{_WHO} (?:es|trabaja como) (?:una? )?{_PROFESSION}"),
    row("habit", r"^(?:estoy aprendiendo|aprendo|estudio) (?!más\b)", importance=0.55, grounded=True),
)  # fmt: skip
_OVER = (
    r" (?:a|al|en lugar del?|en vez del?|antes que|más que|que|sobre) (?:el |la |los |las )?(?P<other>[\w +#-]{1,40})"
)
_PREFERENCES = (
    row("favorite", rf"^mis? (?P<attribute>\w{{2,20}}) (?:favorit[oa]s?|preferid[oa]s?) (?:es|son) {VALUE}"),
    row("prefers", rf"^(?:prefiero|preferimos) (?P<value>[\w +#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^me gustan? más (?P<value>[\w +#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^{_WHO} prefiere (?P<value>[\w +#-]{{1,40}}?){_OVER}"),
    likes(r"^(?:odio|detesto|aborrezco|evito|odiamos) (?!cuando|que)", "negative"),
    likes(r"^(?:me (?:molestan?|disgustan?)|me dan? asco) (?!que|cuando)", "negative"),
    likes(r"^no (?:soporto|aguanto|puedo con|tolero) ", "negative", negated=True),
    likes(r"^(?:no|nunca|ya no) (?:como|bebo|tomo|uso|fumo) (?:nada de )?", "negative", negated=True),
    likes(r"^(?:dejé|he dejado) de (?:comer|beber|tomar|usar) ", "negative"),
    likes(rf"^{_NO}(?:me|nos) (?:gustan?|encantan?|interesan?|apasionan?|fascinan?|chiflan?) {_ADVERB}(?!que|cuando"
        rf"|saber|si\b)"),
    likes(r"^me he (?:cansado|hartado|aburrido) (?:del|de) (?!que|todo|esto|ti\b)", "negative"),
    likes("^", thing=r"(?P<value>(?!eso\b|esto\b|lo\b)[\w +#-]{2,40}?)",
        end=r" (?:ya no|no) me gustan?(?: nada)?$", polarity="negative", negated=True),
    likes(rf"^{_NO}(?:amo|adoro|prefiero|amamos) {_ADVERB}(?!que|cuando)"),
    likes(rf"^{_NO}soy {_ADVERB}(?:un |una )?(?:gran )?(?:fan|fanátic[oa]|aficionad[oa]|amante) (?:del?|al?) "),
    likes(rf"^a {_WHO} {_NO}le (?:gustan?|encantan?) {_ADVERB}"),
    likes(rf"^{_WHO} {_NO}(?:ama|adora|prefiere) "),
    likes(rf"^(?:{_WHO} (?:odia|detesta)) ", "negative"),
    row("instruction", r"^(?:(?:por favor,? )?(?:tutéame|trátame de (?:tú|usted)|háblame de (?:tú|usted))"
        r"|(?:por favor,? )?(?:sin|nada de) \w{3,20}(?:,? por favor)?$|(?:a partir de ahora"
        r"|de ahora en adelante)\b|(?:por favor,? )?(?:responde|contesta|usa|utiliza|escribe|respóndeme|háblame"
        r"|dame|mantén|resume|evita|no uses|no utilices|quiero que me|quiero que) (?=(?:\S{1,30} ){0,6}?"
        r"(?:siempre|nunca|solo|español|inglés|unidades|viñetas|emojis?|formato|frases|tono|breves?|cort[oa]s?"
        r"|concis[oa]s?|métric[oa]s?|tú|usted|listas?)\b)|(?:por favor,? )?(?:siempre|nunca) (?:responde|contesta"
        r"|usa|escribe|uses|respondas)\b|unidades métricas|prefiero respuestas )", instructs=True),
)  # fmt: skip
_PLANS = (
    row("reminder", r"^(?:por favor,? )?(?:recuérdame|recuerdame|acuérdame|hazme acordar) "),
    row("todo", r"^(?:to-? ?do|tarea|pendiente|recordatorio) ?: "),
    row("todo", r"^(?:por favor,? )?(?:no olvides|no olvidar|que no se me olvide) ?[,:]? ", instructs=True),
    row("todo", r"^(?:ping|pregúntale|pregunta|llama|escríbele|avisa|avísale) a (?-i:[A-ZÁÉÍÓÚÑ]\w{1,20}) (?:por"
        r"|sobre|para|de) ", news=1),
    row("decision", r"^(?:la )?(?:decisión|decidido|acordado)(?: final)?(?: es|:) "),
    row("decision", r"^(?:hemos |he )?(?:decidido|decidimos|decidí|acordado|acordamos|acordé|elegido|elegimos|elegí"
        r"|optado|optamos|opté|quedamos) (?!irme)", past=True, news=1),
    row("decision", r"^(?:nos quedamos con|vamos a (?:usar|utilizar|adoptar)|voy a usar|usaremos|usaré"
        r"|utilizaremos|utilizaré|usemos) ", importance=0.7, news=1),
    row("decision", r"^se (?:decidió|ha decidido|acordó) "),
    row("aim", r"^(?:mi|nuestro|nuestra) (?:gran )?(?:objetivo|meta|sueño|propósito|plan) (?:para este año "
        r"|de este año )?es "),
    row("goal", rf"^(?:quiero|queremos|quisiera|espero|esperamos|planeo|planeamos|pienso|pretendo|me gustaría"
        rf"|nos gustaría|sueño con|tengo pensado|tengo la intención de|estoy pensando en"
        rf"|voy a) {_NOT_A_WISH}{_INFINITIVE}", news=1),
    row("goal", r"^estoy ahorrando para "),
    row("goal", rf"^{_INFINITIVE}.{{3,80}} (?:antes del?|para el|hasta el) .{{3,25}}$", dated=True),
    row("todo", rf"^(?:tengo que|tenemos que|debo|debemos|necesito|hay que|debería) {_NOT_A_WISH}{_INFINITIVE}",
        news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^(?:suelo|solemos) \w{2,20}"),
    row("habit", r"^(?:no )?(?:me )?(?!he\b|hemos\b|fui\b|tengo que)\w{2,20}(?:o|oy|mos) (?:.{1,80} )?"
        r"(?:tod[oa]s l[oa]s \w{3,10}|cada (?:día|mañana|noche|semana|mes|lunes|martes|miércoles|jueves|viernes"
        r"|sábado|domingo|año)|normalmente|siempre|a menudo|regularmente|por lo general|por las mañanas"
        r"|por las noches|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|fines de semana))\b"),
    row("fact", r"^(?:nunca|no) (?:fumo|bebo|tomo alcohol)(?: nunca)?$", importance=0.5),
)  # fmt: skip
_PAST = (
    r"(?:\w{2,20}(?:é|í)|fui|fuimos|hice|hicimos|tuve|tuvimos|estuve|estuvimos|vi|vimos|vine|\w{2,20}amos|\w{2,20}imos)"
)
_EVENTS = (
    row("event", r"^(?:mi|nuestro|nuestra|el|la|tengo una?|tenemos una?) (?:.{1,40} )?(?:contrato|vuelo|cita"
        r"|reunión|examen|boda|viaje|curso|conferencia|concierto|entrevista|mudanza|fiesta|operación|presentación"
        r"|dentista|médico|vacaciones)\b"),
    row("event", r"^(?:vuelo|volamos|viajo|viajamos|voy|vamos|salgo|me mudo|nos mudamos|me caso|nos casamos"
        r"|empiezo|visito|celebramos|quedo|tengo|estoy|estaré|iré|iremos) ", importance=0.55),
    row("past event", r"^(?:me |nos )?(?:he|hemos) (?!entendido|visto|leído|dicho|pensado|pedido|preguntado|sido"
        r"|estado pensando)\w{2,20}(?:ado|ido|cho|sto|rto|ito)\b"),
    row("past event", rf"^(?!entendí|pensé|creí|quería|olvidé|pregunté|dije|así\b|aquí\b|allí\b|qué\b|sí\b"
        rf"|mí\b)(?:me |nos )?{_PAST} "),
    row("event", r"^(?:me |nos )?(?:compre|visite|viaje|encontre|termine|empece|llegue|corri|conoci|vendi|cene|gane"
        r"|perdi|termine|estudie|comi|sali) ", importance=0.5, past=True),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


_SEPARATOR = (
    rf"; | [–—-] |,? (?:pero|aunque|sin embargo) |, (?:y )?(?=(?:yo|mi|mis|nuestr[oa]|{OWN_VERBS})\b)"
    rf"|,? (?:y|e) (?=(?:yo|mi|mis|tampoco|{OWN_VERBS})\b)"
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
        r"(?:(?:hola|buenas|buenos días|buenas (?:tardes|noches)|sí|no,|ok|okay|vale|bueno|pues|oye|mira|ah|oh|eh"
        r"|por cierto|además|la verdad|en realidad|para tu información|nota|nota rápida|importante|ojo|corrección"
        r"|rectifico|perdón|actualización|de hecho|entonces|gracias|aclaración|y|pero|es que)\b[ ,:;.!¡–—-]{0,4}"
        r"|[¡¿]|(?:recuerda|ten en cuenta|apunta|anota|que sepas|debes saber) que |(?:creo|pienso) que (?="
        r"(?:soy|vivo|prefiero|me)\b))"
    ),
    tag=spelled(r",? (?:¿?y tú|¿?y usted|¿?y a ti) ?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:¿|qué\b(?! no)|quién|cuándo|dónde\b|cómo se|cómo puedo|por qué|cuál|cuánto|puedes|podrías|puede "
        r"|sabes|me puedes|me podrías|hay alg|te gusta|vives|eres)"
    ),
    unreliable=any_case(
        r"\b(?:si (?:yo )?(?:fuera|tuviera|pudiera|viviera|me|no|tú|puedes|quieres)|ojalá|quizás?|tal vez|imagina"
        r"|supongamos|a lo mejor|por ejemplo|en broma|es broma|como si|no solo|no sólo|viviría|sería|tendría"
        r"|podría|haría|compraría|según|(?:dice|dijo|dicen|cuenta|opina|afirma|comenta|cree|piensa|escribió|contó"
        r"|preguntó) (?:que|:|si)|dijo|como dice|en la (?:película|novela|canción))\b|🙄|/s$"
        r"|^[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20}: \"?(?:yo|me|vivo|soy)"
),
    retraction=spelled(r"^¡?(?:jaja\w* |jeje\w* )?,? ?(?:no,? )?(?:era (?:una )?broma|es broma|estoy bromeando"
        r"|solo bromeaba|es un chiste|mentira)\b"),
    task=spelled(
        r"^(?:por favor,? |hola,? |puedes |podrías )?(?:traduce|traducir|corrige|escribe (?:un|una)"
        r"|escribir una?|redacta|resume (?:este|el|la)|reescribe|mejora|imagina|actúa|genera|inventa|crea)\b"
    ),
    negation=spelled(r"\b(?:ya no|no|nunca|jamás|tampoco|ni)\b"),
    first_person=spelled(r"\b(?:yo|me|mí|mi|mis|nos|nosotros|nuestr[oa]s?|conmigo)\b"),
    vague=spelled(
        r"^(?:lo|la|los|las|le|esto|eso|ello|ese|esa|esos|esas|este|esta|tu|tus|ti|te|usted|su|sus|todo|nada|algo"
        r"|mucho|más|que|qué|cómo|cuando|así|él|ella|ellos|ir|ser|hacer|ver|el que|saber|como|menos|ambos)$"
        r"|^(?:que|cuando|cómo|lo que|tu|tus|si|esto de|eso de)\b"
    ),
    value_ends=spelled(
        r" (?:porque|pero|cuando|aunque|y (?:me|que|mi|yo)|con|sin|en|al|por|para|desde|hasta|como|mucho|muchísimo"
        r"|bastante|más|tanto|nada|ahora|todos|cada|antes|después|ya|si|también|hoy|mañana|ayer|que|hace|actualmente"
        r"|otra vez|de nuevo|este|esta|a las|a los|últimamente|por favor|tampoco) "
    ),
    determiners=spelled(r"^(?:el|la|los|las|un|una|unos|unas|mi|mis|su|nuestr[oa]|mucho|muchos|al|del|de|a|el del) "),
    conjunction=any_case(r", (?:y |o |ni )?| (?:y|e|o|u|ni|&) "),
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
        (spelled(r"(?P<head>\b(?:(?:dejé|he dejado|me fui de) (?-i:[A-ZÁÉÍÓÚÑ])[\w& -]{1,40}?|(?:cambié|he cambiado) de"
            r" trabajo))(?:,| y|, y) (?:ahora|ya) estoy (?=en (?-i:[A-ZÁÉÍÓÚÑ]))"),
            r"\g<head> y ahora trabajo "),
        (spelled(r"^(?:dejé|he dejado|me fui de) (?:mi trabajo en )?[\w& -]{2,30}?(?:,|,? y) (?:ahora |ya )?"
            r"(?=trabajo )"), ""),
        (spelled(rf"^(?P<time>{TIME}), (?=\w)"), r"\g<time> "),
        (spelled(r"^(?:ya )?no (?=(?P<verb>vivo|trabajo|soy|me llamo|es)\b)(?P<head>[^,]{2,20}? (?:en "
            r"|de )?)(?:[^,]{1,30}),? sino (?:(?:en|de|que) )?"), r"\g<head>"),
        (spelled(r"(?P<head>\b(?:es|en|el|al) )?\bno (?:en |el )?(?:[^,]{1,30}),? sino (?:en |el )?"),
            r"\g<head>"),
    ),
    elided=(
        (spelled(r"^(?:tampoco|no) (?=(?:el|la|los|las|\w{3,20}$))(?!me\b|soy|vivo|trabajo)(?P<rest>.{2,60})$"),
            r"no me gusta \g<rest>"),
    ),
    attributes=ATTRIBUTES | {"película": "movie", "libro": "book", "comida": "food"},
    values=spellings(DIETS | MARITAL),
    relatives=spellings(_RELATIVES),
)  # fmt: skip
