/** Sample code that connects a user of an application and reads that user's events. */

/** `secret` is set only where it is shown once. Otherwise the code contains a placeholder. */
export type CodeInput = {
  readonly url: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly secret?: string | undefined;
};

const PLACEHOLDER = 'YOUR_CLIENT_SECRET';
/** The user id in the sample code. */
export const TEST_USER = 'test-user';

/** Returns the address that connects the first user. */
export function authorizeUrl({ url, clientId, redirectUri }: CodeInput): string {
  const query = { client_id: clientId, user_id: TEST_USER, response_type: 'code', redirect_uri: redirectUri };
  return `${url}/authorize?${new URLSearchParams({ ...query, state: 'first-attempt' })}`;
}

/** Quotes an argument for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a shell line that sets the secret for the commands after it. */
export const secretLine = ({ secret }: Pick<CodeInput, 'secret'>): string =>
  `export KALENDS_CLIENT_SECRET=${quoted(secret ?? PLACEHOLDER)}`;

export function curlCode(input: CodeInput): string {
  const { url, clientId, redirectUri } = input;
  return `${secretLine(input)}

# 1. Open this in a browser, connect a calendar and allow:
#    ${authorizeUrl(input)}

# 2. The browser returns with ?code=… in its address. It works once, within ten minutes:
curl ${quoted(`${url}/token`)} -u "${clientId}:$KALENDS_CLIENT_SECRET" \\
  -d grant_type=authorization_code -d code=CODE \\
  --data-urlencode ${quoted(`redirect_uri=${redirectUri}`)}

# 3. Read upcoming events with the access_token of that response:
curl ${quoted(`${url}/events`)} -H "Authorization: Bearer ACCESS_TOKEN"`;
}

export function typescriptCode({ url, clientId, redirectUri }: CodeInput): string {
  return `import { kalends } from '@kalends/client'; // npm install @kalends/client

const calendars = kalends({
  url: ${JSON.stringify(url)},
  clientId: ${JSON.stringify(clientId)},
  clientSecret: process.env.KALENDS_CLIENT_SECRET!,
  redirectUri: ${JSON.stringify(redirectUri)},
});

// 1. Send the user's browser to Kalends. Keep \`state\` in their session.
const state = crypto.randomUUID();
console.log(String(calendars.authorizationUrl({ userId: '${TEST_USER}', state })));

// 2. In the route of your redirect URI: \`url\` is the address that the browser opened.
const tokens = await calendars.completeAuthorization({ url, state, userId: '${TEST_USER}' });

// 3. Read upcoming events. Tokens are refreshed when they expire, and passed to \`save\`.
const mine = calendars.user({ load: async () => tokens, save: async (renewed) => { /* store them */ } });
for await (const { title, start } of mine.events({ start: new Date() })) console.log(start, title);`;
}

export function pythonCode({ url, clientId, redirectUri }: CodeInput): string {
  return `import os, secrets
from urllib.parse import urlencode
import requests  # pip install requests

URL = ${JSON.stringify(url)}
CLIENT = (${JSON.stringify(clientId)}, os.environ["KALENDS_CLIENT_SECRET"])
REDIRECT_URI = ${JSON.stringify(redirectUri)}

# 1. Send the user's browser there. Keep the state in their session, and compare it when the browser returns.
state = secrets.token_urlsafe()
print(f"{URL}/authorize?" + urlencode({
    "client_id": CLIENT[0], "user_id": "${TEST_USER}", "response_type": "code",
    "redirect_uri": REDIRECT_URI, "state": state,
}))

# 2. The browser returns to REDIRECT_URI with a code. It works once, within ten minutes.
code = input("code: ")
tokens = requests.post(f"{URL}/token", auth=CLIENT, data={
    "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI,
}).json()

# 3. Read upcoming events.
headers = {"Authorization": f"Bearer {tokens['access_token']}"}
for event in requests.get(f"{URL}/events", headers=headers).json()["events"]:
    print(event["start"], event["title"])`;
}

/** Returns an environment for Postman. The owner fills in the secret there. */
export function postmanEnvironment(name: string, { url, clientId, redirectUri }: CodeInput): string {
  const value = (key: string, text: string, type = 'default') => ({ key, value: text, type, enabled: true });
  const environment = {
    name: `Kalends: ${name}`,
    values: [
      value('base_url', `${url}/api`),
      value('client_id', clientId),
      value('client_secret', '', 'secret'),
      value('redirect_uri', redirectUri),
      value('user_id', TEST_USER),
      value('access_token', '', 'secret'),
      value('refresh_token', '', 'secret'),
    ],
    _postman_variable_scope: 'environment',
  };
  return `${JSON.stringify(environment, undefined, 2)}\n`;
}
