"""Spanish: the patterns of statements."""

from __future__ import annotations

from service.domain.types import MemoryType
from service.extraction.languages.grammar import VALUE, likes, row

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
    r"|nadie)\b)"
    r"(?-i:[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20}(?:\s[A-ZÁÉÍÓÚÑ][a-záéíóúñ]{1,20})?))"
)
_PROFESSION = (
    r"(?P<value>(?:\w{0,14}(?:médic|enfermer|ingenier|abogad|arquitect|cociner|camarer|músic|psicólog|biólog|bombero"
    r"|veterinari|fotógraf|farmacéutic|funcionari|carpinter|peluquer|jardiner|maestr|químic|físic|matemátic|cajer"
    r"|mecánic|secretari|emplead|desarrollador|profesor|escritor|diseñador|programador|investigador|traductor|contador"
    r"|entrenador|actor|actriz|conductor|vendedor|agricultor|director|pintor|doctor|consultor)(?:o|a)?"
    r"|estudiante|periodista|dentista|artista|electricista|taxista|economista|gerente|policía|piloto|analista|cantante"
    r"|jubilad[oa]|chef|fontanero|panader[oa]|carpinter[oa])(?:\sde\s(?!profesión\b|oficio\b|carrera\b)\w{3,20})?)\b"
)
ATTRIBUTES = {
    "presupuesto": "budget", "fecha límite": "deadline", "fecha limite": "deadline", "plazo": "deadline",
    "precio": "price", "costo": "cost", "coste": "cost", "alquiler": "rent", "sueldo": "salary", "salario": "salary",
    "dirección": "address", "direccion": "address", "teléfono": "phone number", "telefono": "phone number",
    "número de teléfono": "phone number", "correo": "email", "email": "email", "zona horaria": "time_zone",
    "versión": "version", "version": "version", "puerto": "port", "reunión": "meeting date", "reunion": "meeting date",
    "cita": "appointment", "límite": "limit", "altura": "height", "peso": "weight", "apodo": "nickname",
    "fecha de inicio": "start date", "fecha de entrega": "due date", "ubicación": "location",
    "lanzamiento": "launch date",
}  # fmt: skip
_ATTRIBUTE = "|".join(sorted((name.replace(" ", r"\s") for name in ATTRIBUTES), key=len, reverse=True))
DIETS = {
    "vegano": "vegan", "vegana": "vegan", "vegetariano": "vegetarian", "vegetariana": "vegetarian", "celíaco": "celiac",
    "celíaca": "celiac", "diabético": "diabetic", "diabética": "diabetic", "pescetariano": "pescatarian",
    "pescetariana": "pescatarian", "intolerante a la lactosa": "lactose intolerant", "kosher": "kosher",
    "halal": "halal",
}  # fmt: skip
_DIET = rf"(?P<value>{'|'.join(sorted((name.replace(' ', chr(92) + 's') for name in DIETS), key=len, reverse=True))})\b"
MARITAL = {
    "casado": "married", "casada": "married", "soltero": "single", "soltera": "single", "divorciado": "divorced",
    "divorciada": "divorced", "viudo": "widowed", "viuda": "widowed", "comprometido": "engaged",
    "comprometida": "engaged",
}  # fmt: skip
LANGUAGES = (
    r"(?:español|inglés|francés|alemán|italiano|chino|japonés|ruso|portugués|catalán|gallego|euskera|árabe|coreano"
    r"|polaco"
    r"|noruego|sueco|holandés|griego|turco|ucraniano|mandarín)"
)
_NOT_A_WISH = (
    r"(?!(?:saber|preguntar(?:te)?|decir(?:te)?|entender|agradecer(?:te)?|pedir(?:te)?|irme|ver|admitir"
    r"|reconocer)\b)"
)
_INFINITIVE = r"\w{2,20}(?:ar|er|ir|arme|erme|irme|arlo|arla|erlo|irlo|arle|arnos)\b"

