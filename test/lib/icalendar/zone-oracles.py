"""The offsets of VTIMEZONEs by libical (ctypes on Debian's libical3) and by python3-dateutil's tzical, the independent
references of zones-against-others.test.ts. Reads JSON lines {"text", "instants"}: a VCALENDAR of one VTIMEZONE whose
TZID is Z, and [epoch seconds, offset]s of it; writes {"libical": [...], "dateutil": [[...], ...]}, seconds east of UTC.
dateutil knows local times only: it is asked what it says at the local time of that offset, which is two answers where a
clock shows that time twice.
"""
import ctypes
import io
import json
import re
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_void_p
from datetime import datetime, timedelta

from dateutil import tz


class IcalTime(Structure):
    _fields_ = [(name, c_int) for name in "year month day hour minute second is_date is_daylight".split()] + [
        ("zone", c_void_p)
    ]


libical = ctypes.CDLL("libical.so.3")


def function(name, result, *arguments):
    made = getattr(libical, name)
    made.restype, made.argtypes = result, arguments
    return made


parse = function("icalparser_parse_string", c_void_p, c_char_p)
kind_of = function("icalcomponent_string_to_kind", c_int, c_char_p)
first_component = function("icalcomponent_get_first_component", c_void_p, c_void_p, c_int)
remove_component = function("icalcomponent_remove_component", None, c_void_p, c_void_p)
new_zone = function("icaltimezone_new", c_void_p)
set_component = function("icaltimezone_set_component", c_int, c_void_p, c_void_p)
free_zone = function("icaltimezone_free", None, c_void_p, c_int)
free_component = function("icalcomponent_free", None, c_void_p)
offset_of_utc = function(
    "icaltimezone_get_utc_offset_of_utc_time", c_int, c_void_p, POINTER(IcalTime), POINTER(c_int)
)
VTIMEZONE = kind_of(b"VTIMEZONE")
EPOCH = datetime(1970, 1, 1)


def by_libical(text, instants):
    calendar = parse(text.encode())
    component = first_component(calendar, VTIMEZONE)
    remove_component(calendar, component)
    zone = new_zone()
    assert set_component(zone, component)
    offsets = []
    for at, _ in instants:
        time = EPOCH + timedelta(seconds=at)
        ical_time = IcalTime(time.year, time.month, time.day, time.hour, time.minute, time.second, 0, 0, None)
        offsets.append(offset_of_utc(zone, byref(ical_time), byref(c_int())))
    free_zone(zone, 1)
    free_component(calendar)
    return offsets


def a_day_later(until):
    return f"UNTIL={datetime.strptime(until[1], '%Y%m%dT%H%M%SZ') + timedelta(days=1):%Y%m%dT%H%M%S}Z"


def by_dateutil(text, instants):
    # It reads UNTIL as local time, and would leave out a last change east of Greenwich. No other is so near.
    zone = tz.tzical(io.StringIO(re.sub(r"UNTIL=(\w+)", a_day_later, text))).get("Z")
    answers = []
    for at, offset in instants:
        local = EPOCH + timedelta(seconds=at + offset)
        answers.append([tz.enfold(local, fold).replace(tzinfo=zone).utcoffset().total_seconds() for fold in (0, 1)])
    return answers


for line in sys.stdin:
    request = json.loads(line)
    text, instants = request["text"], request["instants"]
    print(json.dumps({"libical": by_libical(text, instants), "dateutil": by_dateutil(text, instants)}))
