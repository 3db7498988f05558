"""How people tell of themselves, in five languages: for each kind of fact the ways it is put, and what it may be.

In a template ``{v}`` is the value, ``{old}`` the one before, ``{k}`` what kind of relative or animal it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Ways = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language. ``stated`` and ``changed`` hold the ways to put a kind of fact, and its change; ``values`` what it
    may be; ``means`` how a value is named in a profile where that is not as it is said."""

    stated: dict[str, Ways]
    changed: dict[str, Ways]
    values: dict[str, Ways]
    kinds: dict[str, Ways]
    greetings: Ways
    noise: Ways
    questions: Ways
    replies: Ways
    means: dict[str, str] = field(default_factory=dict)


NAMES = (
    "Amara", "Bruno", "Celia", "Dario", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Leon", "Mira",
    "Nadia", "Oskar", "Petra", "Quentin", "Rosa", "Stefan", "Tamara", "Ulrich", "Vera", "Walter", "Xenia", "Yusuf",
    "Zora",
)  # fmt: skip
COMPANIES = (
    "Initech",
    "Globex",
    "Hooli",
    "Umbrella",
    "Vandelay",
    "Cyberdyne",
    "Wayne Enterprises",
    "Tyrell",
    "Soylent",
)
PETS = ("Rex", "Luna", "Milo", "Bella", "Simba", "Nala", "Balu", "Coco")
ZONES = ("CET", "GMT", "EST", "PST", "JST")

ENGLISH = Tongue(
    stated={
        "name": (
            "I'm {v}, by the way.", "my name's {v}", "Hi, {v} here!", "You can call me {v}.", "The name is {v}.",
            "Everyone calls me {v}.",
        ),
        "home": (
            "I live in {v}", "I'm based in {v} btw", "We've been living in {v} for ten years now.",
            "My flat is in {v}, pretty central.", "Home is {v} for me.", "I'm living in {v} at the moment.",
        ),
        "employer": (
            "I work at {v}", "I'm at {v} these days.", "I work for {v}, in the support team.", "My employer is {v}.",
            "I've been with {v} for three years.",
        ),
        "job": ("I work as a {v}.", "I'm a {v}", "I'm a {v} by trade.", "I earn my living as a {v}.", "My job is {v}."),
        "diet": (
            "I'm {v}.", "I've been {v} since college.", "I follow a {v} diet.", "Just so you know, I'm {v}.",
            "i am strictly {v}",
        ),
        "likes": (
            "I love {v}.", "I'm really into {v}", "I can't get enough of {v}.", "big fan of {v} here",
            "I enjoy {v} a lot.", "Nothing beats {v}.",
        ),
        "dislikes": (
            "I can't stand {v}.", "I hate {v}", "{v} is not for me.", "I'm not a fan of {v}.", "I never liked {v}.",
        ),
        "family": (
            "My {k} is called {v}.", "My {k}'s name is {v}", "I have a {k}, {v}.", "{v} is my {k}.",
            "My {k} {v} visits us every Sunday.",
        ),
        "pets": (
            "I have a {k} named {v}.", "We've got a {k} called {v}.", "Our {k} is called {v}.",
            "My {k} {v} is sick again.",
            "My {k}'s name is {v}.",
        ),
        "birthday": ("My birthday is on {v}.", "I was born on {v}.", "my bday is {v}", "My birthday's {v}."),
        "goals": (
            "I want to {v}.", "My goal is to {v}.", "I'd love to {v} one day.", "I'm planning to {v}.", "I hope to {v}",
        ),
        "language": (
            "I speak {v}.", "{v} is my mother tongue.", "I grew up speaking {v}.", "I'm fluent in {v}.",
            "My native language is {v}.",
        ),
        "time zone": ("My timezone is {v}.", "I'm in the {v} time zone.", "I'm on {v}.", "my time zone is {v}"),
    },
    changed={
        "home": (
            "We finally moved to {v} last weekend.", "I'm in {v} now, moved last week.", "just relocated to {v}!",
            "I don't live in {old} anymore, I live in {v} now.", "We left {old} and settled in {v}.",
            "Guess what, I moved to {v}!",
        ),
        "employer": (
            "I started at {v} on Monday.", "I quit {old}, I'm at {v} now.", "Got the job at {v}!!",
            "I left {old} and joined {v}.", "As of this month I'm working for {v}.",
        ),
        "diet": ("I'm {v} now.", "I went {v} last week.", "I recently turned {v}.", "I've become {v}."),
        "likes": (
            "I don't like {v} anymore.", "I've gone off {v}.", "Turns out I don't like {v} after all.",
            "I'm over {v}.", "I stopped liking {v}.",
        ),
    },
    values={
        "home": ("Oslo", "Bergen", "Lisbon", "New York", "Dublin", "Prague", "Porto", "Austin", "Leeds"),
        "job": ("nurse", "teacher", "carpenter", "software engineer", "data analyst", "pastry chef", "librarian"),
        "diet": ("vegetarian", "vegan", "pescatarian"),
        "likes": ("jazz", "hiking", "sushi", "chess", "gardening", "thrillers", "opera", "climbing", "coffee"),
        "dislikes": ("olives", "horror movies", "cilantro", "traffic", "phone calls", "mushrooms", "small talk"),
        "birthday": ("May 3", "12 June", "November 30th", "the 4th of July", "August 9"),
        "goals": (
            "run a marathon", "learn Italian", "write a novel", "visit Japan", "buy a house", "learn the cello",
        ),
        "language": ("English", "Norwegian", "Hindi", "Portuguese"),
    },
    kinds={
        "family": ("sister", "brother", "wife", "husband", "daughter", "son", "mother"),
        "pets": ("dog", "cat", "parrot"),
    },
    greetings=("hey there", "Good morning!", "hi, quick one", "Thanks for yesterday.", "ok so"),
    noise=(
        "My colleague lives in Rome.", "If I lived in Vienna I'd never leave.", "My boss hates tea.",
        "I usually run before breakfast.", "My neighbour works at Stark Industries.", "I was in Madrid last week.",
        "My friend Tom is vegan.", "Should I move to Zurich?", "Maybe I'll get a hamster someday.",
        "The train was late again.", "I dreamt I was a pilot.", "My cousin wants to learn Greek.",
        "I used to play the violin.", "My friend's cat is called Whiskers.", "I'm from Canada originally.",
    ),
    questions=("Can you help me plan the week?", "What should I cook tonight?", "How do I write a good CV?"),
    replies=("Nice! Do you live in Paris?", "Noted, so you love broccoli.", "Sure, tell me more.", "Happy to help."),
)  # fmt: skip

