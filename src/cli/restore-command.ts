/** `kalends restore`: a backup takes the place of the SQLite database. */
import path from 'node:path';

import { checkServer } from '../system/doctor-checks.ts';
import type { Counts, PreparedRestore, Restored, RestoreReport } from '../system/restore.ts';
import { RestoreError } from '../system/restore-error.ts';
import { type Command, CommandError, type Context, type Input, type Result } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { terminalText } from './terminal-text.ts';

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Put a backup in the place of the SQLite database',
  positionals: [{ name: 'FILE', doc: 'A backup that Kalends made.' }],
  options: [
    { name: 'as-it-was', doc: 'Let what was ended and deleted since live again, as the backup has it.' },
    { name: 'end-all-grants', doc: 'End every grant: all users authorize again.' },
    YES,
  ],
  notes: [
    'Stop the server first: while it runs, this is refused. The backup is checked (whole, of a version that this one knows, under a master key that is here), it is said what is lost, and the database that is there is kept beside it.',
    'What the database that is there knows as ended since the backup is ended again: revoked grants, deleted users and applications, disconnected accounts, removed people of the dashboard. Where it cannot be read, nobody knows what was revoked: --end-all-grants is the safe choice. PostgreSQL is restored with pg_restore (docs/disaster-recovery.md).',
  ],
  async run(input, context) {
    const file = path.resolve(input.positionals.FILE ?? '');
    try {
      const prepared = await context.deps.prepareRestore(context.config(), file, context.caller);
      return await restore(prepared, input, context);
    } catch (reason) {
      if (reason instanceof RestoreError) throw new CommandError('refused', reason.message, 1);
      throw reason;
    }
  },
};

async function restore(prepared: PreparedRestore, input: Input, context: Context): Promise<Result> {
  const { report } = prepared;
  try {
    await refuseServed(report, context);
    if (!context.json) context.io.stderr.write(`${terminalText(wordsOf(report).join('\n'))}\n`);
    await confirm('Restoring it', input, context);
  } catch (reason) {
    await prepared.discard();
    throw reason;
  }
  const asItWas = input.options['as-it-was'] === true;
  const endAllGrants = input.options['end-all-grants'] === true;
  const restored = await prepared.apply({ asItWas, endAllGrants });
  return resultOf(report, restored, endAllGrants);
}

/** A database that is damaged tells nothing of who uses it. */
async function refuseServed({ present }: RestoreReport, { config }: Context): Promise<void> {
  if (present.state !== 'unreadable') return;
  const { status, message } = await checkServer(config());
  if (status === 'ok' && message.startsWith('Nothing answers')) return;
  throw new RestoreError(`${message} Stop it, then run this again.`);
}

function wordsOf({ file, asOf, migrated, present }: RestoreReport): string[] {
  const when = asOf === undefined ? 'nothing was done in it yet' : `as of ${new Date(asOf).toISOString()}`;
  return [
    `${file}: whole, ${when}.`,
    ...(migrated.length > 0 ? ['An older version made it: it is brought up to date.'] : []),
    ...presentWords(present),
  ];
}

function presentWords(present: RestoreReport['present']): string[] {
  if (present.state === 'absent') return ['There is no database now: nothing is lost by restoring.'];
  if (present.state === 'unreadable')
    return [
      `The database that is there cannot be compared with it (${present.reason}): what came since is lost, and what was revoked since lives again. --end-all-grants ends every grant.`,
    ];
  const { lost, ended, refreshed, secretsChanged } = present;
  return [
    `Lost, since it came after: ${countsText(lost)}.`,
    `In the backup, and ended or deleted since: ${countsText(ended)}.`,
    `Their users authorize again: ${refreshed} grant(s), whose refresh token of then was spent since.`,
    ...(secretsChanged > 0
      ? [`Secrets of ${secretsChanged} application(s) are those of then: rotate them once more.`]
      : []),
  ];
}

const countsText = ({ applications, users, accounts, grants, people }: Counts): string =>
  `${applications} application(s), ${users} user(s), ${accounts} account(s), ${grants} grant(s), ${people} person(s) of the dashboard`;

function presentDocument(present: RestoreReport['present']): object {
  if (present.state !== 'readable') return present;
  const { secretsChanged, ...rest } = present;
  return { ...rest, secrets_changed: secretsChanged };
}

function resultOf(report: RestoreReport, { keptAside, endedAgain }: Restored, endAllGrants: boolean): Result {
  const { file, bytes, asOf, migrated, keyId, present } = report;
  const ended = endAllGrants
    ? 'Every grant was ended: all users authorize again.'
    : `Ended or deleted once more: ${countsText(endedAgain)}.`;
  return {
    json: {
      ...{ file, bytes, as_of: asOf === undefined ? null : new Date(asOf).toISOString() },
      ...{ migrations: migrated, master_key_id: keyId, present: presentDocument(present) },
      ...{ kept_aside: keptAside ?? null, ended_again: endedAgain, all_grants_ended: endAllGrants },
    },
    text: [
      `Restored ${file}.`,
      ended,
      'Sign-ins of the dashboard, invitations and codes that were open ended with it.',
      ...(keptAside === undefined
        ? []
        : [`The database that was there is kept as ${keptAside}: delete it when all is well.`]),
      'Start the server: "kalends serve".',
    ].join('\n'),
  };
}
