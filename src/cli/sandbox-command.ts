/** `kalends sandbox`: Kalends with four providers and an application of its own, to try and to test with. */
import { redirectUriProblem, webhookUrlProblem } from '../oauth/redirect-uri.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';
import { REDIRECT_URI, WEBHOOK_URL } from './client-options.ts';
import { type Command, type Input, type SandboxRequest, usageError } from './command.ts';
import { text } from './option-values.ts';

const MOST_REDIRECT_URIS = 9;
const MOST_PORT = 65_535;

export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'Try Kalends with providers, people and an application that all live on this machine',
  positionals: [],
  options: [
    {
      ...REDIRECT_URI,
      repeatable: true,
      doc: 'Where an application of your own takes the code. Given again, it makes a further application. Their ids and secrets are the same at every start.',
    },
    { ...WEBHOOK_URL, doc: 'Where your application is told of changes: http on this machine, or https.' },
    {
      name: 'port',
      value: 'PORT',
      doc: 'Kalends’ port, which has to be free. 8080 or any free one otherwise.',
    },
    {
      name: 'keep',
      value: 'DIR',
      doc: 'Keeps everything in this folder for the next start with it: connections, tokens, calendars, addresses.',
    },
  ],
  notes: [
    'Nothing leaves the machine, and no settings are read. Ctrl-C ends everything, and takes the data away unless --keep names a folder. docs/sandbox.md has more.',
    'With --json it prints its addresses, people and applications as one document once everything responds.',
    'To have other commands reach it, name its data folder, which it prints: KALENDS_DATA_DIR=FOLDER.',
  ],
  async run(input, { json, deps }): Promise<number> {
    return deps.runSandbox(requestOf(input, json));
  },
};

function requestOf({ options, lists }: Input, json: boolean): SandboxRequest {
  const redirectUris = lists['redirect-uri'] ?? [];
  checkRedirectUris(redirectUris);
  const webhookUrl = text(options['webhook-url']);
  if (webhookUrl !== undefined) {
    // Kalends in the sandbox reaches this machine and public addresses.
    const problem = webhookUrlProblem(webhookUrl) ?? unreachableProblem(webhookUrl, { mode: 'loopback' });
    if (problem !== undefined) throw usageError(`The webhook URL ${problem}.`);
    if (redirectUris.length === 0)
      throw usageError(
        '--webhook-url belongs to an application of your own: name its --redirect-uri as well.',
      );
  }
  const keep = text(options.keep);
  if (keep === '') throw usageError('--keep needs the name of a folder.');
  return { redirectUris, webhookUrl, port: portIn(options), keep, json };
}

function checkRedirectUris(redirectUris: readonly string[]): void {
  for (const redirectUri of redirectUris) {
    const problem = redirectUriProblem(redirectUri);
    if (problem !== undefined) throw usageError(`The redirect URI "${redirectUri}" ${problem}.`);
  }
  if (new Set(redirectUris).size < redirectUris.length)
    throw usageError('A redirect URI is given twice: each makes an application of its own.');
  if (redirectUris.length > MOST_REDIRECT_URIS)
    throw usageError(`At most ${MOST_REDIRECT_URIS} redirect URIs are possible.`);
}

function portIn({ port }: Input['options']): number | undefined {
  if (port === undefined) return undefined;
  const number = /^\d{1,5}$/.test(String(port)) ? Number(port) : 0;
  if (number < 1 || number > MOST_PORT) throw usageError(`--port must be a number from 1 to ${MOST_PORT}.`);
  return number;
}