GERMAN = Tongue(
    stated={
        "name": (
            "Ich heiße {v}.", "Mein Name ist {v}.", "Ich bin übrigens {v}.", "Nenn mich einfach {v}.",
            "Hallo, hier ist {v}.",
        ),
        "home": (
            "Ich wohne in {v}.", "Ich lebe seit zehn Jahren in {v}.", "Wir wohnen in {v}, ziemlich zentral.",
            "Meine Wohnung ist in {v}.", "Zuhause bin ich in {v}.",
        ),
        "employer": (
            "Ich arbeite bei {v}.", "Ich bin bei {v} angestellt.", "Mein Arbeitgeber ist {v}.",
            "Seit drei Jahren arbeite ich bei {v}.",
        ),
        "job": ("Ich bin {v}.", "Ich arbeite als {v}.", "Von Beruf bin ich {v}.", "Beruflich bin ich {v}."),
        "diet": ("Ich bin {v}.", "Ich ernähre mich {v}.", "Ich lebe schon lange {v}.", "ich esse nur {v}"),
        "likes": (
            "Ich liebe {v}.", "Ich mag {v} sehr.", "Ich stehe total auf {v}.", "{v} finde ich super.",
            "Ich bin ein großer Fan von {v}.",
        ),
        "dislikes": (
            "Ich hasse {v}.", "Ich mag {v} nicht.", "Ich kann {v} nicht ausstehen.", "{v} ist nichts für mich.",
            "Mit {v} kann ich nichts anfangen.",
        ),
        "family": (
            "{k} heißt {v}.", "{v} ist {k}.", "{k} {v} kommt am Wochenende zu Besuch.", "{k}, {v}, wohnt nebenan.",
        ),
        "pets": (
            "Ich habe {k_acc} namens {v}.", "Wir haben {k_acc}, {v}.", "{k_my} heißt {v}.", "{k_my} {v} ist krank.",
        ),
        "birthday": ("Mein Geburtstag ist am {v}.", "Ich habe am {v} Geburtstag.", "Ich bin am {v} geboren."),
        "goals": (
            "Ich möchte {v}.", "Mein Ziel ist es, {zu}.", "Ich habe vor, {zu}.", "Irgendwann will ich {v}.",
        ),
        "language": (
            "Ich spreche {v}.", "Meine Muttersprache ist {v}.", "Ich bin mit {v} aufgewachsen.",
            "{v} spreche ich fließend.",
        ),
        "time zone": ("Meine Zeitzone ist {v}.", "Ich bin in der Zeitzone {v}.", "Bei mir gilt {v}."),
    },
    changed={
        "home": (
            "Wir sind letzte Woche nach {v} gezogen.", "Ich wohne jetzt in {v}.", "Ich bin nach {v} umgezogen!",
            "Ich wohne nicht mehr in {old}, sondern in {v}.", "Seit gestern leben wir in {v}.",
        ),
        "employer": (
            "Ich arbeite jetzt bei {v}.", "Ich habe bei {v} angefangen.",
            "Ich habe bei {old} gekündigt und arbeite jetzt bei {v}.",
            "Ich bin zu {v} gewechselt.",
        ),
        "diet": (
            "Ich bin jetzt {v}.", "Ich ernähre mich jetzt {v}.", "Seit kurzem lebe ich {v}.", "Ich bin {v} geworden.",
        ),
        "likes": (
            "Ich mag {v} nicht mehr.", "{v} mag ich nicht mehr.", "Mit {v} bin ich durch.",
            "{v} gefällt mir nicht mehr.",
        ),
    },
    values={
        "home": ("Berlin", "Hamburg", "Wien", "Zürich", "Köln", "Leipzig", "Graz"),
        "job": ("Lehrer", "Krankenpfleger", "Tischler", "Softwareentwickler", "Bäcker", "Architekt"),
        "diet": ("vegetarisch", "vegan"),
        "likes": ("Jazz", "Wandern", "Schach", "Krimis", "Käsekuchen", "Klettern", "Kaffee"),
        "dislikes": ("Oliven", "Horrorfilme", "Pilze", "Staus", "Rosenkohl", "Karneval"),
        "birthday": ("3. Mai", "12. Juni", "30. November", "9. August"),
        "goals": ("einen Marathon laufen", "Italienisch lernen", "einen Roman schreiben", "nach Japan reisen"),
        "language": ("Deutsch", "Türkisch", "Polnisch", "Englisch"),
    },
    kinds={
        "family": ("Meine Schwester", "Mein Bruder", "Meine Frau", "Mein Mann", "Meine Tochter", "Mein Sohn"),
        "pets": ("Hund", "Katze", "Papagei"),
    },
    greetings=("hallo", "Guten Morgen!", "hi, kurze Frage", "Danke für gestern."),
    noise=(
        "Mein Kollege wohnt in Rom.", "Wenn ich in Paris wohnen würde, wäre ich glücklich.", "Mein Chef hasst Tee.",
        "Ich gehe meistens morgens laufen.", "Meine Nachbarin arbeitet bei Stark Industries.",
        "Ich war letzte Woche in Madrid.",
        "Mein Freund Tom ist Veganer.", "Soll ich nach Zürich ziehen?", "Der Zug war schon wieder zu spät.",
        "Ich komme ursprünglich aus Kanada.", "Die Katze meiner Freundin heißt Minka.",
    ),
    questions=("Kannst du mir bei der Planung helfen?", "Was soll ich heute kochen?"),
    replies=("Schön! Wohnst du in Paris?", "Verstanden, du liebst also Brokkoli.", "Gern, erzähl mehr."),
    means={"vegetarisch": "vegetarian"},
)  # fmt: skip

