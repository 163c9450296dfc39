"""A FastAPI application whose users connect their calendars through Kalends. README.md goes through it."""

import base64
import hashlib
import json
import os
import secrets
from datetime import datetime, timedelta, timezone
from html import escape
from urllib.parse import parse_qs, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from kalends import AccountNeedsReconnect, Kalends, ReauthorizationRequired, Refused
from storage import Storage

env = os.environ
redirect_uri = f"http://localhost:{env.get('PORT', '3000')}/callback"
storage = Storage(env.get("STORAGE", "storage.db"))
names = ["KALENDS_URL", "KALENDS_CLIENT_ID", "KALENDS_CLIENT_SECRET", "KALENDS_WEBHOOK_SECRET"]
kalends = Kalends(*(env[name] for name in names), storage)
app = FastAPI()

# Stands for your own sign-in: each browser is a user of its own.
sessions = {}


@app.middleware("http")
async def with_session(request: Request, call_next):
    name = request.cookies.get("session")
    if name in sessions:
        request.state.session = sessions[name]
        return await call_next(request)
    name = secrets.token_urlsafe(24)
    request.state.session = sessions[name] = {"user_id": f"user-{secrets.token_hex(8)}"}
    response = await call_next(request)
    # Lax: forms of other sites are sent without it.
    response.set_cookie("session", name, httponly=True, samesite="lax")
    return response


@app.get("/connect")
async def connect(request: Request, provider: str = "", account: str = ""):
    session = request.state.session
    session["state"] = secrets.token_urlsafe(16)
    session["code_verifier"] = secrets.token_urlsafe(32)
    digest = hashlib.sha256(session["code_verifier"].encode()).digest()
    query = {
        "user_id": session["user_id"],
        "response_type": "code",
        "redirect_uri": redirect_uri,
        "scope": "read-write",
        "state": session["state"],
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    # The flow of "Reconnect" starts with the sign-in of that account.
    if account:
        query["reconnect"] = f"{provider}:{account}"
    return RedirectResponse(await kalends.push(query), 303)


@app.get("/callback")
async def callback(request: Request, code: str = "", state: str = "", error: str = ""):
    session = request.state.session
    expected = session.pop("state", None)
    if expected is None or not secrets.compare_digest(state.encode(), expected.encode()):
        return page(welcome("This response does not belong to a flow of this browser."), 400)
    if error:
        return page(welcome(f"Nothing was connected: {error}"), 400)
    # The code is the user's id: only that of who is signed in here is taken.
    if code != session["user_id"]:
        return page(welcome("That answer is about somebody else."), 400)
    await kalends.exchange_code(session["user_id"], code, redirect_uri, session["code_verifier"])
    return RedirectResponse("/", 303)


@app.get("/")
async def agenda(request: Request):
    user_id = request.state.session["user_id"]
    if storage.tokens_of(user_id) is None:
        return page(welcome())
    start = datetime.now(timezone.utc)
    window = {"start": start.isoformat(), "end": (start + timedelta(days=28)).isoformat()}
    answer = await kalends.call(user_id, "GET", "/events", params=window)
    broken = [one for one in answer.get("errors", []) if one["code"] == "reauth_required"]
    return page(reconnect_links(broken) + agenda_of(answer["events"], storage.changes_of(user_id)))


@app.post("/events")
async def add(request: Request):
    user_id = request.state.session["user_id"]
    fields = parse_qs((await request.body()).decode())
    try:
        title, start = fields["title"][0], datetime.fromisoformat(fields["start"][0]).replace(tzinfo=timezone.utc)
    except (KeyError, ValueError):
        return PlainTextResponse("A title and a start, please.", 400)
    calendars = await kalends.call(user_id, "GET", "/calendars")
    place = next((one for one in calendars if one["access"] == "write"), None)
    if place is None:
        return PlainTextResponse("None of your calendars can be written to.", 409)
    event = {"provider": place["provider"], "calendarId": place["id"], "title": title}
    event |= {"start": start.isoformat(), "end": (start + timedelta(hours=1)).isoformat()}
    await kalends.call(user_id, "POST", "/event", json=event)
    return RedirectResponse("/", 303)


@app.post("/webhooks")
async def receive(request: Request):
    body = await request.body()
    if not kalends.is_genuine(request.headers, body):
        return PlainTextResponse("This is not a delivery of ours.", 401)
    delivery = json.loads(body)
    # One key signs for every application of an instance.
    if delivery["metadata"]["clientId"] != kalends.client_id:
        return PlainTextResponse("This is for another application.", 401)
    told = ", ".join(f"{event['changeType']}: {event['title']}" for event in delivery.get("events", []))
    text = told or "A calendar was read for the first time"
    storage.add_change(request.headers["webhook-id"], delivery["userId"], text)
    return Response(status_code=204)


@app.exception_handler(ReauthorizationRequired)
async def again(request, failure):
    return page(welcome("Please connect your calendar again."))


@app.exception_handler(AccountNeedsReconnect)
async def reconnect(request, failure):
    return page(f"<p>Nothing was saved.</p>{reconnect_links(failure.accounts)}", 409)


@app.exception_handler(Refused)
async def refused(request, failure):
    return page(welcome(f"That did not work: {failure}"), 502)


def page(content, status=200):
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Agenda</title><h1>Agenda</h1>'
    return HTMLResponse(f"{head}{content}</html>", status)


def welcome(notice=""):
    return f'<p>{escape(notice)}</p><p><a href="/connect">Connect a calendar</a></p>'


def reconnect_links(accounts):
    queries = [(urlencode({"provider": one["provider"], "account": one["account"]}), one["account"]) for one in accounts]
    return "".join(f'<p><a href="/connect?{escape(query)}">Reconnect {escape(name)}</a></p>' for query, name in queries)


def agenda_of(events, changes):
    shown = "".join(f"<li>{escape(event['start'][:16])} {escape(event['title'])}</li>" for event in events)
    told = "".join(f"<li>{escape(text)}</li>" for text in changes)
    return f"""<ul>{shown}</ul>
<form method="post" action="/events">
<label for="title">Title</label><input id="title" name="title" required>
<label for="start">Start (UTC)</label><input id="start" name="start" type="datetime-local" required>
<button>Add</button></form>
<h2>Changes</h2><ul>{told}</ul>"""
