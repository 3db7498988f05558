"""French: the patterns of statements."""

from __future__ import annotations

from service.domain.types import MemoryType
from service.extraction.languages.grammar import VALUE, any_of, likes, row

_ADVERB = (
    r"(?:(?:très|vraiment|aussi|beaucoup|maintenant|actuellement|toujours|encore|déjà|seulement|surtout|bien"
    r"|énormément|trop|pas|plus"
    r"|pas\sdu\stout|pas\svraiment|pas\sbeaucoup|plutôt|originellement|récemment|enfin|un\speu|totalement|souvent"
    r"|jamais|désormais|dorénavant)\s){0,3}"
)
_I = r"^(?:je\s|j'|nous\s|on\s)(?:ne\s|n'|n\s)?"
_NAME = r"(?P<value>\w[\w'-]{0,30}(?:\s(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{0,30})){0,2})"
_PLACE = (
    r"(?P<value>(?!maison\b|côté|fond\b|une?\s|mon\b|ma\b|ce\b|cette\b|vacances|la\s(?!réunion|rochelle|havane|haye)"
    r"|l'(?!île|isle|estonie|espagne|italie|inde))"
    r"(?:la\s)?[\w'-]{2,30}(?:\s(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{1,30})){0,3})"
)
_IN = r"(?:à|en|au|aux|sur|dans\sle)\s"
_RELATIVE = (
    r"frère|soeur|sœur|mère|père|maman|papa|fils|fille|mari|femme|copain|copine|conjoint|compagnon|compagne|chef"
    r"|cheffe|patron"
    r"|chien|chienne|chat|chatte|perroquet|lapin|cheval|grand-mère|grand-père|oncle|tante|cousin|cousine|ami|amie|collègue|fiancé|fiancée"
)
_WHO = (
    rf"(?P<who>(?:mon|ma|notre)\s(?:{_RELATIVE})(?:\s(?-i:[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{{1,20}}))?"
    r"|(?!(?:je|on|nous|le|la|les|un|une|mon|ma|mes|il|elle|ils|elles|ce|cela|ça|qui|que|tout|personne|hier|moi|vous"
    r"|tu|oui|non|merci|si|avec)\b)"
    r"(?-i:[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{1,20}(?:\s[A-ZÀÂÉÈÊÎÔ][a-zàâéèêëîïôûç]{1,20})?))"
)
_PROFESSION = (
    r"(?P<value>(?:médecin|infirmi[eè]re?|ingénieure?|avocate?|architecte|cuisini[eè]re?|serveu(?:r|se)"
    r"|musicien(?:ne)?|psychologue"
    r"|biologiste|pompier|vétérinaire|photographe|pharmacien(?:ne)?|fonctionnaire|menuisi[eè]re?|coiffeu(?:r|se)"
    r"|jardini[eè]re?"
    r"|prof(?:esseure?)?|enseignante?|institut(?:eur|rice)|écrivaine?|designer|développeu(?:r|se)|programmeu(?:r|se)"
    r"|chercheu(?:r|se)|traduct(?:eur|rice)|comptable"
    r"|entraîneu(?:r|se)|act(?:eur|rice)|chauffeur|vendeu(?:r|se)|agricult(?:eur|rice)|direct(?:eur|rice)|étudiante?"
    r"|journaliste|dentiste|artiste"
    r"|électricien(?:ne)?|économiste|gérante?|polici[eè]re?|pilote|analyste|chant(?:eur|euse)|retraitée?"
    r"|plombi[eè]re?|chef\sde\sprojet|boulang[eè]re?|consultante?)"
    r"(?:\s(?:de|d'|en)\s?(?!métier\b|profession\b|formation\b)\w{3,20})?)\b"
)
ATTRIBUTES = {
    "budget": "budget", "date limite": "deadline", "échéance": "deadline", "deadline": "deadline", "délai": "deadline",
    "prix": "price", "coût": "cost", "loyer": "rent", "salaire": "salary", "adresse": "address",
    "numéro de téléphone": "phone number",
    "téléphone": "phone number", "e-mail": "email", "email": "email", "fuseau horaire": "time_zone",
    "version": "version",
    "port": "port", "réunion": "meeting date", "rendez-vous": "appointment", "rdv": "appointment", "limite": "limit",
    "taille": "height", "poids": "weight", "surnom": "nickname", "date de début": "start date", "lieu": "location",
    "date de lancement": "launch date", "lancement": "launch date", "groupe sanguin": "blood type",
}  # fmt: skip
_ATTRIBUTE = any_of(ATTRIBUTES)
DIETS = {
    "végane": "vegan", "vegan": "vegan", "végan": "vegan", "végétalien": "vegan", "végétalienne": "vegan",
    "végétarien": "vegetarian", "végétarienne": "vegetarian", "pescétarien": "pescatarian", "diabétique": "diabetic",
    "intolérant au lactose": "lactose intolerant", "intolérante au lactose": "lactose intolerant", "cœliaque": "celiac",
    "casher": "kosher", "halal": "halal", "sans gluten": "gluten free",
}  # fmt: skip
_DIET = rf"(?P<value>{any_of(DIETS)})\b"
MARITAL = {
    "marié": "married", "mariée": "married", "célibataire": "single", "divorcé": "divorced", "divorcée": "divorced",
    "veuf": "widowed", "veuve": "widowed", "fiancé": "engaged", "fiancée": "engaged", "pacsé": "married",
    "pacsée": "married",
}  # fmt: skip
_LANGUAGES = (
    r"(?:(?:le\s|l'|du\s|de\sl')?(?:français|anglais|allemand|espagnol|italien|chinois|japonais|russe|portugais|arabe"
    r"|coréen|polonais"
    r"|norvégien|suédois|néerlandais|grec|turc|ukrainien|breton|catalan|mandarin))"
)
_NOT_A_WISH = (
    r"(?!(?:savoir|demander|dire|comprendre|remercier|te\b|vous\b|t'|voir\ssi|avouer|reconnaître|y\saller|partir$)\b)"
)
_INFINITIVE = r"(?:ne\s(?:pas|plus)\s)?(?:me\s|m'|nous\s|y\s|le\s|la\s|les\s|l'|lui\s)?\w{2,20}(?:er|ir|re|oir)\b"