FRENCH = Tongue(
    stated={
        "name": (
            "Je m'appelle {v}.", "Mon prénom est {v}.", "Moi c'est {v}.", "Appelle-moi {v}.", "Je suis {v}, au fait.",
        ),
        "home": (
            "J'habite à {v}.", "Je vis à {v} depuis dix ans.", "On habite à {v}, dans le centre.",
            "Mon appartement est à {v}.",
            "Je suis basé à {v}.",
        ),
        "employer": (
            "Je travaille chez {v}.", "Je bosse chez {v}.", "Mon employeur, c'est {v}.", "Je suis employé chez {v}.",
        ),
        "job": ("Je suis {v}.", "Je travaille comme {v}.", "Mon métier, c'est {v}.", "Je suis {v} de métier."),
        "diet": ("Je suis {v}.", "Je suis {v} depuis longtemps.", "Au fait, je suis {v}."),
        "likes": (
            "J'adore {v}.", "J'aime beaucoup {v}.", "Je suis fan {du}.", "Je suis passionné par {v}.",
            "{upper}, j'adore.",
        ),
        "dislikes": ("Je déteste {v}.", "Je n'aime pas {v}.", "Je ne supporte pas {v}.", "J'ai horreur {du}."),
        "family": ("{k} s'appelle {v}.", "{v} est {k}.", "{k} {v} vient dîner dimanche."),
        "pets": (
            "J'ai {k_un} qui s'appelle {v}.", "{k_mon} s'appelle {v}.", "On a {k_un}, {v}.",
            "{k_mon} {v} est malade.",
        ),
        "birthday": ("Mon anniversaire est le {v}.", "Je suis né le {v}.", "C'est le {v}, mon anniversaire."),
        "goals": ("Je veux {v}.", "Mon objectif est de {v}.", "J'aimerais {v} un jour.", "J'ai l'intention de {v}."),
        "language": ("Je parle {v}.", "Ma langue maternelle est {article}{v}.", "Je parle couramment {v}."),
        "time zone": ("Mon fuseau horaire est {v}.", "Je suis dans le fuseau {v}."),
    },
    changed={
        "home": (
            "On a déménagé à {v} la semaine dernière.", "J'habite maintenant à {v}.", "Je viens de déménager à {v} !",
            "Je n'habite plus à {old}, j'habite à {v}.", "Je vis désormais à {v}.",
        ),
        "employer": (
            "Je travaille maintenant chez {v}.", "J'ai commencé chez {v} lundi.",
            "J'ai quitté {old} et je travaille chez {v}.",
            "Je viens d'être embauché chez {v}.",
        ),
        "diet": ("Je suis {v} maintenant.", "Je suis devenu {v}.", "Désormais je suis {v}."),
        "likes": ("Je n'aime plus {v}.", "Je ne suis plus fan {du}.", "{upper}, c'est fini pour moi."),
    },
    values={
        "home": ("Lyon", "Nantes", "Lille", "Bruxelles", "Genève", "Bordeaux"),
        "job": ("professeur", "infirmier", "boulanger", "développeur", "architecte", "journaliste"),
        "diet": ("végétarien", "végan"),
        "likes": ("le jazz", "la randonnée", "les échecs", "le cinéma", "le café", "la natation"),
        "dislikes": ("les olives", "les champignons", "le bruit", "les embouteillages", "la chasse"),
        "birthday": ("3 mai", "12 juin", "30 novembre", "9 août"),
        "goals": ("courir un marathon", "apprendre l'italien", "écrire un roman", "visiter le Japon"),
        "language": ("français", "arabe", "anglais", "portugais"),
    },
    kinds={
        "family": ("Ma sœur", "Mon frère", "Ma femme", "Mon mari", "Ma fille", "Mon fils"),
        "pets": ("chien", "chat", "perroquet"),
    },
    greetings=("salut", "Bonjour !", "Merci pour hier.", "coucou"),
    noise=(
        "Mon collègue habite à Rome.", "Si j'habitais à Vienne, je serais heureux.", "Mon patron déteste le thé.",
        "Ma voisine travaille chez Stark Industries.", "J'étais à Madrid la semaine dernière.",
        "Mon ami Tom est végan.",
        "Est-ce que je devrais déménager à Zurich ?", "Le train était encore en retard.", "Je cours souvent le matin.",
        "Le chat de mon amie s'appelle Minette.",
    ),
    questions=("Tu peux m'aider à planifier ma semaine ?", "Qu'est-ce que je cuisine ce soir ?"),
    replies=("Super ! Tu habites à Paris ?", "Noté, tu adores les brocolis.", "Avec plaisir."),
    means={"végétarien": "vegetarian", "végan": "vegan"},
)  # fmt: skip

