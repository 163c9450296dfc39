"""The flow as Authlib makes it: PKCE, HTTP Basic, a refresh, a reading, a revocation.

Takes a JSON object with url, client_id, client_secret, redirect_uri and user_id as its argument; prints
the authorization URL, reads the callback URL, and prints what it got as one JSON object.
"""
import json
import sys

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

given = json.loads(sys.argv[1])
verifier = generate_token(64)
session = OAuth2Session(
    given["client_id"],
    given["client_secret"],
    redirect_uri=given["redirect_uri"],
    scope="read",
    token_endpoint=given["url"] + "/token",
    token_endpoint_auth_method="client_secret_basic",
    code_challenge_method="S256",
)
session.trust_env = False
address, state = session.create_authorization_url(
    given["url"] + "/authorize", code_verifier=verifier, user_id=given["user_id"]
)
print(address, flush=True)
callback = sys.stdin.readline().strip()

first = session.fetch_token(authorization_response=callback, state=state, code_verifier=verifier)
second = session.refresh_token(given["url"] + "/token")
reading = session.get(given["url"] + "/calendars")
revoked = session.revoke_token(given["url"] + "/revoke", token=second["refresh_token"])
over = session.get(given["url"] + "/calendars")
print(
    json.dumps(
        {
            "token_type": first["token_type"],
            "rotated": first["refresh_token"] != second["refresh_token"],
            "reading": reading.status_code,
            "revoked": revoked.status_code,
            "over": over.status_code,
        }
    )
)
