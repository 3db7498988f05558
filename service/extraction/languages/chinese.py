"""Chinese: what is said how, and what is no statement."""

from __future__ import annotations

import re

from service.domain.word_lists import pairs
from service.extraction.languages.chinese_forms import CALENDAR, HAN, NOBODY, canonical, han, third_person
from service.extraction.languages.chinese_statements import ATTRIBUTES, DIETS, MARITAL, ROWS
from service.extraction.languages.grammar import Language

CHINESE = Language(
    name="chinese",
    markers=frozenset(),
    rows=ROWS,
    calendar=CALENDAR,
    inner_stops=re.compile(r"(?!)"),
    openings=han(
        r"(?:(?:你好|您好|嗨|哈喽|早上好|晚上好|大家好|对了|另外|还有|其实|说实话|老实说|顺便说一下|顺便|补充一下"
        r"|备注|注意|提示|更正|纠正一下|更新|不对|不是|嗯|哦|啊|好的|好|是的|对|没错"
        r"|谢谢|重要|说明)[,:;.!~ ]{1,4}"
        r"|(?:其实|另外|而且|不过|但是|可是|因为|所以|然后|顺便说一下|对了|但|可)(?=我)|(?:请)?记住,?(?=我)|你(?:要"
        r"|得)知道,?(?=我)|我(?:觉得|想|认为),(?=我))"
    ),
    tag=han(r",?(?:你呢|您呢|那你呢)\s?\?$"),
    clauses=han(r"[,;]\s?(?:但是|但|不过|可是|而且|并且|然后|却|而)?|(?:但是|不过|可是|而且|并且)(?=[我不也喜讨更])"
        r"|但(?=[我不喜更是])"),
    questions=han(r"^(?:谁|什么|怎么|为什么|哪|几|多少|能不能|可不可以|可以帮|你能|你会|你可以|能帮|请问|如何|有没有"
        r"|是不是)|.{0,200}(?:吗|呢|什么|怎么样|为什么|哪里|哪儿)$"),
    unreliable=han(
        r"如果|假如|要是|假设|倘若|万一|也许|可能|或许|大概|说不定|开玩笑|比如说|打个比方|(?:他|她|他们|别人|妈妈"
        r"|爸爸|老板|朋友|同事|有人|[A-Z][a-z]{1,20}|小.)(?:总"
        r"|常)?(?:说|认为|觉得|告诉|问)"
        r"|据说|听说|俗话说|想象一下|🙄|/s$|要不是|就好了|不仅|恨不得|曾经想"
    ),
    retraction=han(r"^(?:哈{1,6},?|嘿嘿,?)?(?:我?(?:是)?(?:在)?开(?:个)?玩笑|骗你的|逗你的|说笑的|玩笑而已|才怪)"),
    task=han(r"^(?:请|麻烦)?(?:你)?(?:帮我|帮忙)?(?:把.{0,20})?(?:翻译|写一[篇个首封段]|改写|润色|总结(?:一下)?(?:这"
        r"|下|以)|扮演|假装|续写|生成|编一个"
        r"|修改(?:一下)?(?:这|下|以))"),
    negation=han(r"(?<!乳糖)(?<!受)不(?!耐受|错|同|久|少|断|仅|光|过(?!敏))|(?<![有])没(?:有)?|(?<![特分级性差类区])别(?!人|的)|从未|未曾"),
    first_person=han(r"我们?"),
    vague=han(r"^(?:它|他|她|你|您|这|那|这个|那个|这样|那样|这些|那些|什么|自己|大家|一切|了|的|过|上了|一下|这里"
        r"|那里|一个人|你们|他们|她们|看看|东西)(?:了|的|啊|吧)?$"
        r"|^(?:你|他|她|它|这|那)"),
    value_ends=han(r"(?:了|啊|呀|吧|哦|的时候|因为.{0,20}|,.{0,40}|。)\s|\s(?=$)"),
    determiners=han(r"^(?:我(?:家的?|的)?|喝|吃|用|一个|一只|一种|各种|所有|任何|所有的|去)(?=.)"),
    conjunction=han(r"[,、]|(?<=.)(?:和|跟|与|以及|还有)(?=.)"),
    words=re.compile(rf"[{HAN}]|[a-zA-Z0-9]+"),
    stopwords=frozenset("我们你您他她它的了是在有和也都很就不没这那个一吧呢啊吗要会能想得说对好来到过着把给让做"),
    canonical=canonical,
    third_person=third_person,
    nobody=NOBODY,
    says="{name}说：“{text}”",
    asks="{name}要求助手：“{text}”",
    stop="。",
    rewrites=(
        (han(r"(?P<pet>[只条个匹]小?(?:狗|猫|鹦鹉|兔子|仓鼠)),(?:它)?(?:的?名字)?叫(?=[\w·]{1,12}$)"), r"\g<pet>叫"),
        (han(r"^比起(?P<other>[^,]{1,20}),?我(?:们)?(?:更|比较)(?P<verb>喜欢|爱)(?P<value>[^,]{1,20})$"),
            r"我更\g<verb>\g<value>而不是\g<other>"),
        (han(r",(?=而不是)"), ""),
        (han(r"(?:不是|不)(?P<head>住?在|叫|是)?(?P<old>[^,]{1,16}),(?:而)?是(?P=head)"), r"\g<head>"),
        (han(r"不是(?P<old>[^,]{1,16}),而?是"), "是"),
    ),
    continued=(
        (han(r"^(?=(?:也|还|最|很|不|住|在|叫|喜欢|讨厌|爱|养|有|会|来自|是|今年|现在|目前|每|从不|对|想|打算|更"
            r"|没)(?!是我|因为|过$|知道|明白))"), "我"),
    ),
    attributes=ATTRIBUTES | {"电影": "movie", "书": "book", "颜色": "color", "食物": "food"},
    values=DIETS | MARITAL | {"素": "vegetarian", "结婚": "married", "离婚": "divorced", "订婚": "engaged"},
    relatives=pairs("""
        姐姐=sister 妹妹=sister 哥哥=brother 弟弟=brother 妈妈=mother 母亲=mother 爸爸=father 父亲=father
        老公=husband 丈夫=husband 老婆=wife 妻子=wife 儿子=son 女儿=daughter 男朋友=boyfriend 女朋友=girlfriend
        老板=boss 同事=colleague 奶奶=grandmother 外婆=grandmother 爷爷=grandfather 外公=grandfather 狗=dog 猫=cat
        鹦鹉=parrot 兔子=rabbit 仓鼠=hamster 室友=roommate 朋友=friend"""),
)  # fmt: skip
