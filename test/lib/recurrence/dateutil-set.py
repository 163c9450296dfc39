"""Expands series with python3-dateutil, the independent reference of sets-against-dateutil.test.ts. Reads JSON lines
{"start", "zone", "rules", "rdates", "exdates", "to"}: local times as YYYY-MM-DDTHH:MM:SS, dates with a zone of their own as
[time, zone], "to" in seconds since 1970. Writes the starts before that, in the same seconds.
"""
import datetime as datetime_module
import itertools
import json
import sys
import warnings
from datetime import datetime, timezone

from dateutil.rrule import rruleset, rrulestr
from dateutil.tz import gettz, resolve_imaginary

# Of giving a rule with COUNT an UNTIL as well.
warnings.simplefilter("ignore", DeprecationWarning)


def moment(local, zone):
    return datetime.fromisoformat(local).replace(tzinfo=gettz(zone))


def seconds(at):
    return int(resolve_imaginary(at).astimezone(timezone.utc).timestamp())


def starts(request):
    start, to = moment(request["start"], request["zone"]), request["to"]
    # A rule that names nothing would be followed to the last year there is.
    datetime_module.MAXYEAR = start.year + 4
    series = rruleset()
    for rule in request["rules"]:
        series.rrule(rrulestr(rule, dtstart=start))
    if not request["rules"]:
        series.rdate(start)
    for local, zone in request["rdates"]:
        series.rdate(moment(local, zone).astimezone(start.tzinfo))
    # As instants: Python takes a time that a clock shows twice, or never, for unequal to all of other zones.
    excluded = {seconds(moment(local, zone)) for local, zone in request["exdates"]}
    # Two days more: what a clock change moves is not in order.
    found = [seconds(at) for at in itertools.takewhile(lambda at: seconds(at) < to + 172_800, series)]
    return sorted({at for at in found if at < to} - excluded)


for line in sys.stdin:
    print(json.dumps(starts(json.loads(line))), flush=True)
