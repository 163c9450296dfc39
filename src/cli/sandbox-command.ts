/** `kalends sandbox`: Kalends with four simulated providers and a demo application, for trying and testing. */
import { redirectUriProblem, webhookUrlProblem } from '../oauth/redirect-uri.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';
import { REDIRECT_URI, WEBHOOK_URL } from './client-options.ts';
import { type Command, type Input, type SandboxRequest, usageError } from './command.ts';
import { numberIn, text } from './option-values.ts';

const MOST_REDIRECT_URIS = 9;
const MOST_PORT = 65_535;

export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'Try Kalends with simulated providers, people and an application on this machine',
  options: [
    {
      ...REDIRECT_URI,
      repeatable: true,
      doc: 'The redirect URI of your application. Each further one creates another application. Ids and secrets are the same at every start.',
    },
    {
      ...WEBHOOK_URL,
      doc: 'The URL where your application receives deliveries: http on this machine, or https.',
    },
    {
      name: 'port',
      value: 'PORT',
      doc: 'The port of Kalends, which must be free. By default 8080 or any free port.',
    },
    {
      name: 'keep',
      value: 'DIR',
      doc: 'Store connections, tokens, calendars and addresses in this folder for the next start.',
    },
  ],
  notes: [
    'Nothing leaves the machine, and no settings are read. Ctrl-C stops the sandbox and deletes its data, unless --keep was given. See docs/sandbox.md.',
    'With --json it prints its addresses, people and applications as one document once everything responds.',
    'To use other commands with it, set KALENDS_DATA_DIR to the data folder that it prints.',
  ],
  run: async (input, { json, deps }) => deps.runSandbox(readRequest(input, json)),
};

function readRequest({ options, lists }: Input, json: boolean): SandboxRequest {
  const redirectUris = lists['redirect-uri'] ?? [];
  checkRedirectUris(redirectUris);
  const webhookUrl = text(options['webhook-url']);
  if (webhookUrl !== undefined) {
    // Kalends in the sandbox reaches this machine and public addresses.
    const problem = webhookUrlProblem(webhookUrl) ?? unreachableProblem(webhookUrl, { mode: 'loopback' });
    if (problem !== undefined) throw usageError(`The webhook URL ${problem}.`);
    if (redirectUris.length === 0)
      throw usageError('--webhook-url needs --redirect-uri: it belongs to your application.');
  }
  const port = numberIn(options.port, MOST_PORT, `--port must be a number from 1 to ${MOST_PORT}.`);
  const keep = text(options.keep);
  if (keep === '') throw usageError('--keep needs a folder.');
  return { redirectUris, webhookUrl, port, keep, json };
}

function checkRedirectUris(redirectUris: readonly string[]): void {
  for (const redirectUri of redirectUris) {
    const problem = redirectUriProblem(redirectUri);
    if (problem !== undefined) throw usageError(`The redirect URI "${redirectUri}" ${problem}.`);
  }
  if (new Set(redirectUris).size < redirectUris.length) throw usageError('A redirect URI is given twice.');
  if (redirectUris.length > MOST_REDIRECT_URIS)
    throw usageError(`At most ${MOST_REDIRECT_URIS} redirect URIs are allowed.`);
}