SPANISH = Tongue(
    stated={
        "name": ("Me llamo {v}.", "Mi nombre es {v}.", "Soy {v}, por cierto.", "Llámame {v}.", "Todos me llaman {v}."),
        "home": (
            "Vivo en {v}.", "Vivimos en {v}, en el centro.", "Llevo diez años viviendo en {v}.", "Mi piso está en {v}.",
            "Resido en {v}.",
        ),
        "employer": (
            "Trabajo en {v}.", "Trabajo para {v}.", "Estoy en {v}, en el equipo de soporte.", "Mi empresa es {v}.",
        ),
        "job": ("Soy {v}.", "Trabajo como {v}.", "Trabajo de {v}.", "Soy {v} de profesión."),
        "diet": ("Soy {v}.", "Soy {v} desde hace años.", "Por cierto, soy {v}.", "Llevo una dieta {feminine}."),
        "likes": ("Me encanta {v}.", "Me gusta mucho {v}.", "Soy muy fan {del_}.", "Me apasiona {v}.", "Adoro {v}."),
        "dislikes": ("Odio {v}.", "No me gusta {v}.", "No soporto {v}.", "Detesto {v}."),
        "family": ("{k} se llama {v}.", "{v} es {k}.", "{k} {v} viene el domingo."),
        "pets": (
            "Tengo {k_un} que se llama {v}.", "{k_mi} se llama {v}.", "Tenemos {k_un}, {v}.", "{k_mi} {v} está mal.",
        ),
        "birthday": ("Mi cumpleaños es el {v}.", "Nací el {v}.", "Cumplo años el {v}."),
        "goals": ("Quiero {v}.", "Mi objetivo es {v}.", "Me gustaría {v} algún día.", "Tengo la intención de {v}."),
        "language": ("Hablo {v}.", "Mi lengua materna es el {v}.", "Hablo {v} con fluidez."),
        "time zone": ("Mi zona horaria es {v}.", "Estoy en la zona horaria {v}."),
    },
    changed={
        "home": (
            "Nos mudamos a {v} la semana pasada.", "Ahora vivo en {v}.", "¡Me acabo de mudar a {v}!",
            "Ya no vivo en {old}, vivo en {v}.", "Desde ayer vivimos en {v}.",
        ),
        "employer": (
            "Ahora trabajo en {v}.", "Empecé a trabajar en {v} el lunes.", "Dejé {old} y ahora trabajo en {v}.",
            "Me han contratado en {v}.",
        ),
        "diet": ("Ahora soy {v}.", "Me he hecho {v}.", "Me volví {v} hace poco."),
        "likes": ("Ya no me gusta {v}.", "Me he cansado {del_}.", "{upper} ya no me gusta."),
    },
    values={
        "home": ("Madrid", "Bilbao", "Sevilla", "Bogotá", "Lima", "Valencia"),
        "job": ("profesor", "enfermero", "carpintero", "programador", "periodista", "panadero"),
        "diet": ("vegetariano", "vegano"),
        "likes": ("el jazz", "el senderismo", "el ajedrez", "el cine", "el café", "el sushi"),
        "dislikes": ("el ruido", "el tráfico", "el fútbol", "el apio", "el invierno"),
        "birthday": ("3 de mayo", "12 de junio", "30 de noviembre", "9 de agosto"),
        "goals": ("correr un maratón", "aprender italiano", "escribir una novela", "viajar a Japón"),
        "language": ("español", "catalán", "inglés", "portugués"),
    },
    kinds={
        "family": ("Mi hermana", "Mi hermano", "Mi mujer", "Mi marido", "Mi hija", "Mi hijo"),
        "pets": ("perro", "gato", "loro"),
    },
    greetings=("hola", "¡Buenos días!", "Gracias por lo de ayer.", "buenas"),
    noise=(
        "Mi compañero vive en Roma.", "Si viviera en Viena, sería feliz.", "Mi jefe odia el té.",
        "Mi vecina trabaja en Stark Industries.", "Estuve en París la semana pasada.", "Mi amigo Tom es vegano.",
        "¿Debería mudarme a Zúrich?", "El tren llegó tarde otra vez.", "Suelo correr por la mañana.",
        "El gato de mi amiga se llama Misi.",
    ),
    questions=("¿Me ayudas a planear la semana?", "¿Qué cocino esta noche?"),
    replies=("¡Qué bien! ¿Vives en París?", "Anotado, te encanta el brócoli.", "Claro, cuéntame más."),
    means={"vegetariano": "vegetarian", "vegano": "vegan"},
)  # fmt: skip

