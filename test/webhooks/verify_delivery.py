"""Verifies one delivery with the keys of a key list, as the wire interface describes both.

Reads {"keys_url", "headers", "body"} as JSON from standard input, and prints "verified" or the reason of the refusal.
"""
import base64
import json
import sys
import time
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_SECONDS = 300


def read_keys(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        document = json.load(response)
    keys = []
    for entry in document["keys"]:
        if entry["alg"] == "ed25519" and entry["key"].startswith("whpk_"):
            raw = base64.b64decode(entry["key"][len("whpk_"):], validate=True)
            keys.append(Ed25519PublicKey.from_public_bytes(raw))
    return keys


def is_signed(signature, signed, keys):
    for key in keys:
        try:
            key.verify(signature, signed)
            return True
        except InvalidSignature:
            continue
    return False


def verify(delivery):
    headers = delivery["headers"]
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    if not all(headers.get(name) for name in names):
        return "missing_headers"
    message_id, timestamp, line = (headers[name] for name in names)
    if not timestamp.isdigit():
        return "invalid_timestamp"
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "timestamp_out_of_tolerance"
    keys = read_keys(delivery["keys_url"])
    if not keys:
        return "no_public_keys"
    signed = f"{message_id}.{timestamp}.{delivery['body']}".encode()
    for entry in line.split():
        version, _, encoded = entry.partition(",")
        if version == "v1a" and is_signed(base64.b64decode(encoded), signed, keys):
            return "verified"
    return "no_matching_signature"


print(verify(json.load(sys.stdin)))
