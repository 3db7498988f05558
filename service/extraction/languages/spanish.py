"""Spanish: what is said how, and what is no statement."""

from __future__ import annotations

import re

from service.domain.word_lists import word_set
from service.extraction.languages.grammar import Language, meanings, spelled, spellings
from service.extraction.languages.spanish_forms import CALENDAR, NOBODY, OWN_VERBS, TIME, canonical, third_person
from service.extraction.languages.spanish_statements import ATTRIBUTES, DIETS, MARITAL, ROWS

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
    calendar=CALENDAR,
    inner_stops=re.compile(r"\b(?:sr|sra|dr|dra|ud|uds|p\. ?ej|aprox|núm|av|ee\. ?uu)\.", re.IGNORECASE),
    openings=spelled(
        r"(?:(?:hola|buenas|buenos\sdías|buenas\s(?:tardes|noches)|sí|no,|ok|okay|vale|bueno|pues|oye|mira|ah|oh|eh"
        r"|por\scierto|además|la\sverdad|en\srealidad"
        r"|para\stu\sinformación|nota|nota\srápida|importante|ojo|corrección|rectifico|perdón|actualización|de\shecho"
        r"|entonces|gracias|aclaración|y|pero|es\sque)\b[\s,:;.!¡–—-]{0,4}"
        r"|[¡¿]|(?:recuerda|ten\sen\scuenta|apunta|anota|que\ssepas|debes\ssaber)\sque\s|(?:creo"
        r"|pienso)\sque\s(?=(?:soy|vivo|prefiero|me)\b))"
    ),
    tag=spelled(r",?\s(?:¿?y\stú|¿?y\susted|¿?y\sa\sti)\s?\?$"),
    clauses=spelled(_SEPARATOR),
    questions=spelled(
        r"^(?:¿|qué\b(?!\sno)|quién|cuándo|dónde\b|cómo\sse|cómo\spuedo|por\squé|cuál|cuánto|puedes|podrías|puede\s"
        r"|sabes|me\spuedes|me\spodrías|hay\salg|te\sgusta|vives|eres)"
    ),
    unreliable=re.compile(
        r"\b(?:si\s(?:yo\s)?(?:fuera|tuviera|pudiera|viviera|me|no|tú|puedes|quieres)|ojalá|quizás?|tal\svez|imagina"
        r"|supongamos|a\slo\smejor|por\sejemplo|en\sbroma|es\sbroma"
        r"|como\ssi|no\ssolo|no\ssólo|viviría|sería|tendría|podría|haría|compraría|según|(?:dice|dijo|dicen|cuenta"
        r"|opina|afirma|comenta|cree|piensa|escribió|contó|preguntó)\s(?:que|:|si)"
        r"|dijo|como\sdice|en\sla\s(?:película|novela|canción))\b|🙄|/s$|^[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20}:\s\"?(?:yo|me"
        r"|vivo|soy)",
        re.IGNORECASE,
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
        r"|bastante|más|tanto|nada|ahora|todos|cada|antes|después|ya|si"
        r"|también|hoy|mañana|ayer|que|hace|actualmente|otra\svez|de\snuevo|este|esta|a\slas|a\slos|últimamente"
        r"|por\sfavor|tampoco)\s"
    ),
    determiners=spelled(r"^(?:el|la|los|las|un|una|unos|unas|mi|mis|su|nuestr[oa]|mucho|muchos|al|del|de|a|el\sdel)\s"),
    conjunction=re.compile(r",\s(?:y\s|o\s|ni\s)?|\s(?:y|e|o|u|ni|&)\s", re.IGNORECASE),
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
