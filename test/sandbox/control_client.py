"""
A developer's test in Python: changes events and access with the sandbox's control endpoints, and receives what Kalends
sends. Uses the standard library only. Reads its settings as one JSON object from standard input, and prints one JSON
object with what it saw.
"""

import base64
import hashlib
import hmac
import json
import queue
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

PATIENCE = 60
EVENTS = "/events?start=2027-03-01T00:00:00Z&end=2027-04-01T00:00:00Z"
AT = {"start": "2027-03-16T10:00:00", "end": "2027-03-16T11:00:00"}
settings = json.load(sys.stdin)
deliveries = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    """Verifies each delivery by Standard Webhooks and puts it into the queue."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(settings["webhook_secret"].removeprefix("whsec_"))
        signature = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        is_valid = signature in self.headers["webhook-signature"].split(" ")
        if is_valid:
            deliveries.put(json.loads(body))
        self.send_response(204 if is_valid else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


def call(url, body=None, headers=None):
    """Returns the status and the JSON of a response, also of an error."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **(headers or {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as response:
            text, status = response.read(), response.status
    except urllib.error.HTTPError as error:
        text, status = error.read(), error.code
    return status, json.loads(text) if text else None


def control(path, body=None, expected=(200, 201, 204)):
    status, answer = call(settings["control_url"] + path, body)
    assert status in expected, (path, status, answer)
    return answer


def read(path):
    return call(settings["url"] + path, headers={"authorization": f"Bearer {settings['access_token']}"})


def delivery(condition):
    """Returns the next delivery that fulfills the condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            received = deliveries.get(timeout=2)
        except queue.Empty:
            # A read makes Kalends ask a provider that sent no push notification.
            read(EVENTS)
            continue
        if condition(received):
            return received
    raise AssertionError("no such delivery arrived in time")


def eventually(attempt):
    """Repeats until the result is not None."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = attempt()
        if result is not None:
            return result
        time.sleep(0.5)
    raise AssertionError("nothing happened in time")


def change(action, **fields):
    person = {"provider": settings["provider"], "user": settings["user"]}
    return control("/events", {**person, "action": action, **fields})


def listed():
    query = urllib.parse.urlencode({"provider": settings["provider"], "user": settings["user"]})
    return control(f"/events?{query}")["events"]


def watch_event():
    """Creates, updates, moves and deletes an event, and returns the change types of the deliveries."""
    place = change("create", title="Created in Python", timeZone="Europe/Berlin", **AT)
    seen = [next_change()]
    change("update", **place, title="Changed in Python")
    seen.append(next_change())
    change("move", **place, minutes=90)
    seen.append(next_change())
    moved = next(one for one in listed() if one["event"] == place["event"])
    change("delete", **place)
    seen.append(next_change())
    assert place["event"] not in [one["event"] for one in listed()]
    return seen, moved


def next_change():
    body = delivery(lambda one: not is_initial(one) and one.get("events"))
    return [event["changeType"] for event in body["events"]]


def is_initial(body):
    return body.get("metadata", {}).get("isInitialSync") is True


def expire_cursors():
    """Returns the error of an expired cursor and the delivery that reports the reset."""
    answer = read("/events/changes?initial=true")[1]
    while answer["more"]:
        answer = read("/events/changes?" + urllib.parse.urlencode({"cursor": answer["cursor"]}))[1]
    name = urllib.parse.urlencode({"cursor": answer["cursor"]})
    before = read(f"/events/changes?{name}")[0]
    control("/cursors", {"client_id": settings["client_id"], "user_id": settings["user_id"]})
    after = read(f"/events/changes?{name}")
    reset = delivery(lambda one: one.get("metadata", {}).get("reset") is True)
    return {"before": before, "after": [after[0], after[1]["code"]], "reset": reset["metadata"]["reset"]}


def revoke():
    """Returns the answer of a write after the person withdrew the access."""
    person = {"provider": settings["provider"], "user": settings["user"]}
    control("/access", {**person, "action": "revoke"})
    event = {"title": "Not written", "start": "2027-03-17T10:00:00Z", "end": "2027-03-17T11:00:00Z"}
    place = {"provider": settings["provider"], "calendarId": settings["user"]}

    def refused():
        headers = {"authorization": f"Bearer {settings['access_token']}"}
        status, answer = call(settings["url"] + "/event", {**place, **event}, headers)
        return [status, answer["code"]] if status >= 400 else None

    return eventually(refused)


def mistakes():
    """Returns the fields that the control endpoints name in refused requests."""
    person = {"provider": settings["provider"], "user": settings["user"]}
    requests = [
        ("/events", {**person, "user": "nobody@example.com", "action": "create", "title": "X", **AT}),
        ("/events", {**person, "action": "move", "event": "none", "minutes": 5}),
        ("/events", {**person, "action": "create", "title": "X", "start": AT["end"], "end": AT["start"]}),
        ("/access", {**person, "action": "demand_consent"}),
        ("/cursors", {"client_id": settings["client_id"], "user_id": "nobody"}),
        ("/cursors", {}),
    ]
    return [list(control(path, body, expected=(400,))["details"]) for path, body in requests]


with ThreadingHTTPServer(("127.0.0.1", settings["port"]), Receiver) as server:
    Thread(target=server.serve_forever, daemon=True).start()
    for _ in read("/calendars")[1]:
        delivery(is_initial)
    changes, moved = watch_event()
    result = {"changes": changes, "moved": moved, "mistakes": mistakes(), "cursors": expire_cursors()}
    result["write"] = revoke()
    server.shutdown()
json.dump(result, sys.stdout)