_IDENTITY = (
    row(MemoryType.IDENTITY, rf"^(?:me\sllamo|mi\snombre\s(?:completo\s)?es|(?:todos\s|puedes\s)?(?:me\sllaman"
        rf"|llamarme|llámame))\s{_NAME}", "name", importance=0.9, kind="person"),
    row(MemoryType.IDENTITY, rf"^mi\scumpleaños\ses\s(?:el\s)?{VALUE}", "birthday", importance=0.85, grounded=False),
    row(MemoryType.IDENTITY, r"^(?:cumplo\saños|nací)\sel\s(?P<value>\d{1,2}\sde\s\w{4,10}(?:\sde(?:l)?\s\d{4})?)",
        "birthday", importance=0.85, grounded=False),
    row(MemoryType.IDENTITY, r"^(?:ya\s)?tengo\s(?:ya\s|ahora\s)?(?P<value>\d{1,3})\saños\b(?!\sde)", "age",
        importance=0.8, grounded=False),
    row(MemoryType.IDENTITY, rf"^{_NO}soy\s(?:originalmente\s)?de\s{_PLACE}", "from", importance=0.8, kind="place"),
    row(MemoryType.IDENTITY, rf"^(?:nací|crecí|me\scrié)\sen\s{_PLACE}", "from", importance=0.8, kind="place"),
    row(MemoryType.IDENTITY, rf"^{_NO}soy\s{_ADVERB}(?:alérgic[oa]|intolerante)\s(?:a\slas?|a\slos|al|a)\s{VALUE}",
        "allergic_to", importance=0.9, several=True, deniable=True),
    row(MemoryType.IDENTITY, rf"^tengo\s(?:una\s)?alergia\s(?:grave\s|fuerte\s)?(?:a\slas?|a\slos|al|a)\s{VALUE}",
        "allergic_to", importance=0.9, several=True),
    row(MemoryType.IDENTITY, r"^(?:ahora\s|ya\s)?(?:vuelvo\sa\scomer|como)\s(?:carne\sotra\svez|carne\sde\snuevo"
        r"|carne)$", "diet", importance=0.85, value="eats meat"),
    row(MemoryType.IDENTITY, r"^(?:no|nunca|ya\sno)\scomo\s(?:nada\sde\s)?carne\b", "diet", importance=0.85,
        value="vegetarian", negated=True),
    row(MemoryType.IDENTITY, rf"^{_NO}(?:soy|me\she\shecho|me\she\svuelto|me\svolví|me\shice)\s{_ADVERB}{_DIET}",
        "diet", importance=0.85, deniable=True),
    row(MemoryType.IDENTITY, rf"^(?:llevo|sigo|hago)\suna\sdieta\s{_DIET}", "diet", importance=0.85),
    row(MemoryType.IDENTITY, rf"^{_NO}(?:estoy|soy)\s{_ADVERB}(?P<value>{'|'.join(MARITAL)})\b", "marital_status",
        importance=0.8),
    row(MemoryType.IDENTITY, rf"^{_NO}soy\s{_ADVERB}(?:una?\s)?{_PROFESSION}", "job", importance=0.8),
    row(MemoryType.IDENTITY, rf"^{_NO}trabajo\s{_ADVERB}(?:como|de)\s{VALUE}", "job", importance=0.8),
    row(MemoryType.IDENTITY, r"^mi\s(?:lengua|idioma)\s(?:materna|materno|nativa"
        r"|nativo)\ses\s(?:el\s)?(?P<value>\w{3,20})", "native_language", importance=0.8),
    row(MemoryType.IDENTITY, rf"^{_NO}hablo\s(?:bien\s|un\spoco\sde\s|solo\s"
        rf"|también\s)?(?={LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})", "speaks", importance=0.75, several=True,
        deniable=True),
    row(MemoryType.IDENTITY, r"^(?:tengo|tenemos)\s(?:dos|tres|cuatro|cinco|\d|una?)\s(?:hij[oa]s?|herman[oa]s?"
        r"|niet[oa]s?)\b", importance=0.8),
    row(MemoryType.IDENTITY, rf"^{_WHO}\sse\sllama\s{_NAME}", "named", importance=0.8, several=True, kind="person"),
    row(MemoryType.IDENTITY, rf"^(?P<value>(?-i:[A-ZÁÉÍÓÚÑ][\w'-]{{1,30}}))\ses\s(?P<who>mi\s(?:{_RELATIVE}))$",
        "named",
        importance=0.8, several=True, kind="person"),
    row(MemoryType.FACT, rf"^(?:tengo|tenemos)\s(?P<who>una?\s(?:{_RELATIVE}))(?:\sque\sse\sllama|\sllamad[oa]"
        rf"|,)\s{_NAME}$",
        "named", several=True),
    row(MemoryType.IDENTITY, rf"^estoy\sen\s(?:la\s)?zona\shoraria\s(?:de\s)?{VALUE}", "time_zone", importance=0.8),
)  # fmt: skip
_FACTS = (
    row(MemoryType.FACT, rf"^(?:mi|nuestro|nuestra)\s(?:piso|casa|apartamento|departamento)\sestá\sen\s{_PLACE}",
        "lives_in",
        importance=0.75, kind="place"),
    row(MemoryType.FACT, rf"^(?:resido|residimos|est(?:oy|amos)\sviviendo|llev(?:o"
        rf"|amos)\s[\w\s]{{2,20}}?\sviviendo)\sen\s{_PLACE}", "lives_in",
        importance=0.75, kind="place"),
    row(MemoryType.FACT, rf"^(?:me\sacabo\sde\smudar|nos\sacabamos\sde\smudar)\sa\s{_PLACE}", "lives_in",
        importance=0.75,
        kind="place", past=True),
    row(MemoryType.FACT, r"^(?:estoy|estamos|sigo)\sen\s(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}"
        r"(?:\s[A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2})),?\sen\s(?:el|su)\s(?:equipo|departamento)\b", "works_at",
        importance=0.75, kind="company"),
    row(MemoryType.FACT, rf"^mi\s(?:nueva\s)?empresa\s(?:ahora\s)?es\s{_NAME}", "works_at", importance=0.75,
        kind="company"),
    row(MemoryType.FACT, rf"^(?:me\shan\scontratado|me\scontrataron)\sen\s{_NAME}", "works_at", importance=0.75,
        kind="company",
        past=True),
    row(MemoryType.FACT, rf"^{_NO}(?:vivo|vivimos)\s{_ADVERB}en\s{_PLACE}", "lives_in", importance=0.75,
        deniable=True, kind="place"),
    row(MemoryType.FACT, rf"^(?:me\smudé|nos\smudamos|me\she\smudado|nos\shemos\smudado"
        rf"|acabo\sde\smudarme)\s(?:hace\s\w{{1,8}}\s\w{{3,8}}\s|ayer\s)?a\s{_PLACE}", "lives_in", importance=0.75,
        kind="place", past=True),
    row(MemoryType.FACT, r"^(?:dejé|he\sdejado|renuncié\sa"
        r"|me\sfui\sde)\s(?:mi\strabajo\sen\s)?(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}))\b", "works_at",
        polarity="negative", importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, r"^(?:empecé\sa\strabajar|he\sempezado\sa\strabajar|acabo\sde\sempezar|empecé"
        r"|tengo\sun\snuevo\strabajo)\s(?:un\snuevo\strabajo\s)?(?:en"
        r"|para)\s(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}(?:\s[A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2}))", "works_at",
        importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, rf"^{_NO}(?:ahora\s)?(?:trabajo|curro)\s{_ADVERB}(?:en|para)\s"
        rf"(?!casa|una?\b|el\b|la\b|mi\b|equipo)(?:el\s"
        rf"|la\s)?{_NAME}", "works_at", importance=0.75, deniable=True, kind="company"),
    row(MemoryType.FACT, rf"^(?:mi|nuestro|nuestra|el|la)\s(?P<attribute>{_ATTRIBUTE})\s(?:ahora\s)?(?:es|será|fue"
        rf"|son|está\sen|se\scambió\sa|se\sha\scambiado\sa"
        rf"|pas[óo]\sal?|se\spas[óo]\sal?|se\smovi[óo]\sal?|se\saplazó\sal?|se\straslad[óo]\sal?|sube\sa"
        rf"|ha\ssubido\sa)\s(?:ahora\s)?(?:de\s)?{VALUE}", "{attribute}"),
    row(MemoryType.FACT, r"^(?:tengo|tenemos)\s(?:una?|dos|tres|\d)\s(?:perr[oa]s?|gat[oa]s?|caballos?|loros?"
        r"|conejos?)\b", importance=0.6),
    row(MemoryType.FACT, rf"^{_WHO}\s{_NO}vive\s{_ADVERB}en\s{_PLACE}", "lives_in", deniable=True, kind="place"),
    row(MemoryType.FACT, rf"^{_WHO}\sse\s(?:mudó|ha\smudado)\sa\s{_PLACE}", "lives_in", kind="place", past=True),
    row(MemoryType.FACT, rf"^{_WHO}\s{_NO}trabaja\s{_ADVERB}(?:en|para)\s(?!casa|una?\b){_NAME}", "works_at",
        deniable=True, kind="company"),
    row(MemoryType.FACT, rf"^{_WHO}\s(?:es|trabaja\scomo)\s(?:una?\s)?{_PROFESSION}", "job"),
    row(MemoryType.FACT, r"^(?:estoy\saprendiendo|aprendo|estudio)\s(?!más\b)", importance=0.55, news=1),
)  # fmt: skip
_OVER = (
    r"\s(?:a|al|en\slugar\sdel?|en\svez\sdel?|antes\sque|más\sque|que|sobre)\s(?:el\s|la\s|los\s"
    r"|las\s)?(?P<other>[\w\s+#-]{1,40})"
)
_PREFERENCES = (
    row(MemoryType.PREFERENCE, rf"^mis?\s(?P<attribute>\w{{2,20}})\s(?:favorit[oa]s?|preferid[oa]s?)\s(?:es"
        rf"|son)\s{VALUE}", "favorite {attribute}", importance=0.7),
    row(MemoryType.PREFERENCE, rf"^(?:prefiero|preferimos)\s(?P<value>[\w\s+#-]{{1,40}}?){_OVER}", "prefers",
        importance=0.7),
    row(MemoryType.PREFERENCE, rf"^me\sgustan?\smás\s(?P<value>[\w\s+#-]{{1,40}}?){_OVER}", "prefers", importance=0.7),
    row(MemoryType.PREFERENCE, rf"^{_WHO}\sprefiere\s(?P<value>[\w\s+#-]{{1,40}}?){_OVER}", "prefers", importance=0.7),
    likes(r"^(?:odio|detesto|aborrezco|evito|odiamos)\s(?!cuando|que)", "negative"),
    likes(r"^(?:me\s(?:molestan?|disgustan?)|me\sdan?\sasco)\s(?!que|cuando)", "negative"),
    likes(r"^no\s(?:soporto|aguanto|puedo\scon|tolero)\s", "negative", negated=True),
    likes(r"^(?:no|nunca|ya\sno)\s(?:como|bebo|tomo|uso|fumo)\s(?:nada\sde\s)?", "negative", negated=True),
    likes(r"^(?:dejé|he\sdejado)\sde\s(?:comer|beber|tomar|usar)\s", "negative"),
    likes(rf"^{_NO}(?:me|nos)\s(?:gustan?|encantan?|interesan?|apasionan?|fascinan?|chiflan?)\s{_ADVERB}(?!que|cuando"
        rf"|saber|si\b)"),
    likes(r"^me\she\s(?:cansado|hartado|aburrido)\s(?:del|de)\s(?!que|todo|esto|ti\b)", "negative"),
    likes("^", thing=r"(?P<value>(?!eso\b|esto\b|lo\b)[\w\s+#-]{2,40}?)",
        end=r"\s(?:ya\sno|no)\sme\sgustan?(?:\snada)?$",
          polarity="negative", negated=True),
    likes(rf"^{_NO}(?:amo|adoro|prefiero|amamos)\s{_ADVERB}(?!que|cuando)"),
    likes(rf"^{_NO}soy\s{_ADVERB}(?:un\s|una\s)?(?:gran\s)?(?:fan|fanátic[oa]|aficionad[oa]|amante)\s(?:del?|al?)\s"),
    likes(rf"^a\s{_WHO}\s{_NO}le\s(?:gustan?|encantan?)\s{_ADVERB}"),
    likes(rf"^{_WHO}\s{_NO}(?:ama|adora|prefiere)\s"),
    likes(rf"^(?:{_WHO}\s(?:odia|detesta))\s", "negative"),
    row(MemoryType.PREFERENCE, r"^(?:(?:por\sfavor,?\s)?(?:tutéame|trátame\sde\s(?:tú|usted)|háblame\sde\s(?:tú|usted))"
        r"|(?:por\sfavor,?\s)?(?:sin|nada\sde)\s\w{3,20}(?:,?\spor\sfavor)?$|(?:a\spartir\sde\sahora"
        r"|de\sahora\sen\sadelante)\b"
        r"|(?:por\sfavor,?\s)?(?:responde|contesta|usa|utiliza|escribe|respóndeme|háblame|dame|mantén|resume|evita"
        r"|no\suses|no\sutilices|quiero\sque\sme|quiero\sque)\s"
        r"(?=(?:\S{1,30}\s){0,6}?(?:siempre|nunca|solo|español|inglés|unidades|viñetas|emojis?|formato|frases|tono"
        r"|breves?|cort[oa]s?|concis[oa]s?|métric[oa]s?|tú|usted|listas?)\b)"
        r"|(?:por\sfavor,?\s)?(?:siempre|nunca)\s(?:responde|contesta|usa|escribe|uses|respondas)\b"
        r"|unidades\smétricas|prefiero\srespuestas\s)", importance=0.7, instructs=True),
)  # fmt: skip
_PLANS = (
    row(MemoryType.TODO, r"^(?:por\sfavor,?\s)?(?:recuérdame|recuerdame|acuérdame|hazme\sacordar)\s", importance=0.7,
        instructs=True),
    row(MemoryType.TODO, r"^(?:to-?\s?do|tarea|pendiente|recordatorio)\s?:\s", importance=0.65),
    row(MemoryType.TODO, r"^(?:por\sfavor,?\s)?(?:no\solvides|no\solvidar|que\sno\sse\sme\solvide)\s?[,:]?\s",
        importance=0.65, instructs=True),
    row(MemoryType.TODO, r"^(?:ping|pregúntale|pregunta|llama|escríbele|avisa"
        r"|avísale)\sa\s(?-i:[A-ZÁÉÍÓÚÑ]\w{1,20})\s(?:por|sobre|para|de)\s", importance=0.65, news=1),
    row(MemoryType.DECISION, r"^(?:la\s)?(?:decisión|decidido|acordado)(?:\sfinal)?(?:\ses|:)\s", importance=0.75),
    row(MemoryType.DECISION, r"^(?:hemos\s|he\s)?(?:decidido|decidimos|decidí|acordado|acordamos|acordé|elegido"
        r"|elegimos|elegí|optado|optamos|opté|quedamos)\s(?!irme)", importance=0.75, past=True, news=1),
    row(MemoryType.DECISION, r"^(?:nos\squedamos\scon|vamos\sa\s(?:usar|utilizar|adoptar)|voy\sa\susar|usaremos|usaré"
        r"|utilizaremos|utilizaré|usemos)\s", importance=0.7, news=1),
    row(MemoryType.DECISION, r"^se\s(?:decidió|ha\sdecidido|acordó)\s", importance=0.75),
    row(MemoryType.GOAL, r"^(?:mi|nuestro|nuestra)\s(?:gran\s)?(?:objetivo|meta|sueño|propósito"
        r"|plan)\s(?:para\seste\saño\s|de\seste\saño\s)?es\s", importance=0.7),
    row(MemoryType.GOAL, rf"^(?:quiero|queremos|quisiera|espero|esperamos|planeo|planeamos|pienso|pretendo"
        rf"|me\sgustaría|nos\sgustaría|sueño\scon|tengo\spensado|tengo\sla\sintención\sde|estoy\spensando\sen"
        rf"|voy\sa)\s{_NOT_A_WISH}{_INFINITIVE}", importance=0.6, news=1),
    row(MemoryType.GOAL, r"^estoy\sahorrando\spara\s", importance=0.6),
    row(MemoryType.GOAL, rf"^{_INFINITIVE}.{{3,80}}\s(?:antes\sdel?|para\sel|hasta\sel)\s.{{3,25}}$", importance=0.6,
        dated=True),
    row(MemoryType.TODO, rf"^(?:tengo\sque|tenemos\sque|debo|debemos|necesito|hay\sque"
        rf"|debería)\s{_NOT_A_WISH}{_INFINITIVE}", importance=0.65, news=2),
)  # fmt: skip
_HABITS = (
    row(MemoryType.FACT, r"^(?:suelo|solemos)\s\w{2,20}", importance=0.5, grounded=False, news=1),
    row(MemoryType.FACT, r"^(?:no\s)?(?:me\s)?(?!he\b|hemos\b|fui\b|tengo\sque)\w{2,20}(?:o|oy"
        r"|mos)\s(?:.{1,80}\s)?(?:tod[oa]s\sl[oa]s\s\w{3,10}|cada\s(?:día|mañana|noche|semana|mes|lunes|martes"
        r"|miércoles|jueves|viernes|sábado|domingo|año)|normalmente|siempre|a\smenudo|regularmente"
        r"|por\slo\sgeneral|por\slas\smañanas|por\slas\snoches|los\s(?:lunes|martes|miércoles|jueves|viernes|sábados"
        r"|domingos|fines\sde\ssemana))\b", importance=0.5, grounded=False, news=1),
    row(MemoryType.FACT, r"^(?:nunca|no)\s(?:fumo|bebo|tomo\salcohol)(?:\snunca)?$", importance=0.5),
)  # fmt: skip
_PAST = (
    r"(?:\w{2,20}(?:é|í)|fui|fuimos|hice|hicimos|tuve|tuvimos|estuve|estuvimos|vi|vimos|vine|\w{2,20}amos"
    r"|\w{2,20}imos)"
)
_EVENTS = (
    row(MemoryType.EVENT, r"^(?:mi|nuestro|nuestra|el|la|tengo\suna?|tenemos\suna?)\s(?:.{1,40}\s)?(?:contrato|vuelo"
        r"|cita|reunión|examen|boda|viaje|curso|conferencia|concierto|entrevista|mudanza|fiesta|operación"
        r"|presentación|dentista|médico|vacaciones)\b",
        importance=0.6, dated=True, news=1),
    row(MemoryType.EVENT, r"^(?:vuelo|volamos|viajo|viajamos|voy|vamos|salgo|me\smudo|nos\smudamos|me\scaso"
        r"|nos\scasamos|empiezo|visito|celebramos|quedo|tengo|estoy|estaré|iré|iremos)\s", importance=0.55,
        dated=True, news=1),
    row(MemoryType.EVENT, r"^(?:me\s|nos\s)?(?:he|hemos)\s(?!entendido|visto|leído|dicho|pensado|pedido|preguntado"
        r"|sido|estado\spensando)\w{2,20}(?:ado|ido|cho|sto|rto|ito)\b", importance=0.5, past=True, news=2),
    row(MemoryType.EVENT, rf"^(?!entendí|pensé|creí|quería|olvidé|pregunté|dije|así\b|aquí\b|allí\b|qué\b|sí\b"
        rf"|mí\b)(?:me\s|nos\s)?{_PAST}\s", importance=0.5, past=True, news=2),
    row(MemoryType.EVENT, r"^(?:me\s|nos\s)?(?:compre|visite|viaje|encontre|termine|empece|llegue|corri|conoci|vendi"
        r"|cene|gane|perdi|termine|estudie|comi|sali)\s", importance=0.5, past=True, dated=True, news=1),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)
