"""French: the patterns of statements."""

from __future__ import annotations

from service.domain.word_lists import pairs
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
ATTRIBUTES = pairs("""
    budget=budget date~limite=deadline échéance=deadline deadline=deadline délai=deadline prix=price coût=cost
    loyer=rent salaire=salary adresse=address numéro~de~téléphone=phone~number téléphone=phone~number e-mail=email
    email=email fuseau~horaire=time_zone version=version port=port réunion=meeting~date rendez-vous=appointment
    rdv=appointment limite=limit taille=height poids=weight surnom=nickname date~de~début=start~date lieu=location
    date~de~lancement=launch~date lancement=launch~date groupe~sanguin=blood~type""")
_ATTRIBUTE = any_of(ATTRIBUTES)
DIETS = pairs("""
    végane=vegan vegan=vegan végan=vegan végétalien=vegan végétalienne=vegan végétarien=vegetarian
    végétarienne=vegetarian pescétarien=pescatarian diabétique=diabetic intolérant~au~lactose=lactose~intolerant
    intolérante~au~lactose=lactose~intolerant cœliaque=celiac casher=kosher halal=halal sans~gluten=gluten~free""")
_DIET = rf"(?P<value>{any_of(DIETS)})\b"
MARITAL = pairs("""
    marié=married mariée=married célibataire=single divorcé=divorced divorcée=divorced veuf=widowed veuve=widowed
    fiancé=engaged fiancée=engaged pacsé=married pacsée=married""")
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
    row("name", rf"^(?:je\sm'appelle|mon\s(?:nom|prénom)(?:\scomplet)?\s(?:est|c'est)|(?:on"
        rf"|tout\sle\smonde)\sm'appelle|(?:appelle|appelez)-moi)\s{_NAME}"),
    row("birthday", rf"^mon\sanniversaire\s(?:est|c'est)\s(?:le\s)?{VALUE}"),
    row("birthday", r"^je\ssuis\snée?\sle\s(?P<value>\d{1,2}(?:er)?\s\w{3,9}(?:\s\d{4})?)"),
    row("age", r"^j'ai\s(?:maintenant\s|déjà\s|eu\s)?(?P<value>\d{1,3})\sans\b(?!\sd)"),
    row("from", rf"^je\s(?:viens|suis\soriginaire)\s(?:de\s|d'|du\s|des\s)(?!\w{{2,20}}(?:er|ir|re|être)\s){_PLACE}"),
    row("from", rf"^(?:je\ssuis\snée?|j'ai\sgrandi)\s(?:à|en|au|aux)\s{_PLACE}"),
    row("allergic_to", rf"{_I}suis\s{_ADVERB}(?:allergique|intolérante?)\s(?:à\sla\s|à\sl'|aux\s|au\s|à\s){VALUE}",
        deniable=True),
    row("allergic_to", rf"^j'ai\sune\s(?:forte\s|grave\s)?allergie\s(?:à\sla\s|à\sl'|aux\s|au\s|à\s){VALUE}"),
    row("diet", r"^je\s(?:re)?mange\s(?:à\snouveau|de\snouveau|encore)\s(?:de\sla\s)?viande"
        r"|^je\sremange\sde\sla\sviande", fills="eats meat"),
    row("diet", r"^je\s(?:ne\s)?mange\s(?:pas|jamais|plus)\sde\sviande", fills="vegetarian", negated=True),
    row("diet", rf"{_I}(?:suis|mange)\s(?:devenue?\s)?{_ADVERB}{_DIET}", deniable=True),
    row("marital_status", rf"{_I}suis\s{_ADVERB}(?P<value>{any_of(MARITAL)})\b"),
    row("job", rf"{_I}suis\s{_ADVERB}(?:une?\s)?{_PROFESSION}"),
    row("job", rf"^mon\s(?:métier|travail|boulot)(?:,\sc'est|\sest)\s(?:une?\s)?{_PROFESSION}"),
    row("job", rf"{_I}travaille\s{_ADVERB}(?:comme|en\stant\sque?)\s{VALUE}"),
    row("native_language", r"^ma\slangue\s(?:maternelle|natale)\sest\s(?:le\s|l')?(?P<value>\w{3,20})"),
    row("speaks", rf"{_I}parle\s(?:couramment\s|un\speu\s|bien\s|aussi\s"
        rf"|pas\s)?(?={_LANGUAGES}\b)(?P<value>[^.;:!?]{{1,80}})", deniable=True),
    row("identity", r"^(?:j'ai|nous\savons|on\sa)\s(?:deux|trois|quatre|cinq|\d|une?)\s(?:petite?\s"
        r"|grande?s?\s)?(?:enfants?|fils|filles?|frères?|soeurs?|sœurs?)\b"),
    row("named", rf"^{_WHO}\ss'appelle\s{_NAME}"),
    row("named", rf"^(?P<value>(?-i:[A-ZÀÂÉÈÊÎÔ][\w'-]{{1,30}}))\sest\s(?P<who>(?:mon|ma)\s(?:{_RELATIVE}))$"),
    row("animal named", rf"^(?:j'ai|nous\savons|on\sa)\s(?P<who>une?\s(?:{_RELATIVE}))(?:\squi\ss'appelle|\snommée?"
        rf"|\sappelée?|,)\s{_NAME}$"),
    row("time_zone", rf"^je\ssuis\s(?:dans|sur)\sle\sfuseau\s(?:horaire\s)?{VALUE}"),
)  # fmt: skip
_FACTS = (
    row("lives_in", rf"^(?:mon|ma|notre)\s(?:appartement|appart|logement|maison)\s(?:est|se\strouve)\s{_IN}{_PLACE}"),
    row("lives_in", rf"{_I}(?:suis|me\ssuis)\s{_ADVERB}(?:basée?|installée?)\s{_IN}{_PLACE}"),
    row("works_at", rf"^mon\s(?:nouvel\s)?employeur(?:,\sc'est|\sest)\s(?:maintenant\s)?{_NAME}"),
    row("works_at", rf"^(?:je\ssuis\s(?:employée?|embauchée?)|je\sviens\sd'être\sembauchée?"
        rf"|j'ai\sété\sembauchée?)\schez\s{_NAME}"),
    row("lives_in", rf"{_I}(?:habite|habitons|vis|vivons|réside|résidons)\s{_ADVERB}{_IN}{_PLACE}", deniable=True),
    row("lives_in", rf"^(?:j'ai\s(?:récemment\s)?|nous\savons\s|on\sa\s|je\sviens\sde\s)(?:déménagée?s?|emménagée?s?"
        rf"|déménager|emménager)\s(?:de\s[\w'-]{{2,20}}\s)?{_IN}{_PLACE}", past=True),
    row("works_at", r"^j'ai\s(?:quitté|démissionné\s(?:de|d'"
        r"|chez))\s?(?:chez\s)?(?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}))\b", importance=0.7, polarity="negative",
        past=True),
    row("works_at", r"^(?:j'ai\s(?:commencé|trouvé|démarré|débuté)|je\sviens\sde\scommencer)\s(?:à\stravailler\s"
        r"|un\snouveau\s(?:travail|poste|boulot|job)\s)?(?:chez"
        r"|pour)\s(?-i:(?P<value>[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}(?:\s[A-ZÀÂÉÈÊÎÔ][\w&-]{1,30}){0,2}))", importance=0.7,
        past=True),
    row("works_at", rf"{_I}(?:travaille|bosse)\s{_ADVERB}(?:chez|pour)\s(?!moi|lui|une?\b|la\b|le\b|mon\b|l'){_NAME}",
        deniable=True),
    row("attribute", rf"^(?:mon|ma|notre|le|la|l')\s?(?P<attribute>{_ATTRIBUTE})\s(?:est|sera|passe\sà|est\spassée?\sà"
        rf"|a\sété\s(?:reportée?|déplacée?|avancée?|fixée?|décalée?|portée?)\s(?:au|à|le)|monte\sà)\s(?:maintenant\s"
        rf"|désormais\s|à\sprésent\s)?(?:de\s)?{VALUE}"),
    row("fact", r"^(?:j'ai|nous\savons|on\sa)\s(?:une?|deux|trois|\d)\s(?:petite?\s)?(?:chiens?|chiennes?|chats?"
        r"|chattes?|chevaux|cheval|lapins?)\b"),
    row("lives_in", rf"^{_WHO}\s(?:ne\s|n')?(?:habite|vit)\s{_ADVERB}{_IN}{_PLACE}", importance=0.6, deniable=True),
    row("lives_in", rf"^{_WHO}\s(?:a\sdéménagé|a\semménagé)\s{_IN}{_PLACE}", importance=0.6, past=True),
    row("works_at", rf"^{_WHO}\s(?:ne\s)?travaille\s{_ADVERB}(?:chez|pour)\s{_NAME}", importance=0.6, deniable=True),
    row("job of another", rf"^{_WHO}\sest\s(?:une?\s)?{_PROFESSION}"),
    row("habit", r"^j'(?:apprends|étudie)\s(?!que\b)", importance=0.55, grounded=True),
)  # fmt: skip
_OVER = (
    r"\s(?:à\sla|à\sl'|aux|au|à|plutôt\sque|au\slieu\s(?:de|du)|que)\s?(?:le\s|la\s|les\s|l'|du\s"
    r"|de\s)?(?P<other>[\w\s+#-]{1,40})"
)
_PREFERENCES = (
    row("favorite", rf"^(?:mon|ma|mes)\s(?P<attribute>\w{{2,20}})\spréférée?s?\s(?:est|sont|c'est)\s{VALUE}"),
    row("prefers", rf"^(?:je|nous|on)\s(?:préfère|préférons)\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^j'aime\s(?:mieux|plus)\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}"),
    row("prefers", rf"^{_WHO}\spréfère\s(?P<value>(?:l')?[\w\s+#-]{{1,40}}?){_OVER}"),
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
    row("instruction", r"^(?:(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s|merci\sde\s)?(?:tutoie|vouvoie|tutoyez|vouvoyez"
        r"|me\stutoyer|me\svouvoyer)(?:-moi)?\b|(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s)?(?:pas\sd'|pas\sde\s|sans\s"
        r"|plus\sd'|aucun\s)\w{3,20}(?:,?\s(?:s'il\s(?:te|vous)\splaît|stp|svp|merci))?$|(?:à\spartir\sde\smaintenant"
        r"|désormais|dorénavant)\b(?!,?\s(?:je|j'|on|nous)\b)|(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s"
        r"|merci\sde\s)?(?:réponds|répondez|répondre|utilise|utilisez|utiliser|écris|écrivez|parle-moi|donne-moi|garde"
        r"|résume|évite|n'utilise|je\sveux\sque\stu)\b(?=(?:\s\S{1,30}){0,6}?\s(?:toujours|jamais|seulement|français"
        r"|anglais|unités|puces|emojis?|format|phrases|ton|brève(?:ment)?|court(?:es|s)?|courte|concis|métriques?"
        r"|listes?)\b)|unités\smétriques|je\spréfère\s(?:des|les)\sréponses\s)", instructs=True),
)  # fmt: skip
_PLANS = (
    row("todo", r"^(?:s'il\s(?:te|vous)\splaît,?\s|stp,?\s)?(?:rappelle|rappelez"
        r"|peux-tu\sme\srappeler)(?:-moi)?\s(?:de\s|d'|que\s|le\s|la\s|mon\s|ma\s)", importance=0.7, instructs=True),
    row("todo", r"^(?:to-?\s?do|tâche|à\sfaire|rappel)\s?:\s"),
    row("todo", r"^(?:n'oublie\spas|n'oubliez\spas|ne\spas\soublier|pense\sà)\s?[,:]?\s?(?:de\s|d'|que\s|:\s)?", news=1,
        instructs=True),
    row("todo", r"^(?:ping(?:er)?|demande\sà|appelle|appeler|relance|relancer|contacte"
        r"|contacter)\s(?-i:[A-ZÀÂÉÈÊÎÔ]\w{1,20})\s(?:pour|au\ssujet|à\spropos|sur|concernant)\b", news=1),
    row("decision", r"^(?:la\s)?(?:décision|décidé|c'est\sdécidé)(?:\sfinale)?(?:\sest|\s?:)\s"),
    row("decision", r"^(?:j'ai|nous\savons|on\sa|on\ss'est|nous\snous\ssommes)\s(?:enfin\s|finalement\s)?(?:décidé"
        r"|convenu|choisi|opté|retenu|tranché|mise?s?\sd'accord)\b", past=True, news=1),
    row("decision", r"^(?:on\sva|nous\sallons|je\svais)\s(?:utiliser|adopter|prendre|garder|rester\ssur|partir\ssur)\s",
        importance=0.7, news=1),
    row("decision", r"^(?:j'utiliserai|on\sutilisera|nous\sutiliserons|utilisons|prenons|partons\ssur|on\spart\ssur"
        r"|restons\ssur|on\sgarde)\s", importance=0.7, news=1),
    row("decision", r"^il\sa\sété\s(?:décidé|convenu)\s"),
    row("goal", r"^(?:mon|notre)\s(?:grand\s)?(?:objectif|but|rêve|projet|plan)\s(?:pour\scette\sannée\s"
        r"|cette\sannée\s)?(?:est|c'est)\s", importance=0.7),
    row("goal", rf"^(?:je\s|j'|nous\s|on\s)(?:veux|voudrais|aimerais|voulons|aimerions|veut|espère|espérons|compte"
        rf"|comptons|prévois\sde|prévois\sd'|prévoyons\sde|rêve\sde|rêve\sd'|envisage\sde|ai\sl'intention\sde"
        rf"|ai\sl'intention\sd'|vais|allons)\s?{_NOT_A_WISH}{_INFINITIVE}", news=2),
    row("goal", r"^j'économise\spour\s"),
    row("goal", r"^(?!je\b|nous\b)\w{2,15}(?:er|ir|re)\s.{3,80}\s(?:avant\sle|d'ici\sle|pour\sle|avant)\s.{3,25}$",
        dated=True),
    row("todo", rf"^(?:je\sdois|nous\sdevons|on\sdoit|il\sfaut\sque\sje|il\sfaut|j'ai\sbesoin\sde"
        rf"|je\sdevrais)\s{_NOT_A_WISH}\w{{2,20}}", news=2),
)  # fmt: skip
_HABITS = (
    row("habit", r"^(?:je\s|j'|nous\s|on\s)(?:ne\s|n')?(?:me\s|m')?(?!ai\b|suis\sallée?|dois|étais"
        r"|avais)\w{2,20}\s(?:.{1,80}\s)?(?:tous\sles\s(?:jours|matins|soirs|lundis?|mardis?|mercredis?|jeudis?"
        r"|vendredis?|samedis?|dimanches?|ans|mois)|chaque\s(?:jour|matin|soir|semaine|mois|lundi|mardi|mercredi|jeudi"
        r"|vendredi|samedi|dimanche|année|week-end)|d'habitude|normalement|en\sgénéral|généralement|régulièrement"
        r"|le\s(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir|week-end)$)"),
    row("fact", r"^je\s(?:ne\s)?(?:fume|bois)\s(?:pas|jamais|plus)$", importance=0.5),
)  # fmt: skip
_EVENTS = (
    row("event", r"^(?:mon|ma|mes|notre|le|la|j'ai\sune?|j'ai|nous\savons\sune?|on\sa\sune?)\s(?:.{1,40}\s)?(?:contrat"
        r"|vol|rendez-vous|rdv|réunion|examen|mariage|voyage|cours|conférence|concert|entretien|déménagement|fête"
        r"|opération|présentation|dentiste|médecin|vacances)\b"),
    row("event", r"^(?:je\s|j'|nous\s|on\s)(?:m'|me\s|nous\s|se\s)?(?:pars|partons|part|vole|vais|allons|va|prends"
        r"|déménage|déménageons|marie|marions|commence|visite|rencontre|retrouve|vois|fête|fêtons|suis|serai|irai"
        r"|irons|ira)\s(?!allée?|partie?)", importance=0.55),
    row("past event", r"^(?:j'ai|nous\savons|on\sa|je\sl'ai)\s(?!compris|vu\b|lu\b|dit|pensé|demandé|été\b|oublié|cru"
        r"|voulu|pu\b|dû\b|une?\b|de\b|du\b|des\b|la\b|le\b|l'|eu\b(?!\sune?))\w{2,20}(?:é|ée|i|u|is|it|ert|eint)\s"),
    row("past event", r"^(?:je\s(?:me\s)?suis|nous\s(?:nous\s)?sommes|on\s(?:s')?est)\s(?:allée?s?|partie?s?"
        r"|rentrée?s?|revenue?s?|arrivée?s?|venue?s?|montée?s?|sortie?s?|tombée?s?|retournée?s?|restée?s?|inscrite?s?"
        r"|mariée?s?|acheté|cassé|blessée?|passée?s?|levée?s?|fiancée?s?)\b"),
    row("event", r"^(?:j'étais|nous\sétions|on\sétait)\s", importance=0.5, past=True),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)
