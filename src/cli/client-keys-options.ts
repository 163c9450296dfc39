/** The options of `client create` and `client update` for public keys, and the secrets that both print. */
import { readFile } from 'node:fs/promises';
import type { Members } from '../http/fields.ts';
import { jsonIn } from '../lib/json.ts';
import { type CommandOption, type Input, unreadableFile, usageError } from './command.ts';
import { tabulate } from './help.ts';
import { text } from './option-values.ts';

export const KEY_OPTIONS: readonly CommandOption[] = [
  {
    name: 'jwks',
    value: 'FILE',
    doc: 'The public keys for `--client-authentication private_key_jwt`: a JWK Set with 1 to 10 keys for ES256, PS256 or Ed25519. They replace all earlier keys. `--jwks ""` removes them.',
  },
  {
    name: 'jwks-uri',
    value: 'URL',
    doc: 'The https URL of such a set instead, which is read again after 5 minutes to 24 hours. `--jwks-uri ""` removes all keys.',
  },
];

/** Reads the options as fields of operations. Throws an error for a file without JSON, or for both options. */
export async function readKeyOptions(options: Input['options']) {
  const [file, uri] = [text(options.jwks), text(options['jwks-uri'])];
  if (!file) return { jwks: file, jwks_uri: uri };
  if (uri !== undefined) throw usageError('Use one of --jwks and --jwks-uri.');
  const content = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unreadableFile('unreadable_keys', file, cause);
  });
  const jwks = jsonIn(content);
  if (jwks === undefined) throw usageError('--jwks must be a file with a JWK Set in JSON.');
  return { jwks };
}

export const secretRow = (label: string, secret: unknown): string[][] =>
  secret === undefined ? [] : [[label, String(secret)]];

/** Returns the secrets that a change created, for JSON and as paragraphs. */
export function newSecrets({ webhook_secret, client_secret }: Members) {
  const secrets = Object.entries({ webhook_secret, client_secret }).filter(
    ([, secret]) => secret !== undefined,
  );
  const names = secrets.map(([name]) => name.replace('_', ' '));
  return {
    json: Object.fromEntries(secrets),
    text: [
      ...secrets.map(([, secret], i) => tabulate(secretRow(names[i] ?? '', secret))),
      ...names.map((name) => `Save the ${name} now: it is not shown again.`),
    ],
  };
}
