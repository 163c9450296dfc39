/** `kalends backup`: a complete copy of the live SQLite database. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { createBackup } from '../administration/operations/system-operations.ts';
import { writeBackup } from '../system/backups.ts';
import { checkServer } from '../system/doctor-checks.ts';
import type { Counts, PreparedRestore, Restored, RestoreReport } from '../system/restore.ts';
import { RestoreError } from '../system/restore-error.ts';
import { type Command, CommandError, type Context, type Input, newFile, type Result } from './command.ts';
import { runAndPrint } from './operation-command.ts';
import { confirm, YES } from './option-values.ts';
import { rendering } from './rendering.ts';
import { terminalText } from './terminal-text.ts';

/** The most characters of the file name in the audit log. */
const MOST_NAME = 200;

const KEEP_KEY =
  'Store the master key as well, in another place: without it, the credentials in the backup cannot be opened.';

const IN_FOLDER = rendering({
  operation: createBackup,
  render: ({ name, bytes }) => ({ text: `Wrote the backup ${name} (${bytes} bytes). ${KEEP_KEY}` }),
});

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy the live SQLite database into a file',
  positionals: [{ name: 'FILE', doc: 'A new file, by default in the folder of backups.', optional: true }],
  renderings: [IN_FOLDER],
  notes: [
    'Servers can run meanwhile. The backup does not contain the master key: store it elsewhere (docs/operations.md#backup). Back up PostgreSQL with pg_dump.',
  ],
  async run({ positionals: { FILE: name } }, context) {
    const { config, withStorage, withOperations, isRemote, deps } = context;
    if (name === undefined) return withOperations((operations) => runAndPrint(IN_FOLDER, {}, operations));
    if (isRemote) throw new CommandError('usage', 'A server names its backups: leave out FILE.', 2);
    if (config().databaseUrl !== undefined)
      throw new CommandError(
        'refused',
        'Back up a PostgreSQL database with pg_dump; see docs/operations.md.',
      );
    const file = newFile(name);
    return withStorage(async ({ backup, system, by }) => {
      const at = deps.now();
      await writeBackup(file, backup);
      const { size: bytes } = await stat(file);
      await system.noteBackup({ name: path.basename(file).slice(0, MOST_NAME), bytes, at }, by);
      return {
        json: { file, bytes },
        text: `Wrote ${file} (${bytes} bytes). ${KEEP_KEY}`,
      };
    });
  },
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Replace the SQLite database with a backup',
  positionals: [{ name: 'FILE', doc: 'A backup that Kalends made.' }],
  options: [
    {
      name: 'as-it-was',
      doc: 'Restore the backup unchanged: do not repeat revocations and deletions that happened after it.',
    },
    { name: 'end-all-grants', doc: 'Revoke every grant: all users must authorize again.' },
    YES,
  ],
  notes: [
    'Stop the server first; this command fails while it runs. It checks that the backup is complete, that this version can read it and that its master key is available. Then it says which data will be lost, and keeps the current database beside the new one.',
    'Everything that was revoked, deleted, disconnected or removed since the backup is revoked or deleted again, as the current database records it. If the current database cannot be read, use --end-all-grants to be safe. Restore PostgreSQL with pg_restore (docs/disaster-recovery.md).',
  ],
  async run(input, context) {
    const file = path.resolve(input.positionals.FILE ?? '');
    return restore(await context.deps.prepareRestore(context.config(), file, context.caller), input, context);
  },
};

async function restore(prepared: PreparedRestore, input: Input, context: Context): Promise<Result> {
  const { report } = prepared;
  try {
    await refuseServed(report, context);
    if (!context.json) context.io.stderr.write(`${terminalText(reportLines(report).join('\n'))}\n`);
    await confirm('Restoring it', input, context);
  } catch (reason) {
    await prepared.discard();
    throw reason;
  }
  const asItWas = input.options['as-it-was'] === true;
  const endAllGrants = input.options['end-all-grants'] === true;
  const restored = await prepared.apply({ asItWas, endAllGrants });
  return toResult(report, restored, endAllGrants);
}

/** Throws if a server responds: an unreadable database does not show whether one uses it. */
async function refuseServed({ present }: RestoreReport, { config }: Context): Promise<void> {
  if (present.state !== 'unreadable') return;
  const { status, message } = await checkServer(config());
  if (status === 'ok' && message.startsWith('Nothing responds')) return;
  throw new RestoreError(`${message} Stop the server, then run this command again.`);
}

function reportLines({ file, asOf, migrated, present }: RestoreReport): string[] {
  const when = asOf === undefined ? 'without any changes' : `as of ${new Date(asOf).toISOString()}`;
  return [
    `${file}: complete, ${when}.`,
    ...(migrated.length > 0 ? ['An older version created it: it will be migrated.'] : []),
    ...presentLines(present),
  ];
}

function presentLines(present: RestoreReport['present']): string[] {
  if (present.state === 'absent') return ['There is no database yet: nothing will be lost.'];
  if (present.state === 'unreadable')
    return [
      `The current database cannot be read (${present.reason}): later data will be lost, and grants that were revoked since become valid again. --end-all-grants revokes every grant.`,
    ];
  const { lost, ended, refreshed, secretsChanged } = present;
  return [
    `Will be lost, since it is newer: ${countsText(lost)}.`,
    `In the backup, but revoked or deleted since: ${countsText(ended)}.`,
    `${refreshed} grant(s) will need a new authorization: their refresh tokens were used since.`,
    ...(secretsChanged > 0
      ? [`The secrets of ${secretsChanged} application(s) changed since: rotate them again.`]
      : []),
  ];
}

const countsText = ({ applications, users, accounts, grants, people }: Counts): string =>
  `${applications} application(s), ${users} user(s), ${accounts} account(s), ${grants} grant(s), ${people} member(s)`;

function presentDocument(present: RestoreReport['present']): object {
  if (present.state !== 'readable') return present;
  const { secretsChanged, ...rest } = present;
  return { ...rest, secrets_changed: secretsChanged };
}

function toResult(report: RestoreReport, { keptAside, endedAgain }: Restored, endAllGrants: boolean): Result {
  const { file, bytes, asOf, migrated, keyId, present } = report;
  const ended = endAllGrants
    ? 'Every grant was revoked: all users must authorize again.'
    : `Revoked or deleted again: ${countsText(endedAgain)}.`;
  return {
    json: {
      ...{ file, bytes, as_of: asOf === undefined ? null : new Date(asOf).toISOString() },
      ...{ migrations: migrated, master_key_id: keyId, present: presentDocument(present) },
      ...{ kept_aside: keptAside ?? null, ended_again: endedAgain, all_grants_ended: endAllGrants },
    },
    text: [
      `Restored ${file}.`,
      ended,
      'Dashboard sessions, invitations and authorization codes ended.',
      ...(keptAside === undefined
        ? []
        : [`The previous database is now ${keptAside}: delete it when everything works.`]),
      'Start the server: "kalends serve".',
    ].join('\n'),
  };
}
