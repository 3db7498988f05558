"""Chinese: word order, the third person, dates, the patterns of statements, and what is no statement."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from service.domain.word_lists import pairs, places
from service.extraction.calendar import Calendar
from service.extraction.candidates import Polarity
from service.extraction.compound_times import EARLY, FIRST_HALF, LATE, MIDDLE, SECOND_HALF, Wording, joining
from service.extraction.languages.language import Language, any_of
from service.extraction.patterns import Pattern, any_case, stating

NOBODY = "用户"
HAN = "\u3400-\u9fff"

_TRADITIONAL = dict(
    zip("欢厌爱过岁决会说吗们没对兴结动预这个买从开关习讲语办实还学时养气应该计划划种记",
        "歡厭愛過歲決會說嗎們沒對興結動預這個買從開關習講語辦實還學時養氣應該計劃劃種記", strict=True)
)  # fmt: skip
_VARIANT = re.compile(rf"\[[^\]]{{1,80}}\]|[{''.join(_TRADITIONAL)}]")
_SPACE = re.compile(rf"(?<=[{HAN}]) | (?=[{HAN}])")
_FRONTED = re.compile(
    r"^(?!.{0,14}(?:提醒|告诉|叫|请|帮|让))(?P<front>(?:在|从|自)?(?:这个项目[里中]?|(?:大?[前昨]|今|明|大?后|去"
    r"|每)[天晚早年]|(?:上|下|这|本)?个?(?:周|星期|礼拜|月)[一二三四五六日天]?|\d{4}年|\d{1,2}月"
    r"|[一两二三四五六七八九十\d]{1,3}(?:天|周|个?星期|个?月|年)[之以]?[前后]|[平通]时|通常|一般|目前|现在|最近|以前"
    r"|小时候)[^,我]{0,12}?)[,]?(?P<rest>我们?.{1,200})$"
)
_GLUED = re.compile(r"(?<=[A-Za-z0-9])(?=\d{4}年)")
_COMMA = re.compile(rf"(?<=[{HAN}]), ?")
_COLON = re.compile(rf"(?<=[{HAN}]): ?")
_SUBJECT = re.compile(r"^我们?")


def han(regex: str) -> re.Pattern[str]:
    """Return the pattern, with the traditional characters beside the simplified ones."""
    found = _VARIANT.sub(
        lambda match: f"[{match[0]}{_TRADITIONAL[match[0]]}]" if match[0] in _TRADITIONAL else match[0], regex
    )
    return any_case(found)


def canonical(clause: str) -> str:
    """Return the clause with its subject in front: "昨天我去了北京" as "我昨天去了北京"."""
    clause = _SPACE.sub("", clause)
    fronted = _FRONTED.match(clause)
    if fronted is None:
        return clause
    subject = _SUBJECT.match(fronted["rest"])
    assert subject is not None
    return f"{subject[0]}{fronted['front']}{fronted['rest'][subject.end() :]}"


def third_person(clause: str, name: str) -> str | None:
    """Return the clause, said by ``name``, told of them."""
    told = clause.replace("我们", f"{name}等人").replace("我們", f"{name}等人").replace("我", name)
    return _GLUED.sub(" ", _COMMA.sub("，", _COLON.sub("：", told)))


_MONTHS: dict[str, int] = {}
_WEEKDAYS = places("一 二 三 四 五 六 日/天", 0)
_NAMED = places("大前天 前天 昨天/昨晚 今天/今晚/今早 明天/明早/明晚 后天/後天 大后天", -3)
_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "周末": "weekend", "月": "month", "年": "year"}
_STEPS = places("上/上个/上個/去 这/这个/這個/本/今 下/下个/下個/明", -1)
_COUNTS = places("一 两/兩/二 三 四 五 六 七 八 九 十")
_COUNT = rf"\d{{1,3}}|{any_of(_COUNTS)}"
_STEP = any_of(step for step in _STEPS if step not in "去今明")
_EXPRESSION = re.compile(
    rf"""(?P<prep>自从|从|自)?(?:
      (?<!\d)(?P<iso>(?:19|20)\d\d-\d\d-\d\d)(?!\d)
    | (?:(?P<year>(?:19|20)\d\d)年)?(?<!\d)(?P<month>\d{{1,2}})月(?P<day>\d{{1,2}})[日号號]
    | (?P<named>{any_of(_NAMED)})
    | (?P<step>{_STEP})(?P<unit>周末|周|星期|礼拜|月)(?![一二三四五六日天])
    | (?P<step2>去|今|明)(?P<unit2>年)
    | (?P<step3>{_STEP})(?:周|星期|礼拜)(?P<unit3>[一二三四五六日天])
    | (?<![每\d])(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])
    | (?<!\d)(?P<ago>{_COUNT})个?(?P<unit4>天|周|星期|月|年)[之以]?前
    | (?<!\d)(?P<in>{_COUNT})个?(?P<unit5>天|周|星期|月|年)[之以]?[后後]
    | (?<!\d)(?P<year2>(?:19|20)\d\d)年(?P<month2>\d{{1,2}})月
    | (?<!\d)(?P<month3>\d{{1,2}})月(?!\d)
    | (?<!\d)(?P<year3>(?:19|20)\d\d)年(?!代|第?[一二三四1-4]季度)
    )""",
    re.VERBOSE,
)


def _written(kind: str, day: datetime, preposition: str) -> str:
    date = f"{day.year}年{day.month}月{day.day}日"
    written = {
        "weekday": f"{date}星期{'一二三四五六日'[day.weekday()]}",
        "week": f"{date}所在的一周",
        "week before": f"{date}的前一周",
        "week after": f"{date}的后一周",
        "weekend": f"{date}的周末",
        "month": f"{day.year}年{day.month}月",
        "year": f"{day.year}年",
    }
    return preposition + written.get(kind, date)


_DECADES = places("三十 四十 五十 六十 七十 八十 九十", 3)
_TO = "[到至—–~～-]"
_WORDING = Wording(
    plain=joining(
        rf"""(?<!\d)(?P<iso>(?:19|20)\d\d/\d\d?/\d\d?)(?!\d) | (?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]
        |1[0-2])(?![\d-])
        | (?:(?P<year2>(?:19|20)\d\d)年)?第?(?P<quarter>[一二三四1-4])季度
        | (?P<decade>(?:(?:19|20)\d|[3-9])0|{any_of(_DECADES)})年代
        | (?<!\d)(?P<hours>{_COUNT})个?(?:小时|小時|钟头)[之以]?(?P<back>前) | (?<!\d)(?P<hours2>{_COUNT})个?(?:小时
        |小時|钟头)[之以]?[后後]
        | (?<!\d)(?P<minutes>{_COUNT})分[钟鐘][之以]?(?P<back2>前) | (?<!\d)(?P<minutes2>{_COUNT})分[钟鐘][之以]?[后後]
        | (?<!\d)(?P<bare_year>(?:19|20)\d\d)(?=[到至—–~～-])"""
    ),
    taken=joining("(?!)"),
    spans=joining(rf"@{_TO}@"),
    days=joining(rf"@{_TO}(?P<n>\d{{1,2}})[日号號]"),
    part=joining("@的?(?P<part>[上下]半年|[上中下]旬|年?[初底末]|年中|中(?![国國文学學午秋]))"),
    parts={
        "上半年": FIRST_HALF,
        "下半年": SECOND_HALF,
        "上旬": EARLY,
        "中旬": MIDDLE,
        "下旬": LATE,
        "初": EARLY,
        "年初": EARLY,
        "底": LATE,
        "年底": LATE,
        "末": LATE,
        "年末": LATE,
        "中": MIDDLE,
        "年中": MIDDLE,
    },
    clock=joining(
        r"""(?P<half>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上)?(?P<hour>\d{1,2}|十[一二]?
        |[一二两三四五六七八九])[点點:：]
        (?P<minute>半|\d{1,2})?分?(?:[到至—–~～-](?P<until>\d{1,2}|十[一二]?|[一二两三四五六七八九])[点點])?"""
    ),
    late=frozenset(("下午", "傍晚", "晚上", "今晚", "昨晚", "明晚")),
    bound=joining("@(?:之前|以前|之后|之後|以后|以後)"),
    recurs=joining(r"每隔?[一两二三四五六七八九十\d]{0,2}个?(?:天|日|周|星期|礼拜|月|年|晚|早|季度)"),
    inexact=joining(
        "大学时|大學時|[初高中小]学时|小时候|小時候|童年|年轻时|以前|从前|過去|过去|当时|當時|最近|不久|很久|将来|有一天|总有一天"
        "|几[天周年]|几个月|春节|圣诞|中秋|除夕|[春夏秋冬]天"
    ),
    numbers={**_COUNTS, "十一": 11, "十二": 12, "半": 30},
)
_CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _WORDING,
    quarters=places("一 二 三 四"),
    decades={word: tens * 10 for word, tens in _DECADES.items()}, whole_weeks=True,
)  # fmt: skip


_VALUE = r"(?P<value>[^,.;:!?()]{1,40})"
_MORE = (
    r"(?:也|还|都|最|很|非常|特别|真的|一直|现在|目前|其实|比较|更|超|挺|就|已经|真|平时|从小|尤其|并|又|开始|好){0,3}"
)
_NOT = r"(?:已经不|不再|也不|并不|都不|从来不|从不|不太|不怎么|不大|不是很|不)?"
_I = rf"^我们?{_MORE}"
_SOME = r"[^,的姐妹哥弟妈爸母父公婆夫妻子友板事奶爷外狗猫室学邻居家团师]{0,14}?"
"""An adverb or a time; nobody else, so that "我姐姐住在…" says nothing of where the speaker lives."""
_NOW = r"(?!.{0,8}(?:以前|曾|小时候|过去|原来|之前))"
_PLACE = r"(?P<value>(?!一|这|那|家|公司|学校|宿舍|酒店|哪|里)[^,.;:!?了的]{2,14}?)"
_COMPANY = r"(?P<value>(?!家|这|那|一|哪|努力)[^,.;:!?了的]{1,20}?)"
_RELATIVES = pairs("""
    姐姐=sister 妹妹=sister 哥哥=brother 弟弟=brother 妈妈=mother 母亲=mother 爸爸=father 父亲=father
    老公=husband 丈夫=husband 老婆=wife 妻子=wife 儿子=son 女儿=daughter 男朋友=boyfriend 女朋友=girlfriend
    老板=boss 同事=colleague 奶奶=grandmother 外婆=grandmother 爷爷=grandfather 外公=grandfather 狗=dog 猫=cat
    鹦鹉=parrot 兔子=rabbit 仓鼠=hamster 室友=roommate 朋友=friend""")
_KIN = any_of(_RELATIVES)
_SURNAMES = "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕"
_WHO = (
    rf"(?P<who>我(?:的|家的?)?(?:{_KIN})|[A-Z][a-z]{{1,20}}(?: [A-Z][a-z]{{1,20}})?|小[{HAN}]|老[{_SURNAMES}]"
    rf"|[{_SURNAMES}][{HAN}]{{1,2}}?)"
)
_JOB = (
    r"(?P<value>[^,是]{0,6}?(?:医生|护士|老师|教师|工程师|程序员|设计师|律师|会计|厨师|司机|警察|记者|作家|画家|学生"
    r"|研究生|经理|研究员"
    r"|教授|翻译|演员|歌手|摄影师|建筑师|牙医|销售|顾问|科学家|音乐家|农民|公务员|药剂师|心理学家|飞行员|兽医))"
)
ATTRIBUTES = pairs("""
    预算=budget 截止日期=deadline 截止时间=deadline 期限=deadline 价格=price 成本=cost 房租=rent 租金=rent
    工资=salary 薪水=salary 地址=address 电话=phone~number 电话号码=phone~number 手机号=phone~number 邮箱=email
    时区=time_zone 版本=version 端口=port 会议=meeting~date 会=meeting~date 上线日期=launch~date
    发布日期=release~date 身高=height 体重=weight 血型=blood~type 昵称=nickname 开始日期=start~date 地点=location""")
_ATTRIBUTE = any_of(ATTRIBUTES)
DIETS = pairs("""
    素食者=vegetarian 素食主义者=vegetarian 吃素=vegetarian 纯素食者=vegan 纯素=vegan 严格素食者=vegan
    糖尿病人=diabetic 糖尿病患者=diabetic 乳糖不耐受=lactose~intolerant 清真=halal""")
MARITAL = pairs("""
    结婚了=married 已婚=married 单身=single 未婚=single 离婚了=divorced 订婚了=engaged""")
_TONGUE = (
    "中文|普通话|汉语|粤语|英语|英文|法语|德语|日语|韩语|西班牙语|俄语|葡萄牙语|阿拉伯语|意大利语|挪威语|瑞典语"
    "|荷兰语|泰语|越南语"
)


def _row(what: str, regex: str, **otherwise: Any) -> Pattern:
    return stating(what, han(regex), **otherwise)


def _likes(regex: str, polarity: Polarity = "positive", *, negated: bool = False) -> Pattern:
    return _row("likes", regex, polarity=polarity, deniable=polarity == "positive", negated=negated)


_IDENTITY = (
    _row("name", r"^(?:我(?:的名字)?(?:就)?叫|我的(?:全名|名字|姓名)是|(?:请|大家都?|可以|你可以)?叫我)(?!你|他|她|它"
        r"|了|外卖|车|不|做|什么)(?P<value>[\w·]{1,16}?)(?:吧|就行|就好|就可以了)?$"),
    _row("birthday", rf"^我的?生日是(?:在)?{_VALUE}"),
    _row("birthday", r"^我(?:的?生日在|是)(?P<value>\d{1,2}月\d{1,2}[日号])(?:出生的?)?$"),
    _row("birthday", r"^我(?P<value>\d{1,2}月\d{1,2}[日号])(?:过)?生日"),
    _row("age", r"^我(?:今年|现在)?(?:已经|快)?(?P<value>\d{1,3}|[一二三四五六七八九十]{1,4})岁(?:了)?$",
        grounded=False),
    _row("from", r"^我(?:是)?(?:来自|出生在|出生于|老家在|从小在)(?P<value>[^,.;:!?的]{2,12}?)(?:长大)?(?:的)?$"),
    _row("from", rf"^我在(?P<value>[{HAN}\w]{{2,10}}?)(?:出生|长大)(?:的)?$"),
    _row("from", rf"^我是(?P<value>(?!一?个|好|男|女|老|大|什么|那|这|本地|外地|成年|商|病|主持"
        rf"|负责)[{HAN}]{{2,6}})人$"),
    _row("allergic_to", r"^我对(?P<value>[^,不]{1,20}?)(?:严重|轻微|很|也|不|有点)?过敏", deniable=True),
    _row("allergic_to", r"^我有(?:严重的?)?(?P<value>[^,不]{1,12}?)过敏"),
    _row("diet", r"^我(?:现在|已经|最近)?(?:又|重新)(?:开始)?吃(?:起)?(?:肉|荤)", fills="eats meat"),
    _row("diet", r"^我(?:现在|已经|从来|从|一直)?不吃肉", fills="vegetarian", negated=True),
    _row("diet", rf"^我(?:现在|已经|一直){{0,2}}(?:不再|不)?(?:是)?(?:一?[个名位])?"
        rf"(?P<value>{any_of(DIETS)})(?:了)?$", deniable=True),
    _row("marital_status", rf"^我(?:现在|已经|还是|是){{0,2}}(?P<value>{any_of(MARITAL)})"),
    _row("job", rf"^我(?:现在|目前)?(?:是|不是)(?:一?[名个位])?{_JOB}$"),
    _row("job", rf"^我的(?:工作|职业)是{_VALUE}"),
    _row("native_language", rf"^我的母语是{_VALUE}"),
    _row("speaks", rf"^我(?:也|还|只)?(?:会|能|不会|不太会)?(?:说|讲)(?:一点|流利的)?(?P<value>(?:{_TONGUE})(?:(?:和"
        rf"|、|,|跟)(?:{_TONGUE})){{0,4}})", deniable=True),
    _row("identity", r"^我们?有(?:两|三|四|一|\d)个?(?:孩子|儿子|女儿|小孩|姐姐|妹妹|哥哥|弟弟|兄弟|姐妹|孙子|孙女)"),
    _row("named", rf"^{_WHO}(?:的名字)?(?:叫(?:做)?|(?<=的名字)是)(?P<value>(?!我|你|他)[\w·]{{1,12}})$"),
    _row("animal named", rf"^我们?(?:家)?(?:养"
        rf"|有)了?一[只条个匹](?:小)?(?P<who>{_KIN}),?(?:名字)?叫(?P<value>[\w·]{{1,12}})$"),
    _row("time_zone", r"^我在(?P<value>[\w+-]{2,12})时区$"),
)  # fmt: skip
_FACTS = (
    _row("lives_in", rf"^我们?家(?:现在)?在{_PLACE}$"),
    _row("lives_in", rf"^我们?(?:已经)?在{_PLACE}(?:住|生活)了[^,]{{1,8}}(?:了)?$"),
    _row("works_at", rf"^我(?:现在)?的公司(?:现在)?是{_COMPANY}(?:公司)?$"),
    _row("lives_in", rf"^{_NOW}我们?(?:也|还|都|现在|目前|一直|已经|其实){{0,3}}{_NOT}{_SOME}(?:居住"
        rf"|住)在?{_PLACE}(?:了|附近)?$", deniable=True),
    _row("moved to", rf"^我们?{_SOME}搬家?(?:到|去|来)了?{_PLACE}(?:住)?(?:了)?$"),
    _row("left", rf"^我{_SOME}从{_COMPANY}(?:辞职|离职)(?:了)?$"),
    _row("left", rf"^我{_SOME}离开了?(?P<value>[A-Z][\w&-]{{1,20}})(?:了)?$"),
    _row("joined", rf"^我{_SOME}(?:跳槽|换工作)(?:到|去)了?{_COMPANY}(?:公司)?(?:了)?$"),
    _row("joined", rf"^我{_SOME}(?:入职|加入)了?{_COMPANY}(?:公司)?(?:了)?$"),
    _row("joined", rf"^我{_SOME}在{_COMPANY}(?:找到|开始)了?(?:一份)?(?:新)?工作(?:了)?$"),
    _row("works_at", rf"^{_NOW}我们?(?:也|还|都|现在|目前|一直|已经){{0,2}}{_NOT}在{_COMPANY}(?:公司)?(?:工作|上班"
        rf"|任职)(?:了)?$", deniable=True),
    _row("attribute", rf"^(?:我们?的?|这个|那个|该|项目的?|这次的?){{0,2}}(?P<attribute>{_ATTRIBUTE})(?:现在|已经"
        rf"|目前)?(?:是|为|改成|改为|改到|变成|变为|涨到|降到|调整为|调整到|推迟到|提前到|定在|定为|增加到)了?{_VALUE}"),
    _row("fact", r"^我们?(?:家)?(?:养|有)了?(?:一|两|三|\d)[只条个匹](?:小)?(?:猫|狗|兔子|鹦鹉|仓鼠|马)"),
    _row("lives_in of another", rf"^{_WHO}(?:现在|目前)?(?:不再|不)?(?:居住|住)在{_PLACE}(?:了)?$"),
    _row("moved to of another", rf"^{_WHO}{_SOME}搬家?(?:到|去)了?{_PLACE}(?:了)?$"),
    _row("works_at of another", rf"^{_WHO}(?:现在|目前)?(?:不再|不)?在{_COMPANY}(?:公司)?(?:工作|上班)(?:了)?$"),
    _row("job of another", rf"^{_WHO}是(?:一?[名个位])?{_JOB}$"),
    _row("fact", r"^我(?:最近|现在|目前)?(?:正在|在)学(?:习)?(?!校)", importance=0.55),
)  # fmt: skip
_PREFERENCES = (
    _row("favorite", rf"^我最(?:喜欢|爱)的(?P<attribute>[^,是]{{1,8}}?)是{_VALUE}"),
    _row("prefers", r"^我们?(?:更|比较)?(?:喜欢|爱)(?P<value>[^,]{1,20}?)(?:而不是|胜过|多过|多于"
        r"|甚于)(?P<other>[^,]{1,20})", negated=True),
    _row("prefers", rf"^{_WHO}(?:更|比较)?(?:喜欢|偏好|爱)(?P<value>[^,]{{1,20}}?)(?:而不是|胜过|多过|多于"
        rf"|甚于)(?P<other>[^,]{{1,20}})", negated=True),
    _likes(rf"{_I}(?:讨厌|恨|受不了|反感|厌恶)(?!你|他|她){_VALUE}", "negative"),
    _likes(rf"^我们?(?:现在|已经|从来|从|一直|也){{0,2}}不(?:再)?(?:喝|吃|抽)(?!了|过|下|到|完|惯|起){_VALUE}",
        "negative", negated=True),
    _likes(rf"^我最(?:烦|怕){_VALUE}", "negative"),
    _likes(r"^我是(?:个)?(?P<value>[^,的是]{1,8}?)迷$"),
    _likes(r"^我(?:已经)?戒(?:掉)?了?(?P<value>烟|酒|糖|咖啡|奶茶)", "negative"),
    _likes(rf"{_I}{_NOT}{_MORE}(?:喜欢|爱(?!你|他|她|人|情|好)|热爱|偏爱|迷上了|爱上了|钟爱)(?!的){_VALUE}"),
    _likes(r"^我们?(?:一直)?对(?P<value>[^,不]{1,20}?)(?:很|不|非常|特别|不太|也|没)?感?有?兴趣$"),
    _likes(rf"^{_WHO}{_MORE}{_NOT}(?:喜欢|爱(?!你|他|她|人|情|好)|热爱|偏爱)(?!的){_VALUE}"),
    _likes(rf"^{_WHO}{_MORE}(?:讨厌|恨){_VALUE}", "negative"),
    _row("instruction", r"^(?:(?:请|麻烦你?)?(?:以后|今后|从现在(?:开始|起)?|从今以后|总是|始终|一直|永远"
        r"|每次){1,2}(?:都|请|要)?(?!我).{2,40}|(?:请|麻烦你?)?(?:都|只|尽量)?(?:用|使用)(?:公制|摄氏|米制|中文|英文"
        r"|英语|简体|繁体|列表|要点|简短|正式|口语|markdown).{0,20}|(?:请|麻烦你?)?(?:不要|别|请勿|勿)(?:再)?(?:用"
        r"|使用|发|加|带)(?:任何)?(?:表情|emoji|缩写|敬语|术语|英文|您).{0,12}|(?:请|麻烦你?)?(?:你的)?(?:回答|回复"
        r"|说话|解释)(?:要|得|时|请|尽量|都|的时候){0,2}(?:简短|简洁|详细|正式|用|短|温柔|直接).{0,20}|我(?:希望|想要"
        r"|要|喜欢)你(?:的回答|回答|回复)?.{0,6}(?:简短|简洁|详细|用|正式).{0,20})$", instructs=True),
)  # fmt: skip
_DO = (
    r"(?:交|提交|打电话|打|买|预约|寄|发|付|缴|完成|写|修|取|联系|准备|续|还|订|报名|见|开会|带|洗|搬|办|回复|参加"
    r"|检查|更新|接|送|拿|做|整理|申请|填)"
)
_PLANS = (
    _row("reminder", r"^(?:请|麻烦你?|记得)?[^,我]{0,14}提醒我(?!的|们)"),
    _row("todo", r"^(?:待办|待办事项|todo|to-do|任务|提醒): ?"),
    _row("todo", r"^(?:请|千万)?(?:别|不要)忘(?:了|记了?)(?!我)", instructs=True),
    _row("todo", r"^(?:给|联系|通知|问(?:一下|问)?)[A-Z][a-z]{1,20}(?:打电话|发邮件|发消息|关于|,)?.{2,40}", news=2),
    _row("decision", rf"^(?:我们?|大家|团队|咱们){_SOME}(?:决定|商定|约定|敲定|选定|同意|确定)了?(?!的|性|权).{{2,60}}",
        past=True),
    _row("decision", r"^(?:最终|最后)?(?:决定|结论)(?:是|:) ?.{2,60}"),
    _row("decision", r"^(?:咱们|我们)(?:就|还是|以后)?(?:用|选|改用|换成).{1,40}吧$"),
    _row("choice", r"^我们?(?:会|将|就)?(?:在)?(?:这个项目(?:中|里|上)?)?(?:会|将)?(?:用|使用|采用)[^,]{1,30}?(?:做"
        r"|来做|开发|作为)?(?:这个项目|数据库|后端|前端)"),
    _row("choice", r"^我们?(?:在)?这个项目(?:中|里|上)?(?:会|将|就)?(?:用|使用|采用)"),
    _row("aim", r"^我们?的?[^,]{0,8}(?:目标|梦想|计划|愿望)是"),
    _row("goal", rf"^我们?{_SOME}(?:想|打算|计划|希望能?|准备|想要|正在存钱)(?!知道|问|请|说|你|看看|听听|象|法|了解"
        rf"|到|起|让你)[^,]{{2,60}}", news=3),
    _row("goal", r"^(?:在)?[^,我]{3,20}[之以]?前(?:要|必须)?(?:上线|发布|完成|推出|启动)[^,]{0,30}$", dated=True),
    _row("todo", rf"^我们?{_SOME}(?:得|要|必须|需要|应该|该)(?:在[^,]{{1,12}}前|[^,]{{0,6}})?{_DO}(?!说"
        rf"|看看)[^,]{{1,40}}", news=3),
)  # fmt: skip
_HABITS = (
    _row("habit", r"^我们?(?:一般|通常|平时|经常|总是|习惯|几乎|都){0,2}(?:每天|每周|每晚|每早|每个?(?:星期|月|周末"
        r"|早上|晚上)|一般|通常|平时|经常|总是|习惯|从不|从来不)[^,]{2,40}", news=2),
    _row("fact", r"^我(?:从来|从)?不(?:抽烟|喝酒|熬夜|开车)$", importance=0.5),
)  # fmt: skip
_THING = "合同|航班|会议|考试|婚礼|预约|手术|面试|演唱会|飞机|假期|生日会|租约|体检|牙医|讲座|课程|出差|旅行|火车"
_EVENTS = (
    _row("event", rf"^(?:我们?的?|{_WHO})[^,]{{0,24}}(?:{_THING})[^,]{{0,20}}", news=0),
    _row("event", r"^我们?[^,]{0,20}(?:要|会|将|打算|准备|就)?(?:去|飞|见|参加|结婚|出差|开会|搬|出发|回|坐)(?!了"
        r"|过)[^,了过]{1,30}$", importance=0.55, news=0),
    _row("past event", r"^我们?[^,]{0,24}?(?:去|见|参加|拜访|看|完成|毕业|买|卖|换|学会|获得|赢|丢|做|写|考|搬|修|跑"
        r"|收到|结婚|看望|遇到|面试|吃|生)(?:到|完|好|过)?(?:了|过)[^,]{0,40}$", news=3),
    _row("past event", r"^我们?[^,]{0,16}在[^,]{2,20}$", dated=True, news=3),
)  # fmt: skip
ROWS = (*_IDENTITY, *_FACTS, *_PREFERENCES, *_PLANS, *_HABITS, *_EVENTS)


CHINESE = Language(
    name="chinese",
    markers=frozenset(),
    rows=ROWS,
    calendar=_CALENDAR,
    write_date=_written,
    behind=frozenset({"自从", "从", "自"}),
    inner_stops=re.compile(r"(?!)"),
    openings=han(
        r"(?:(?:你好|您好|嗨|哈喽|早上好|晚上好|大家好|对了|另外|还有|其实|说实话|老实说|顺便说一下|顺便|补充一下|备注"
        r"|注意|提示|更正|纠正一下|更新|不对|不是|嗯|哦|啊|好的|好|是的|对|没错|谢谢|重要|说明)[,:;.!~ ]{1,4}|(?:其实"
        r"|另外|而且|不过|但是|可是|因为|所以|然后|顺便说一下|对了|但|可)(?=我)|(?:请)?记住,?(?=我)|你(?:要"
        r"|得)知道,?(?=我)|我(?:觉得|想|认为),(?=我))"
    ),
    tag=han(r",?(?:你呢|您呢|那你呢) ?\?$"),
    clauses=han(r"[,;] ?(?:但是|但|不过|可是|而且|并且|然后|却|而)?|(?:但是|不过|可是|而且|并且)(?=[我不也喜讨更])"
        r"|但(?=[我不喜更是])"),
    questions=han(r"^(?:谁|什么|怎么|为什么|哪|几|多少|能不能|可不可以|可以帮|你能|你会|你可以|能帮|请问|如何|有没有"
        r"|是不是)|.{0,200}(?:吗|呢|什么|怎么样|为什么|哪里|哪儿)$"),
    unreliable=han(
        r"如果|假如|要是|假设|倘若|万一|也许|可能|或许|大概|说不定|开玩笑|比如说|打个比方|(?:他|她|他们|别人|妈妈|爸爸"
        r"|老板|朋友|同事|有人|[A-Z][a-z]{1,20}|小.)(?:总|常)?(?:说|认为|觉得|告诉|问)|据说|听说|俗话说|想象一下|🙄|/s$"
        r"|要不是|就好了|不仅|恨不得|曾经想"
    ),
    retraction=han(r"^(?:哈{1,6},?|嘿嘿,?)?(?:我?(?:是)?(?:在)?开(?:个)?玩笑|骗你的|逗你的|说笑的|玩笑而已|才怪)"),
    task=han(r"^(?:请|麻烦)?(?:你)?(?:帮我|帮忙)?(?:把.{0,20})?(?:翻译|写一[篇个首封段]|改写|润色|总结(?:一下)?(?:这|下"
        r"|以)|扮演|假装|续写|生成|编一个|修改(?:一下)?(?:这|下|以))"),
    negation=han(r"(?<!乳糖)(?<!受)不(?!耐受|错|同|久|少|断|仅|光|过(?!敏))|(?<![有])没(?:有)?|(?<![特分级性差类区])别(?!人|的)|从未|未曾"),
    first_person=han(r"我们?"),
    vague=han(r"^(?:它|他|她|你|您|这|那|这个|那个|这样|那样|这些|那些|什么|自己|大家|一切|了|的|过|上了|一下|这里|那里"
        r"|一个人|你们|他们|她们|看看|东西)(?:了|的|啊|吧)?$|^(?:你|他|她|它|这|那)"),
    value_ends=han(r"(?:了|啊|呀|吧|哦|的时候|因为.{0,20}|,.{0,40}|。) | (?=$)"),
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
    relatives=_RELATIVES,
)  # fmt: skip
