"""Chinese: word order, the third person, and dates."""

from __future__ import annotations

import re
from datetime import datetime

from service.domain.word_lists import places
from service.extraction.languages.grammar import Calendar, any_of

NOBODY = "用户"
HAN = "\u3400-\u9fff"

_TRADITIONAL = dict(
    zip("欢厌爱过岁决会说吗们没对兴结动预这个买从开关习讲语办实还学时养气应该计划划种记",
        "歡厭愛過歲決會說嗎們沒對興結動預這個買從開關習講語辦實還學時養氣應該計劃劃種記", strict=True)
)  # fmt: skip
_VARIANT = re.compile(rf"\[[^\]]{{1,80}}\]|[{''.join(_TRADITIONAL)}]")
_SPACE = re.compile(rf"(?<=[{HAN}])\s|\s(?=[{HAN}])")
_FRONTED = re.compile(
    r"^(?!.{0,14}(?:提醒|告诉|叫|请|帮|让))(?P<front>(?:在|从|自)?(?:这个项目[里中]?|(?:大?[前昨]|今|明|大?后|去"
    r"|每)[天晚早年]|(?:上|下|这|本)?个?(?:周|星期|礼拜|月)[一二三四五六日天]?|\d{4}年|\d{1,2}月"
    r"|[一两二三四五六七八九十\d]{1,3}(?:天|周|个?星期|个?月|年)[之以]?[前后]|[平通]时|通常|一般|目前|现在|最近|以前"
    r"|小时候)[^,我]{0,12}?)[,]?(?P<rest>我们?.{1,200})$"
)
_GLUED = re.compile(r"(?<=[A-Za-z0-9])(?=\d{4}年)")
_COMMA = re.compile(rf"(?<=[{HAN}]),\s?")
_COLON = re.compile(rf"(?<=[{HAN}]):\s?")
_SUBJECT = re.compile(r"^我们?")


def han(regex: str) -> re.Pattern[str]:
    """The pattern, with the traditional characters beside the simplified ones."""
    found = _VARIANT.sub(
        lambda match: f"[{match[0]}{_TRADITIONAL[match[0]]}]" if match[0] in _TRADITIONAL else match[0], regex
    )
    return re.compile(found, re.IGNORECASE)


def canonical(clause: str) -> str:
    """The clause with its subject in front: "昨天我去了北京" as "我昨天去了北京"."""
    clause = _SPACE.sub("", clause)
    fronted = _FRONTED.match(clause)
    if fronted is None:
        return clause
    subject = _SUBJECT.match(fronted["rest"])
    assert subject is not None
    return f"{subject[0]}{fronted['front']}{fronted['rest'][subject.end() :]}"


def third_person(clause: str, name: str) -> str | None:
    """The clause, said by ``name``, told of them."""
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
    | (?<!\d)(?P<year3>(?:19|20)\d\d)年
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


CALENDAR = Calendar(
    _EXPRESSION, _NAMED, _MONTHS, _WEEKDAYS, _UNITS, _STEPS, _COUNTS, _written,
    behind=frozenset({"自从", "从", "自"}), whole_weeks=True,
)  # fmt: skip
