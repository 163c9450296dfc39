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
import { PeopleRefusal } from '../people/people-refusal.ts';
import { ROLES } from '../people/person.ts';
import { administrationDeps } from './administration-deps.ts';
import { type Command, CommandError, type Positional, usageError } from './command.ts';
import { INDENT, tabulate } from './help.ts';
import {
  confirm,
  DURATION_FORM,
  listResult,
  oneOf,
  overlapIn,
  overlapOption,
  parseDuration,
  text,
  YES,
} from './option-values.ts';

const KEY: Positional = { name: 'KEY', doc: 'The id of a key, see `admin key list`.' };
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

const create: Command = {
  name: 'admin key create',
  summary: 'Create a key of the administration API',
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
  run: ({ options }, context) => {
    const role = oneOf(
      options.role,
      ROLES,
      `--role must be one of ${ROLES.join(', ')}, not "${options.role}".`,
    );
    const input = {
      name: String(options.name),
      role: role ?? 'viewer',
      client_ids: text(options.client)?.split(','),
      expires_days: daysIn(text(options.expires)),
    };
    return context.withStorage(async (storage) => {
      const deps = administrationDeps(storage, context);
      const created = await createKey.run(input, deps);
      const rows = [['key', created.secret], ...toRows(ADMIN_KEY, created.key)];
      return {
        json: createKey.toDocument(created, deps),
        text: `${tabulate(rows, { indent: INDENT })}\n\nSave the key now: it is not shown again.`,
      };
    });
  },
};

/** Returns the days of `--expires`, 0 for `never`. */
function daysIn(expires: string | undefined): number | undefined {
  if (expires === undefined) return undefined;
  if (expires === 'never') return 0;
  const lifetimeMs = parseDuration(expires);
  if (!lifetimeMs) throw usageError(`--expires must be a time ${DURATION_FORM}, or never.`);
  return lifetimeMs / DAY_MS;
}

const list: Command = {
  name: 'admin key list',
  summary: 'List the keys of the administration API',
  run: (_, context) =>
    context.withStorage(async (storage) => {
      const all = { limit: Number.POSITIVE_INFINITY, after: undefined };
      const { subjects } = await listKeys.run(all, administrationDeps(storage, context));
      return listResult({
        name: 'keys',
        fields: ADMIN_KEY,
        columns: ['key_id', 'name', 'role', 'prefix', 'state', 'created_by', 'expires_at', 'last_used_at'],
        subjects,
        none: 'No admin keys yet. "kalends admin key create --help" shows how to create one.',
      });
    }),
};

const rotate: Command = {
  name: 'admin key rotate',
  summary: 'Replace the text of a key of the administration API',
  positionals: [KEY],
  options: [overlapOption('How long the previous text stays valid', '24h')],
  run: ({ positionals: { KEY: keyId = '' }, options }, context) => {
    const input = { key_id: keyId, overlap_hours: overlapIn(options, '24h') / HOUR_MS };
    return context.withStorage(async (storage) => {
      const deps = administrationDeps(storage, context);
      const rotated = await rotateKey.run(input, deps).catch(toKeyError(keyId));
      const ends = new Date(rotated.previousUntil).toISOString();
      return {
        json: rotateKey.toDocument(rotated, deps),
        text: `${tabulate([['key', rotated.secret]], { indent: INDENT })}\n\nSave it now: it is not shown again. The previous text is valid until ${ends}.`,
      };
    });
  },
};

const revoke: Command = {
  name: 'admin key revoke',
  summary: 'Revoke a key of the administration API, and the keys that it created',
  positionals: [KEY],
  options: [YES],
  run: (input, context) =>
    context.withStorage(async (storage) => {
      const { KEY: keyId = '' } = input.positionals;
      await confirm(`Revoking ${keyId}`, input, context);
      const deps = administrationDeps(storage, context);
      const revoked = await revokeKey.run({ key_id: keyId }, deps).catch(toKeyError(keyId));
      return { json: revokeKey.toDocument(revoked, deps), text: `Revoked ${keyId}.` };
    }),
};

const toKeyError =
  (keyId: string) =>
  (reason: unknown): never => {
    if (!(reason instanceof PeopleRefusal)) throw reason;
    throw new CommandError(
      'not_found',
      `There is no admin key "${keyId}"; "kalends admin key list" lists the keys.`,
    );
  };

export const adminKeyCommands: readonly Command[] = [create, list, rotate, revoke];