CHINESE = Tongue(
    stated={
        "name": ("我叫{v}。", "我的名字是{v}。", "大家都叫我{v}。", "叫我{v}就好。"),
        "home": ("我住在{v}。", "我家在{v}。", "我在{v}住了十年了。", "我现在住在{v}，挺方便的。"),
        "employer": ("我在{v}工作。", "我在{v}上班。", "我的公司是{v}。"),
        "job": ("我是{v}。", "我是一名{v}。", "我的职业是{v}。", "我的工作是{v}。"),
        "diet": ("我吃素。", "我是素食者。", "我一直吃素。"),
        "likes": ("我喜欢{v}。", "我很爱{v}。", "我特别喜欢{v}。", "我对{v}很感兴趣。", "我是{v}迷。"),
        "dislikes": ("我讨厌{v}。", "我不喜欢{v}。", "我受不了{v}。", "我最烦{v}了。"),
        "family": ("我{k}叫{v}。", "我的{k}叫{v}。", "我{k}的名字是{v}。"),
        "pets": ("我有一只{k}叫{v}。", "我家的{k}叫{v}。", "我养了一只{k}，叫{v}。", "我的{k}叫{v}。"),
        "birthday": ("我的生日是{v}。", "我生日在{v}。", "我是{v}出生的。"),
        "goals": ("我想{v}。", "我的目标是{v}。", "我打算{v}。", "我希望能{v}。"),
        "language": ("我会说{v}。", "我的母语是{v}。", "我说{v}。"),
        "time zone": ("我的时区是{v}。", "我在{v}时区。"),
    },
    changed={
        "home": ("我搬到{v}了。", "我现在住在{v}。", "我上周搬到了{v}。", "我不住在{old}了，现在住在{v}。"),
        "employer": ("我现在在{v}工作。", "我换工作了，现在在{v}上班。", "我离开了{old}，现在在{v}工作。"),
        "diet": (),
        "likes": ("我不喜欢{v}了。", "我不再喜欢{v}。", "我现在不喜欢{v}了。"),
    },
    values={
        "home": ("北京", "上海", "广州", "成都", "杭州", "西安"),
        "job": ("老师", "护士", "工程师", "厨师", "律师", "记者"),
        "diet": ("吃素",),
        "likes": ("爵士乐", "爬山", "下棋", "咖啡", "寿司", "摄影"),
        "dislikes": ("香菜", "堵车", "恐怖片", "加班", "苦瓜"),
        "birthday": ("5月3日", "6月12日", "11月30日", "8月9日"),
        "goals": ("跑马拉松", "学意大利语", "写一本小说", "去日本旅行"),
        "language": ("中文", "英语", "粤语", "日语"),
    },
    kinds={
        "family": ("姐姐", "哥哥", "妻子", "丈夫", "女儿", "儿子"),
        "pets": ("狗", "猫", "鹦鹉"),
    },
    greetings=("你好", "早上好！", "谢谢你昨天的帮助。"),
    noise=(
        "我同事住在罗马。", "如果我住在巴黎就好了。", "我老板讨厌喝茶。", "我邻居在蓝天公司工作。", "上周我去了东京。",
        "我朋友小明吃素。", "我应该搬去深圳吗？", "火车又晚点了。", "我通常早上跑步。",
    ),
    questions=("你能帮我计划一下这周吗？", "今晚做什么菜好？"),
    replies=("太好了！你住在东京吗？", "好的，你喜欢西兰花。", "当然，请继续说。"),
    means={"吃素": "vegetarian"},
)  # fmt: skip

TONGUES = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "zh": CHINESE}
