/** `kalends admin key …`: keys of the administration API. */
import { ADMIN_KEY } from '../administration/documents/admin-key.ts';
import { toRows } from '../administration/documents/field.ts';
import {
  createKey,
  KEY_DAYS,
  listKeys,
  revokeKey,
  rotateKey,
} from '../administration/operations/key-operations.ts';
import { DURATION_FORM, parseDuration } from '../lib/duration.ts';
import { ROLES } from '../people/person.ts';
import { type Command, type Positional, usageError } from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { listOutput, operationCommand } from './operation-command.ts';
import { oneOf, overlapIn, overlapOption, text, YES } from './option-values.ts';

const KEY: Positional = { name: 'KEY', doc: 'The id of a key, see `admin key list`.' };
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

const create = operationCommand({
  name: 'admin key create',
  summary: 'Create a key of the administration API',
  operation: createKey,
  options: [
    { name: 'name', value: 'NAME', doc: 'The name in lists and in the audit log.', required: true },
    { name: 'role', value: 'ROLE', doc: '`owner`, `developer` or `viewer`.', required: true },
    { name: 'client', value: 'ID,…', doc: 'The applications of a developer, separated by commas.' },
    {
      name: 'expires',
      value: 'TIME',
      doc: `When the key expires, ${DURATION_FORM}, or \`never\`; ${KEY_DAYS}d by default.`,
    },
  ],
  notes: ['The key is shown only once: Kalends stores its hash. docs/administration.md describes the API.'],
  input: ({ options }) => ({
    name: options.name,
    role: oneOf(options.role, ROLES, `--role must be one of ${ROLES.join(', ')}, not "${options.role}".`),
    client_ids: text(options.client)?.split(','),
    expires_days: daysIn(text(options.expires)),
  }),
  render({ key, secret }) {
    const rows = [['key', secret], ...toRows(ADMIN_KEY, key)];
    return { text: `${tabulate(rows, { indent: INDENT })}\n\nSave the key now: it is not shown again.` };
  },
});

/** Returns the days of `--expires`, 0 for `never`. */
function daysIn(expires: string | undefined): number | undefined {
  if (expires === undefined) return undefined;
  if (expires === 'never') return 0;
  const lifetimeMs = parseDuration(expires);
  if (!lifetimeMs) throw usageError(`--expires must be a time ${DURATION_FORM}, or never.`);
  return lifetimeMs / DAY_MS;
}

const list = operationCommand({
  name: 'admin key list',
  summary: 'List the keys of the administration API',
  operation: listKeys,
  input: () => ({}),
  render: ({ subjects }) =>
    listOutput(
      ADMIN_KEY,
      {
        columns: ['key_id', 'name', 'role', 'prefix', 'state', 'created_by', 'expires_at', 'last_used_at'],
        none: 'No admin keys yet. "kalends admin key create --help" shows how to create one.',
      },
      subjects,
    ),
});

const rotate = operationCommand({
  name: 'admin key rotate',
  summary: 'Replace the text of a key of the administration API',
  positionals: [KEY],
  options: [overlapOption('How long the previous text stays valid', '24h')],
  operation: rotateKey,
  input: ({ positionals, options }) => ({
    key_id: positionals.KEY,
    overlap_hours: overlapIn(options, '24h') / HOUR_MS,
  }),
  render({ secret, previousUntil }) {
    const table = tabulate([['key', secret]], { indent: INDENT });
    const ends = new Date(previousUntil).toISOString();
    return {
      text: `${table}\n\nSave it now: it is not shown again. The previous text is valid until ${ends}.`,
    };
  },
});

const revoke = operationCommand({
  name: 'admin key revoke',
  summary: 'Revoke a key of the administration API, and the keys that it created',
  positionals: [KEY],
  options: [YES],
  operation: revokeKey,
  confirmation: ({ positionals: { KEY } }) => `Revoking ${KEY}`,
  input: ({ positionals: { KEY } }) => ({ key_id: KEY }),
  render: (keyId) => ({ text: `Revoked ${keyId}.` }),
});

export const adminKeyCommands: readonly Command[] = [create, list, rotate, revoke];
