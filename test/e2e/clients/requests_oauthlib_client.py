"""The flow as requests-oauthlib makes it: the secret in the body, an automatic refresh on expiry, a reading.

Takes and prints what authlib_client.py does.
"""
import json
import sys

from requests_oauthlib import OAuth2Session

given = json.loads(sys.argv[1])
body_credentials = {"client_id": given["client_id"], "client_secret": given["client_secret"]}
newest = {}
session = OAuth2Session(
    given["client_id"],
    redirect_uri=given["redirect_uri"],
    scope=["read"],
    auto_refresh_url=given["url"] + "/token",
    auto_refresh_kwargs=body_credentials,
    token_updater=newest.update,
)
session.trust_env = False
address, _ = session.authorization_url(given["url"] + "/authorize", user_id=given["user_id"])
print(address, flush=True)
callback = sys.stdin.readline().strip()

first = session.fetch_token(
    given["url"] + "/token",
    authorization_response=callback,
    client_secret=given["client_secret"],
    include_client_id=True,
)
# The library refreshes by itself before a request whose token it takes for expired.
session.token = {**first, "expires_in": -1, "expires_at": 1}
reading = session.get(given["url"] + "/calendars")
revoked = session.post(
    given["url"] + "/revoke", data={"token": newest["refresh_token"]}, withhold_token=True
)
over = session.get(given["url"] + "/calendars")
print(
    json.dumps(
        {
            "token_type": first["token_type"],
            "rotated": first["refresh_token"] != newest["refresh_token"],
            "reading": reading.status_code,
            "revoked": revoked.status_code,
            "over": over.status_code,
        }
    )
)
