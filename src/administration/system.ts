/** The checks, backups and state of the deployment, and who may read and change them. */
import type { By } from '../audit/audit-entry.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type { Backup, BackupRefusal } from '../system/backups.ts';
import type { KeptCheck } from '../system/doctor-checks.ts';
import type { RunningProgram } from '../system/running-program.ts';
import type { SystemStore } from '../system/system-store.ts';

export type SystemDeps = By & {
  readonly system: SystemStore;
  readonly program: RunningProgram;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const MOST_CHARACTERS = 1_000;
/** Runs all checks, or those called `name`, and stores and returns the results. Other results stay. Throws PeopleRefusal. */
export async function runChecks(
  actor: Actor,
  name: string | undefined,
  { program, system, now, by }: SystemDeps,
): Promise<readonly KeptCheck[]> {
  mustBeAllowed(actor, 'system.change');
  const results = await program.check(name);
  const last = await system.lastChecks();
  const [at, before] = [now(), last?.checks ?? []];
  const stored = results
    .filter((check) => name === undefined || check.name === name)
    .map((check) => {
      const same = before.find((one) => one.name === check.name && one.status === check.status);
      const since = same === undefined ? at : (same.since ?? last?.at ?? at);
      // A provider's message can be long.
      return { ...check, message: check.message.slice(0, MOST_CHARACTERS), since };
    });
  const others = before.filter((check) => name !== undefined && check.name !== name);
  const checks = [...others, ...stored];
  await system.keepChecks({ at: name === undefined ? at : (last?.at ?? at), checks }, by);
  return stored;
}

/** Makes a backup in the folder of backups, or returns the reason if it cannot. Throws PeopleRefusal. */
export async function makeBackup(
  actor: Actor,
  { program, system, by }: SystemDeps,
): Promise<Backup | BackupRefusal> {
  mustBeAllowed(actor, 'system.change');
  if (program.backups === undefined) throw new PeopleRefusal('not_there');
  const backup = await program.backups.make();
  if (typeof backup !== 'string') await system.noteBackup(backup, by);
  return backup;
}
