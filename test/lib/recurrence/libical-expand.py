"""Expands events with libical, the independent reference of against-libical.test.ts. Reads JSON lines {"icalendar",
"to"}, where "to" is in seconds since 1970, and writes for each the starts of its first VEVENT before that, in the same
seconds.
"""
import ctypes
import json
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_long, c_void_p

ical = ctypes.CDLL("libical.so.3")


class Time(Structure):
    _fields_ = [
        *((name, c_int) for name in ["year", "month", "day", "hour", "minute", "second", "is_date", "is_daylight"]),
        ("zone", c_void_p),
    ]


class Span(Structure):
    _fields_ = [("start", c_long), ("end", c_long), ("is_busy", c_int)]


Found = CFUNCTYPE(None, c_void_p, POINTER(Span), c_void_p)


def function(name, result, *arguments):
    found = getattr(ical, name)
    found.restype, found.argtypes = result, arguments
    return found


parse = function("icalparser_parse_string", c_void_p, c_char_p)
free = function("icalcomponent_free", None, c_void_p)
kind = function("icalcomponent_string_to_kind", c_int, c_char_p)(b"VEVENT")
first = function("icalcomponent_get_first_component", c_void_p, c_void_p, c_int)
utc = function("icaltimezone_get_utc_timezone", c_void_p)()
at = function("icaltime_from_timet_with_zone", Time, c_long, c_int, c_void_p)
expand = function("icalcomponent_foreach_recurrence", None, c_void_p, Time, Time, Found, c_void_p)


def starts(request):
    calendar = parse(request["icalendar"].encode())
    event = first(calendar, kind)
    found = []
    callback = Found(lambda _component, span, _data: found.append(span[0].start))
    expand(event, at(0, 0, utc), at(request["to"], 0, utc), callback, None)
    free(calendar)
    return sorted({start for start in found if start < request["to"]})


for line in sys.stdin:
    print(json.dumps(starts(json.loads(line))), flush=True)
