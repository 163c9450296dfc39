"""An SMTP server (aiosmtpd) that prints its port and then each mail as one line of JSON.

It signs in the user "kalends" with the password "s3cret-word" and refuses recipients that begin with "refused".
"""
import json
import signal
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, SMTP


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return f"550 no mailbox {address}"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        text = envelope.content.decode("utf-8")
        mail = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "text": text}
        print(json.dumps({**mail, "signedIn": bool(session.authenticated)}), flush=True)
        return "250 OK"


def sign_in(server, session, envelope, mechanism, data):
    print(json.dumps({"tried": data.login.decode()}), flush=True)
    return AuthResult(success=data.password == b"s3cret-word", handled=False)


class FreePort(Controller):
    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()

    def factory(self):
        return SMTP(
            self.handler, authenticator=sign_in, auth_require_tls=False, auth_required="auth" in sys.argv, enable_SMTPUTF8=True
        )


controller = FreePort(Handler(), hostname="127.0.0.1", port=0)
controller.start()
print(controller.port, flush=True)
signal.pause()
