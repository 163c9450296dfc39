"""Kalends over plain HTTP: tokens that stay good, calls with them, and deliveries that are genuine."""

import asyncio
import base64
import hashlib
import hmac
import time
from collections import defaultdict
from urllib.parse import urlencode

import httpx


class Refused(Exception):
    """What Kalends refused, in its words."""


class AccountNeedsReconnect(Exception):
    """A write needs accounts that the user must reconnect."""

    def __init__(self, accounts):
        super().__init__(accounts)
        self.accounts = accounts


class ReauthorizationRequired(Exception):
    """The user has to connect again."""


class Kalends:
    def __init__(self, url, client_id, client_secret, webhook_secret, storage):
        self.url, self.client_id, self.webhook_secret = url, client_id, webhook_secret
        self.storage = storage
        self.credentials = (client_id, client_secret)
        self.http = httpx.AsyncClient(base_url=url, timeout=35)
        # One refresh at a time for each user: the second one would spend a refresh token that is spent already.
        self.locks = defaultdict(asyncio.Lock)

    async def push(self, query):
        """The address to send the browser to. Nobody can change a pushed request."""
        answer = await self.http.post("/par", data=query, auth=self.credentials)
        if answer.is_error:
            raise Refused(answer.json().get("message", answer.reason_phrase))
        pushed = {"client_id": self.client_id, "request_uri": answer.json()["request_uri"]}
        return f"{self.url}/authorize?{urlencode(pushed)}"

    async def exchange_code(self, user_id, code, redirect_uri, code_verifier):
        form = {"code": code, "redirect_uri": redirect_uri, "code_verifier": code_verifier}
        answer = await self.token(grant_type="authorization_code", **form)
        self.keep(user_id, answer)

    async def call(self, user_id, method, path, **options):
        """The answer's JSON. An access token that has ended is renewed once, and the call repeated."""
        access_token = await self.access_token(user_id)
        answer = await self.send(access_token, method, path, options)
        if answer.status_code == 401:
            access_token = await self.access_token(user_id, refused=access_token)
            answer = await self.send(access_token, method, path, options)
        if answer.is_error and answer.json().get("code") == "reauth_required":
            raise AccountNeedsReconnect(answer.json()["accounts"])
        if answer.is_error:
            raise Refused(answer.json().get("message", answer.reason_phrase))
        return answer.json()

    async def send(self, access_token, method, path, options):
        headers = {"authorization": f"Bearer {access_token}"}
        return await self.http.request(method, path, headers=headers, **options)

    async def access_token(self, user_id, refused=None):
        async with self.locks[user_id]:
            tokens = self.storage.tokens_of(user_id)
            if tokens is None:
                raise ReauthorizationRequired()
            access_token, refresh_token, expires_at = tokens
            # Somebody who waited here finds what the one before has stored.
            if access_token != refused and expires_at > time.time() * 1000 + 30_000:
                return access_token
            answer = await self.token(grant_type="refresh_token", refresh_token=refresh_token)
            # Kept before it is used: the old refresh token is dead by now.
            self.keep(user_id, answer)
            return answer["access_token"]

    def keep(self, user_id, answer):
        expires_at = int((time.time() + answer["expires_in"]) * 1000)
        self.storage.save_tokens(user_id, answer["access_token"], answer["refresh_token"], expires_at)

    async def token(self, **form):
        answer = await self.http.post("/token", data=form, auth=self.credentials)
        if answer.status_code == 400 and answer.json().get("error") == "invalid_grant":
            raise ReauthorizationRequired(answer.json().get("error_description"))
        answer.raise_for_status()
        return answer.json()

    def is_genuine(self, headers, body):
        """A delivery of the last five minutes, signed with our secret (docs/webhooks.md)."""
        delivery_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
            return False
        key = base64.b64decode(self.webhook_secret[len("whsec_") :])
        signed = f"{delivery_id}.{timestamp}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        given = headers.get("webhook-signature", "").split(" ")
        return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)
