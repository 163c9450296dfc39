"""Expands recurrence rules with python3-dateutil, the independent reference of
recurrence-against-dateutil.test.ts. Reads JSON lines {"start", "rrule", "limit"} and writes {"rrule", "dtstart",
"occurrences"}, local times as YYYY-MM-DDTHH:MM:SS, for as many of them as its argument says; rules that name no
time for years are passed over. DTSTART is the first time the rule itself names from about "start" on, so that it
fits its rule.
"""
import datetime as datetime_module
import itertools
import json
import re
import sys
import warnings
from datetime import datetime, timedelta

from dateutil.rrule import WEEKLY, rrulestr

# Of giving a rule with COUNT an UNTIL as well.
warnings.simplefilter("ignore", DeprecationWarning)
HORIZON = timedelta(days=24 * 366)
SEARCH = timedelta(days=4 * 366)


def bounded(rule_text, dtstart, horizon=HORIZON):
    """The rule from DTSTART to the horizon. RFC 5545 takes BYSETPOS within whole weeks, but dateutil begins the
    first week of a series at DTSTART: it is given the week's first day instead."""
    rule = rrulestr(rule_text, dtstart=dtstart)
    last = dtstart + horizon
    # UNTIL is looked at for times found only: a rule that names none would be followed to the last year there is.
    datetime_module.MAXYEAR = last.year
    rule = rule.replace(until=last if rule._until is None else min(rule._until, last))
    if rule._freq == WEEKLY and rule._bysetpos:
        rule = rule.replace(dtstart=dtstart - timedelta(days=(dtstart.weekday() - rule._wkst) % 7))
    return rule


def first_of(rule_text, start):
    # COUNT counts from DTSTART, which is not known yet.
    free = re.sub(r";COUNT=\d+", "", rule_text)
    return next(iter(bounded(free, start, SEARCH)), None)


def expand(request):
    rule_text, start = request["rrule"], datetime.fromisoformat(request["start"])
    try:
        dtstart = first_of(rule_text, start)
    # An INTERVAL that passes over all hours or minutes of the rule, or a weekday whose number is beyond its month.
    except (ValueError, IndexError):
        return None
    if dtstart is None:
        return None
    # The first week may hold earlier times of day than "start" had; the first of them all is DTSTART.
    occurrences = [at.isoformat() for at in itertools.islice(bounded(rule_text, dtstart), request["limit"])]
    return {"rrule": rule_text, "dtstart": occurrences[0], "occurrences": occurrences} if occurrences else None


wanted = int(sys.argv[1])
for line in sys.stdin:
    if wanted == 0:
        break
    answer = expand(json.loads(line))
    if answer is not None:
        print(json.dumps(answer))
        wanted -= 1
