"""Spanish: the patterns of statements."""

from __future__ import annotations

from service.domain.word_lists import pairs
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
    r"|polaco"
    r"|noruego|sueco|holandés|griego|turco|ucraniano|mandarín)"
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
    row("lives_in", rf"^(?:me\sacabo\sde\smudar|nos\sacabamos\sde\smudar)\sa\s{_PLACE}", past=True),
    row("works_at", r"^(?:estoy|estamos"
        r"|sigo)\sen\s(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}(?:\s[A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2})),?\sen\s(?:el"
        r"|su)\s(?:equipo|departamento)\b"),
    row("works_at", rf"^mi\s(?:nueva\s)?empresa\s(?:ahora\s)?es\s{_NAME}"),
    row("works_at", rf"^(?:me\shan\scontratado|me\scontrataron)\sen\s{_NAME}", past=True),
    row("lives_in", rf"^{_NO}(?:vivo|vivimos)\s{_ADVERB}en\s{_PLACE}", deniable=True),
    row("lives_in", rf"^(?:me\smudé|nos\smudamos|me\she\smudado|nos\shemos\smudado"
        rf"|acabo\sde\smudarme)\s(?:hace\s\w{{1,8}}\s\w{{3,8}}\s|ayer\s)?a\s{_PLACE}", past=True),
    row("works_at", r"^(?:dejé|he\sdejado|renuncié\sa"
        r"|me\sfui\sde)\s(?:mi\strabajo\sen\s)?(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}))\b", importance=0.7,
        polarity="negative", past=True),
    row("works_at", r"^(?:empecé\sa\strabajar|he\sempezado\sa\strabajar|acabo\sde\sempezar|empecé"
        r"|tengo\sun\snuevo\strabajo)\s(?:un\snuevo\strabajo\s)?(?:en"
        r"|para)\s(?-i:(?P<value>[A-ZÁÉÍÓÚÑ][\w&-]{1,30}(?:\s[A-ZÁÉÍÓÚÑ][\w&-]{1,30}){0,2}))", importance=0.7,
        past=True),
    row("works_at", rf"^{_NO}(?:ahora\s)?(?:trabajo|curro)\s{_ADVERB}(?:en|para)\s(?!casa|una?\b|el\b|la\b|mi\b"
        rf"|equipo)(?:el\s|la\s)?{_NAME}", deniable=True),
    row("attribute", rf"^(?:mi|nuestro|nuestra|el|la)\s(?P<attribute>{_ATTRIBUTE})\s(?:ahora\s)?(?:es|será|fue|son"
        rf"|está\sen|se\scambió\sa|se\sha\scambiado\sa|pas[óo]\sal?|se\spas[óo]\sal?|se\smovi[óo]\sal?|se\saplazó\sal?"
        rf"|se\straslad[óo]\sal?|sube\sa|ha\ssubido\sa)\s(?:ahora\s)?(?:de\s)?{VALUE}"),
    row("fact", r"^(?:tengo|tenemos)\s(?:una?|dos|tres|\d)\s(?:perr[oa]s?|gat[oa]s?|caballos?|loros?|conejos?)\b"),
    row("lives_in", rf"^{_WHO}\s{_NO}vive\s{_ADVERB}en\s{_PLACE}", importance=0.6, deniable=True),
    row("lives_in", rf"^{_WHO}\sse\s(?:mudó|ha\smudado)\sa\s{_PLACE}", importance=0.6, past=True),
    row("works_at", rf"^{_WHO}\s{_NO}trabaja\s{_ADVERB}(?:en|para)\s(?!casa|una?\b){_NAME}", importance=0.6,
        deniable=True),
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
        end=r"\s(?:ya\sno|no)\sme\sgustan?(?:\snada)?$",
          polarity="negative", negated=True),
    likes(rf"^{_NO}(?:amo|adoro|prefiero|amamos)\s{_ADVERB}(?!que|cuando)"),
    likes(rf"^{_NO}soy\s{_ADVERB}(?:un\s|una\s)?(?:gran\s)?(?:fan|fanátic[oa]|aficionad[oa]|amante)\s(?:del?|al?)\s"),
    likes(rf"^a\s{_WHO}\s{_NO}le\s(?:gustan?|encantan?)\s{_ADVERB}"),
    likes(rf"^{_WHO}\s{_NO}(?:ama|adora|prefiere)\s"),
    likes(rf"^(?:{_WHO}\s(?:odia|detesta))\s", "negative"),
    row("instruction", r"^(?:(?:por\sfavor,?\s)?(?:tutéame|trátame\sde\s(?:tú|usted)|háblame\sde\s(?:tú|usted))"
        r"|(?:por\sfavor,?\s)?(?:sin|nada\sde)\s\w{3,20}(?:,?\spor\sfavor)?$|(?:a\spartir\sde\sahora"
        r"|de\sahora\sen\sadelante)\b|(?:por\sfavor,?\s)?(?:responde|contesta|usa|utiliza|escribe|respóndeme|háblame"
        r"|dame|mantén|resume|evita|no\suses|no\sutilices|quiero\sque\sme"
        r"|quiero\sque)\s(?=(?:\S{1,30}\s){0,6}?(?:siempre|nunca|solo|español|inglés|unidades|viñetas|emojis?|formato"
        r"|frases|tono|breves?|cort[oa]s?|concis[oa]s?|métric[oa]s?|tú|usted|listas?)\b)|(?:por\sfavor,?\s)?(?:siempre"
        r"|nunca)\s(?:responde|contesta|usa|escribe|uses|respondas)\b|unidades\smétricas|prefiero\srespuestas\s)",
        instructs=True),
)  # fmt: skip
_PLANS = (
    row("todo", r"^(?:por\sfavor,?\s)?(?:recuérdame|recuerdame|acuérdame|hazme\sacordar)\s", importance=0.7,
        instructs=True),
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
    row("goal", r"^(?:mi|nuestro|nuestra)\s(?:gran\s)?(?:objetivo|meta|sueño|propósito|plan)\s(?:para\seste\saño\s"
        r"|de\seste\saño\s)?es\s", importance=0.7),
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
    row("habit", r"^(?:no\s)?(?:me\s)?(?!he\b|hemos\b|fui\b|tengo\sque)\w{2,20}(?:o|oy"
        r"|mos)\s(?:.{1,80}\s)?(?:tod[oa]s\sl[oa]s\s\w{3,10}|cada\s(?:día|mañana|noche|semana|mes|lunes|martes"
        r"|miércoles|jueves|viernes|sábado|domingo|año)|normalmente|siempre|a\smenudo|regularmente|por\slo\sgeneral"
        r"|por\slas\smañanas|por\slas\snoches|los\s(?:lunes|martes|miércoles|jueves|viernes|sábados|domingos"
        r"|fines\sde\ssemana))\b"),
    row("fact", r"^(?:nunca|no)\s(?:fumo|bebo|tomo\salcohol)(?:\snunca)?$", importance=0.5),
)  # fmt: skip
_PAST = (
    r"(?:\w{2,20}(?:é|í)|fui|fuimos|hice|hicimos|tuve|tuvimos|estuve|estuvimos|vi|vimos|vine|\w{2,20}amos"
    r"|\w{2,20}imos)"
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