_IDENTITY = (
    row(MemoryType.IDENTITY, rf"^(?:je\sm'appelle|mon\s(?:nom|prénom)(?:\scomplet)?\s(?:est|c'est)|(?:on"
        rf"|tout\sle\smonde)\sm'appelle|(?:appelle|appelez)-moi)\s{_NAME}", "name", importance=0.9, kind="person"),
    row(MemoryType.IDENTITY, rf"^mon\sanniversaire\s(?:est|c'est)\s(?:le\s)?{VALUE}", "birthday", importance=0.85,
        grounded=False),
    row(MemoryType.IDENTITY, r"^je\ssuis\snée?\sle\s(?P<value>\d{1,2}(?:er)?\s\w{3,9}(?:\s\d{4})?)", "birthday",
        importance=0.85, grounded=False),
    row(MemoryType.IDENTITY, r"^j'ai\s(?:maintenant\s|déjà\s|eu\s)?(?P<value>\d{1,3})\sans\b(?!\sd)", "age",
        importance=0.8, grounded=False),
    row(MemoryType.IDENTITY, rf"^je\s(?:viens|suis\soriginaire)\s(?:de\s|d'|du\s|des\s)(?!\w{{2,20}}(?:er|ir|re"
        rf"|être)\s){_PLACE}", "from",
        importance=0.8, kind="place"),
    row(MemoryType.IDENTITY, rf"^(?:je\ssuis\snée?|j'ai\sgrandi)\s(?:à|en|au|aux)\s{_PLACE}", "from", importance=0.8,
        kind="place"),
    row(MemoryType.IDENTITY, rf"{_I}suis\s{_ADVERB}(?:allergique|intolérante?)\s(?:à\sla\s|à\sl'|aux\s|au\s"
        rf"|à\s){VALUE}", "allergic_to", importance=0.9, several=True, deniable=True),
    row(MemoryType.IDENTITY, rf"^j'ai\sune\s(?:forte\s|grave\s)?allergie\s(?:à\sla\s|à\sl'|aux\s|au\s|à\s){VALUE}",
        "allergic_to", importance=0.9, several=True),
    row(MemoryType.IDENTITY, r"^je\s(?:re)?mange\s(?:à\snouveau|de\snouveau|encore)\s(?:de\sla\s)?viande"
        r"|^je\sremange\sde\sla\sviande", "diet", importance=0.85, value="eats meat"),
    row(MemoryType.IDENTITY, r"^je\s(?:ne\s)?mange\s(?:pas|jamais|plus)\sde\sviande", "diet", importance=0.85,
        value="vegetarian", negated=True),
    row(MemoryType.IDENTITY, rf"{_I}(?:suis|mange)\s(?:devenue?\s)?{_ADVERB}{_DIET}", "diet", importance=0.85,
        deniable=True),
    row(MemoryType.IDENTITY, rf"{_I}suis\s{_ADVERB}(?P<value>{any_of(MARITAL)})\b", "marital_status", importance=0.8),
    row(MemoryType.IDENTITY, rf"{_I}suis\s{_ADVERB}(?:une?\s)?{_PROFESSION}", "job", importance=0.8),
    row(MemoryType.IDENTITY, rf"^mon\s(?:métier|travail|boulot)(?:,\sc'est|\sest)\s(?:une?\s)?{_PROFESSION}", "job",
        importance=0.8),
    row(MemoryType.IDENTITY, rf"{_I}travaille\s{_ADVERB}(?:comme|en\stant\sque?)\s{VALUE}", "job", importance=0.8),
    row(MemoryType.IDENTITY, r"^ma\slangue\s(?:maternelle|natale)\sest\s(?:le\s|l')?(?P<value>\w{3,20})",
        "native_language", importance=0.8),
    row(MemoryType.IDENTITY, rf"{_I}parle\s(?:couramment\s|un\speu\s|bien\s|aussi\s"
        rf"|pas\s)?(?={_LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})", "speaks", importance=0.75, several=True,
        deniable=True),
    row(MemoryType.IDENTITY, r"^(?:j'ai|nous\savons|on\sa)\s(?:deux|trois|quatre|cinq|\d|une?)\s(?:petite?\s"
        r"|grande?s?\s)?(?:enfants?|fils|filles?|frères?|soeurs?|sœurs?)\b", importance=0.8),
    row(MemoryType.IDENTITY, rf"^{_WHO}\ss'appelle\s{_NAME}", "named", importance=0.8, several=True, kind="person"),
    row(MemoryType.IDENTITY, rf"^(?P<value>(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{{1,30}}))\sest\s(?P<who>(?:mon"
        rf"|ma)\s(?:{_RELATIVE}))$", "named",
        importance=0.8, several=True, kind="person"),
    row(MemoryType.FACT, rf"^(?:j'ai|nous\savons|on\sa)\s(?P<who>une?\s(?:{_RELATIVE}))(?:\squi\ss'appelle|\snommée?"
        rf"|\sappelée?|,)\s{_NAME}$", "named", several=True),
    row(MemoryType.IDENTITY, rf"^je\ssuis\s(?:dans|sur)\sle\sfuseau\s(?:horaire\s)?{VALUE}", "time_zone",
        importance=0.8),
)  # fmt: skip
_FACTS = (
    row(MemoryType.FACT, rf"^(?:mon|ma|notre)\s(?:appartement|appart|logement|maison)\s(?:est"
        rf"|se\strouve)\s{_IN}{_PLACE}",
        "lives_in", importance=0.75, kind="place"),
    row(MemoryType.FACT, rf"{_I}(?:suis|me\ssuis)\s{_ADVERB}(?:basée?|installée?)\s{_IN}{_PLACE}", "lives_in",
        importance=0.75,
        kind="place"),
    row(MemoryType.FACT, rf"^mon\s(?:nouvel\s)?employeur(?:,\sc'est|\sest)\s(?:maintenant\s)?{_NAME}", "works_at",
        importance=0.75,
        kind="company"),
    row(MemoryType.FACT, rf"^(?:je\ssuis\s(?:employée?|embauchée?)|je\sviens\sd'être\sembauchée?|j'ai\sété\sembauchée?)"
        rf"\schez\s{_NAME}", "works_at", importance=0.75, kind="company"),
    row(MemoryType.FACT, rf"{_I}(?:habite|habitons|vis|vivons|réside|résidons)\s{_ADVERB}{_IN}{_PLACE}", "lives_in",
        importance=0.75,
        deniable=True, kind="place"),
    row(MemoryType.FACT, rf"^(?:j'ai\s(?:récemment\s)?|nous\savons\s|on\sa\s|je\sviens\sde\s)(?:déménagée?s?"
        rf"|emménagée?s?|déménager|emménager)\s(?:de\s[\w'-]{{2,20}}\s)?{_IN}{_PLACE}", "lives_in", importance=0.75,
        kind="place", past=True),
    row(MemoryType.FACT, r"^j'ai\s(?:quitté|démissionné\s(?:de|d'"
        r"|chez))\s?(?:chez\s)?(?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}))\b", "works_at", polarity="negative",
        importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, r"^(?:j'ai\s(?:commencé|trouvé|démarré|débuté)|je\sviens\sde\scommencer)\s(?:à\stravailler\s"
        r"|un\snouveau\s(?:travail|poste|boulot|job)\s)?(?:chez|pour)\s(?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}(?:\s[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}){0,2}))",
        "works_at", importance=0.7, kind="company", past=True),
    row(MemoryType.FACT, rf"{_I}(?:travaille|bosse)\s{_ADVERB}(?:chez|pour)\s(?!moi|lui|une?\b|la\b|le\b|mon\b"
        rf"|l'){_NAME}",
        "works_at", importance=0.75, deniable=True, kind="company"),
    row(MemoryType.FACT, rf"^(?:mon|ma|notre|le|la|l')\s?(?P<attribute>{_ATTRIBUTE})\s(?:est|sera|passe\sà"
        rf"|est\spassée?\sà|a\sété\s(?:reportée?|déplacée?|avancée?|fixée?|décalée?|portée?)\s(?:au|à|le)"
        rf"|monte\sà)\s(?:maintenant\s|désormais\s|à\sprésent\s)?(?:de\s)?{VALUE}", "{attribute}"),
    row(MemoryType.FACT, r"^(?:j'ai|nous\savons|on\sa)\s(?:une?|deux|trois|\d)\s(?:petite?\s)?(?:chiens?|chiennes?"
        r"|chats?|chattes?|chevaux|cheval|lapins?)\b", importance=0.6),
    row(MemoryType.FACT, rf"^{_WHO}\s(?:ne\s|n')?(?:habite|vit)\s{_ADVERB}{_IN}{_PLACE}", "lives_in", deniable=True,
        kind="place"),
    row(MemoryType.FACT, rf"^{_WHO}\s(?:a\sdéménagé|a\semménagé)\s{_IN}{_PLACE}", "lives_in", kind="place", past=True),
    row(MemoryType.FACT, rf"^{_WHO}\s(?:ne\s)?travaille\s{_ADVERB}(?:chez|pour)\s{_NAME}", "works_at", deniable=True,
        kind="company"),
    row(MemoryType.FACT, rf"^{_WHO}\sest\s(?:une?\s)?{_PROFESSION}", "job"),
    row(MemoryType.FACT, r"^j'(?:apprends|étudie)\s(?!que\b)", importance=0.55, news=1),
)  # fmt: skip
_OVER = (
    r"\s(?:à\sla|à\sl'|aux|au|à|plutôt\sque|au\slieu\s(?:de|du)|que)\s?(?:le\s|la\s|les\s|l'|du\s"
    r"|de\s)?(?P<other>[\w\s+#-]{1,40})"
)
_PREFERENCES = (
    row(MemoryType.PREFERENCE, rf"^(?:mon|ma|mes)\s(?P<attribute>\w{{2,20}})\spréférée?s?\s(?:est|sont"
        rf"|c'est)\s{VALUE}", "favorite {attribute}", importance=0.7),
    row(MemoryType.PREFERENCE, rf"^(?:je|nous|on)\s(?:préfère"
        rf"|préférons)\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}", "prefers", importance=0.7),
    row(MemoryType.PREFERENCE, rf"^j'aime\s(?:mieux|plus)\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}", "prefers",
        importance=0.7),
    row(MemoryType.PREFERENCE, rf"^{_WHO}\spréfère\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}", "prefers",
        importance=0.7),
    likes(r"^(?:je\s|j'|on\s|nous\s)(?:déteste|détestons|hais|abhorre|évite)\s(?!quand|que)", "negative"),
    likes(r"^(?:je\s|on\s)(?:ne\s)?(?:supporte|tolère)\s(?:pas|plus)\s", "negative", negated=True),
    likes(r"^(?:je\s|on\s)(?:ne\s)?(?:bois|mange|fume|utilise|prends)\s(?:pas|plus|jamais)\s(?:de\s|d')", "negative",
        negated=True),
    likes(r"^j'ai\sarrêté\s(?:de\s(?:boire|manger|fumer|prendre)\s(?:du\s|de\sla\s|de\sl'|des\s|de\s)?|le\s|la\s|l')",
        "negative"),
    likes(rf"{_I}(?:aime|adore|aimons|adorons|préfère|apprécie|kiffe)\s{_ADVERB}(?:mieux\s)?(?!quand|que\b|savoir"
        rf"|bien$|pas$|ça\b)"),
    likes(rf"{_I}suis\s{_ADVERB}(?:une?\s)?(?:grande?\s)?(?:fan|passionnée?|amateur|accro)\s(?:de\sla\s|de\sl'|de\s"
        rf"|du\s|des\s|d'|par\sla\s|par\sl'|par\s|à\s)"),
    likes(r"^j'ai\s(?:vraiment\s)?horreur\s(?:de\sla\s|de\sl'|des\s|du\s|de\s|d')", "negative"),
    likes("^", "negative", r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b)[\w\s+#'-]{2,40}?)",
        r",\sc'est\sfini(?:\spour\smoi)?$"),
    likes("^", thing=r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b|moi\b)[\w\s+#'-]{2,40}?)", end=r",\sj'adore$"),
    likes(rf"{_I}m'intéresse\s{_ADVERB}(?:à\sla\s|à\sl'|aux\s|au\s|à\s)"),
    likes("^", thing=r"(?P<value>(?!ça|cela|ce\b|il\b|elle\b)[\w\s+#'-]{2,40}?)", end=r"\s(?:ne\s)?me\s(?:plaît"
        r"|plaisent|plait)(?:\s(?:pas|beaucoup|pas\sdu\stout|bien|plus))?$"),
    likes(rf"^{_WHO}\s(?:n')?(?:aime|adore|préfère)\s{_ADVERB}"),
    likes(rf"^{_WHO}\s(?:déteste|hait)\s", "negative"),
    row(MemoryType.PREFERENCE, r"^(?:(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s|merci\sde\s)?(?:tutoie|vouvoie|tutoyez"
        r"|vouvoyez|me\stutoyer|me\svouvoyer)(?:-moi)?\b"
        r"|(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s)?(?:pas\sd'|pas\sde\s|sans\s|plus\sd'"
        r"|aucun\s)\w{3,20}(?:,?\s(?:s'il\s(?:te|vous)\splaît|stp|svp|merci))?$"
        r"|(?:à\spartir\sde\smaintenant|désormais|dorénavant)\b(?!,?\s(?:je|j'|on|nous)\b)"
        r"|(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s|merci\sde\s)?(?:réponds|répondez|répondre|utilise|utilisez"
        r"|utiliser|écris|écrivez|parle-moi|donne-moi|garde|résume|évite|n'utilise|je\sveux\sque\stu)\b"
        r"(?=(?:\s\S{1,30}){0,6}?\s(?:toujours|jamais|seulement|français|anglais|unités|puces|emojis?|format|phrases"
        r"|ton|brève(?:ment)?|court(?:es|s)?|courte|concis|métriques?|listes?)\b)"
        r"|unités\smétriques|je\spréfère\s(?:des|les)\sréponses\s)", importance=0.7, instructs=True),
)  # fmt: skip
_PLANS = (
    row(MemoryType.TODO, r"^(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s)?(?:rappelle|rappelez"
        r"|peux-tu\sme\srappeler)(?:-moi)?\s(?:de\s|d'|que\s|le\s|la\s|mon\s|ma\s)", importance=0.7, instructs=True),
    row(MemoryType.TODO, r"^(?:to-?\s?do|tâche|à\sfaire|rappel)\s?:\s", importance=0.65),
    row(MemoryType.TODO, r"^(?:n'oublie\spas|n'oubliez\spas|ne\spas\soublier|pense\sà)\s?[,:]?\s?(?:de\s|d'|que\s"
        r"|:\s)?", importance=0.65, instructs=True, news=1),
    row(MemoryType.TODO, r"^(?:ping(?:er)?|demande\sà|appelle|appeler|relance|relancer|contacte"
        r"|contacter)\s(?-i:[A-ZÀÂÉÈÊÎÔ]\w{1,20})\s(?:pour|au\ssujet|à\spropos|sur|concernant)\b", importance=0.65,
        news=1),
    row(MemoryType.DECISION, r"^(?:la\s)?(?:décision|décidé|c'est\sdécidé)(?:\sfinale)?(?:\sest|\s?:)\s",
        importance=0.75),
    row(MemoryType.DECISION, r"^(?:j'ai|nous\savons|on\sa|on\ss'est|nous\snous\ssommes)\s(?:enfin\s"
        r"|finalement\s)?(?:décidé|convenu|choisi|opté|retenu|tranché|mise?s?\sd'accord)\b", importance=0.75,
        past=True, news=1),
    row(MemoryType.DECISION, r"^(?:on\sva|nous\sallons|je\svais)\s(?:utiliser|adopter|prendre|garder|rester\ssur"
        r"|partir\ssur)\s", importance=0.7, news=1),
    row(MemoryType.DECISION, r"^(?:j'utiliserai|on\sutilisera|nous\sutiliserons|utilisons|prenons|partons\ssur"
        r"|on\spart\ssur|restons\ssur|on\sgarde)\s", importance=0.7, news=1),
    row(MemoryType.DECISION, r"^il\sa\sété\s(?:décidé|convenu)\s", importance=0.75),
    row(MemoryType.GOAL, r"^(?:mon|notre)\s(?:grand\s)?(?:objectif|but|rêve|projet|plan)\s(?:pour\scette\sannée\s"
        r"|cette\sannée\s)?(?:est|c'est)\s", importance=0.7),
    row(MemoryType.GOAL, rf"^(?:je\s|j'|nous\s|on\s)(?:veux|voudrais|aimerais|voulons|aimerions|veut|espère|espérons"
        rf"|compte|comptons|prévois\sde|prévois\sd'|prévoyons\sde|rêve\sde|rêve\sd'|envisage\sde|ai\sl'intention\sde"
        rf"|ai\sl'intention\sd'|vais|allons)\s?{_NOT_A_WISH}{_INFINITIVE}", importance=0.6, news=2),
    row(MemoryType.GOAL, r"^j'économise\spour\s", importance=0.6),
    row(MemoryType.GOAL, r"^(?!je\b|nous\b)\w{2,15}(?:er|ir|re)\s.{3,80}\s(?:avant\sle|d'ici\sle|pour\sle"
        r"|avant)\s.{3,25}$", importance=0.6, dated=True),
    row(MemoryType.TODO, rf"^(?:je\sdois|nous\sdevons|on\sdoit|il\sfaut\sque\sje|il\sfaut|j'ai\sbesoin\sde"
        rf"|je\sdevrais)\s{_NOT_A_WISH}\w{{2,20}}", importance=0.65, news=2),
)  # fmt: skip
_HABITS = (
    row(MemoryType.FACT, r"^(?:je\s|j'|nous\s|on\s)(?:ne\s|n')?(?:me\s|m')?(?!ai\b|suis\sallée?|dois|étais"
        r"|avais)\w{2,20}\s(?:.{1,80}\s)?(?:tous\sles\s(?:jours|matins|soirs|lundis?|mardis?|mercredis?|jeudis?"
        r"|vendredis?|samedis?|dimanches?|ans|mois)"
        r"|chaque\s(?:jour|matin|soir|semaine|mois|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|année"
        r"|week-end)|d'habitude|normalement|en\sgénéral|généralement|régulièrement|le\s(?:lundi|mardi|mercredi|jeudi"
        r"|vendredi|samedi|dimanche|matin|soir|week-end)$)", importance=0.5, grounded=False, news=1),
    row(MemoryType.FACT, r"^je\s(?:ne\s)?(?:fume|bois)\s(?:pas|jamais|plus)$", importance=0.5),
)  # fmt: skip
_EVENTS = (
    row(MemoryType.EVENT, r"^(?:mon|ma|mes|notre|le|la|j'ai\sune?|j'ai|nous\savons\sune?"
        r"|on\sa\sune?)\s(?:.{1,40}\s)?(?:contrat|vol|rendez-vous|rdv|réunion|examen|mariage|voyage|cours|conférence"
        r"|concert|entretien|déménagement|fête|opération|présentation|dentiste|médecin|vacances)\b",
        importance=0.6, dated=True, news=1),
    row(MemoryType.EVENT, r"^(?:je\s|j'|nous\s|on\s)(?:m'|me\s|nous\s|se\s)?(?:pars|partons|part|vole|vais|allons|va"
        r"|prends|déménage|déménageons|marie|marions|commence|visite|rencontre|retrouve|vois|fête|fêtons|suis|serai"
        r"|irai|irons|ira)\s(?!allée?|partie?)", importance=0.55, dated=True, news=1),
    row(MemoryType.EVENT, r"^(?:j'ai|nous\savons|on\sa|je\sl'ai)\s(?!compris|vu\b|lu\b|dit|pensé|demandé|été\b|oublié"
        r"|cru|voulu|pu\b|dû\b|une?\b|de\b|du\b|des\b|la\b|le\b|l'|eu\b(?!\sune?))\w{2,20}(?:é|ée|i|u|is|it|ert"
        r"|eint)\s", importance=0.5, past=True, news=2),
    row(MemoryType.EVENT, r"^(?:je\s(?:me\s)?suis|nous\s(?:nous\s)?sommes|on\s(?:s')?est)\s(?:allée?s?|partie?s?"
        r"|rentrée?s?|revenue?s?|arrivée?s?|venue?s?|montée?s?|sortie?s?|tombée?s?|retournée?s?|restée?s?|inscrite?s?"
        r"|mariée?s?|acheté|cassé|blessée?|passée?s?|levée?s?|fiancée?s?)\b", importance=0.5, past=True, news=2),
    row(MemoryType.EVENT, r"^(?:j'étais|nous\sétions|on\sétait)\s", importance=0.5, past=True, dated=True, news=1),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)
