/**
 * Rotates the master key while servers run: all instances load the new key, all seal under it, old values are sealed
 * again, then the old key ends. Each step is in the database, so another run can continue a killed one, and a late run
 * does nothing.
 */
import type { By } from '../audit/audit-entry.ts';
import { GONE_AFTER_MS } from './instances.ts';
import type { MasterKeyState, MasterKeys } from './master-key.ts';
import type { MasterKeyStore } from './master-key-store.ts';
import type { Instance, SystemStore } from './system-store.ts';
import { LOOK_EVERY_MS } from './watch-master-keys.ts';

export type RotationDeps = By & {
  readonly masterKey: MasterKeyStore;
  readonly masterKeys: MasterKeys;
  readonly system: Pick<SystemStore, 'listInstances'>;
  readonly sealer: { readonly keyId: string };
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called with a sentence about the current step. */
  readonly tell: (progress: string) => void;
};

/** `sealedAnew` has the number of resealed values by column. */
export type Rotation = {
  readonly keyId: string;
  /** Undefined if the key did not change. */
  readonly previous: string | undefined;
  readonly sealedAnew: Readonly<Record<string, number>>;
};

/** An error before any change; the message says how to fix it. */
export class RotationRefused extends Error {}

/** The maximum time for a live instance to load the new key: it checks every two seconds. */
const PATIENCE_MS = 30_000;
/** Rows per transaction: servers write between transactions. */
const ROWS = 50;
const TELL_EVERY_MS = 2_000;

/** Rotates the master key. It is safe to run again and concurrently. */
export async function rotateMasterKey(deps: RotationDeps): Promise<Rotation> {
  const { masterKey, masterKeys, now } = deps;
  const state = await masterKey.masterKeyState();
  const newKeyId = state.next?.keyId ?? (await newKey(state, deps));
  if (newKeyId === undefined) return { ...keyNames(state), sealedAnew: await resealAll(deps) };

  const next = state.next ?? (await masterKey.announceKey(newKeyId, now()));
  // A concurrent run was faster.
  if (next.keyId !== newKeyId) await masterKeys.discard(newKeyId);
  await loadMasterKeys(masterKeys);
  deps.tell(`The master key was changed from ${state.keyId} to ${next.keyId}.`);
  if (next.phase === 'announced') await activateKey(next.keyId, deps);
  await awaitInstances({ what: 'seals under the new key', does: (one) => one.keyId === next.keyId }, deps);
  // By then, earlier work, such as another command, has been written.
  await deps.sleep(2 * LOOK_EVERY_MS);
  const sealedAnew = await resealAll(deps);
  await masterKey.finishKey(next.keyId, now(), deps.by);
  await masterKeys.settle();
  return { keyId: next.keyId, previous: state.keyId, sealedAnew };
}

const keyNames = ({ keyId = '', before }: MasterKeyState) => ({ keyId, previous: before?.keyId });

/** Returns undefined if the key was already changed: then only values sealed meanwhile under the old key remain. */
async function newKey(state: MasterKeyState, deps: RotationDeps): Promise<string | undefined> {
  const { masterKeys } = deps;
  if (masterKeys.source === 'folder') return masterKeys.makeNext();
  const { keyId, previous } = masterKeys.configured;
  if (keyId !== state.keyId) return keyId;
  if (previous !== undefined && previous === state.before?.keyId) return undefined;
  throw new RotationRefused(
    'Everything is sealed under KALENDS_MASTER_KEY already. Create a new key (openssl rand -base64 32), set it as KALENDS_MASTER_KEY and the present key as KALENDS_MASTER_KEY_PREVIOUS, restart every instance with both, and run this again.',
  );
}

async function loadMasterKeys(masterKeys: MasterKeys): Promise<void> {
  const { problem } = await masterKeys.look();
  if (problem !== undefined) throw new RotationRefused(problem);
}

async function activateKey(keyId: string, deps: RotationDeps): Promise<void> {
  const { masterKey, masterKeys, now } = deps;
  const begun = now();
  const patience = masterKeys.source === 'folder' ? PATIENCE_MS : 2 * LOOK_EVERY_MS;
  const missing = await awaitInstances(
    {
      what: 'has the new key',
      does: (one) => one.keyIds.includes(keyId),
      // A live instance registers every 30 seconds, so it had time to load the key.
      isHopeless: (one) => now() - begun >= patience && one.seenAt >= begun,
    },
    deps,
  );
  if (missing.length > 0) {
    if (await masterKey.withdrawKey(keyId)) await masterKeys.discard(keyId);
    const names = missing.map(instanceName).join(', ');
    throw new RotationRefused(
      `Nothing was changed: ${names} runs without the new key ${keyId}. ${
        masterKeys.source === 'folder'
          ? 'Every instance needs the same data folder, or KALENDS_MASTER_KEY and KALENDS_MASTER_KEY_PREVIOUS.'
          : 'Restart every instance with KALENDS_MASTER_KEY and KALENDS_MASTER_KEY_PREVIOUS as they are here, then run this again.'
      }`,
    );
  }
  if (!(await masterKey.useKey(keyId))) {
    const { next, keyId: current } = await masterKey.masterKeyState();
    const isDone = current === keyId || (next?.keyId === keyId && next.phase === 'in_use');
    if (!isDone) throw new RotationRefused('Another run of this command withdrew the new key: run it again.');
  }
  await loadMasterKeys(masterKeys);
}

type AwaitedStep = {
  readonly what: string;
  readonly does: (instance: Instance) => boolean;
  readonly isHopeless?: (instance: Instance) => boolean;
};

/** Waits until all live instances meet the condition. Returns those that do not, once one is hopeless. */
async function awaitInstances(
  { what, does, isHopeless = () => false }: AwaitedStep,
  { system, now, sleep, tell }: RotationDeps,
): Promise<readonly Instance[]> {
  for (let reportedAt = 0; ; ) {
    const missing = (await system.listInstances(now() - GONE_AFTER_MS)).filter((one) => !does(one));
    if (missing.length === 0 || missing.some(isHopeless)) return missing;
    if (now() - reportedAt >= PATIENCE_MS / 3) {
      reportedAt = now();
      tell(
        `Waiting until ${missing.map(instanceName).join(', ')} ${what}; the wait for an instance that has stopped ends after ${GONE_AFTER_MS / 1000} s.`,
      );
    }
    await sleep(LOOK_EVERY_MS / 4);
  }
}

const instanceName = ({ instanceId, host, version }: Instance): string =>
  `the instance ${instanceId} (version ${version}) on ${host}`;

/** Seals values again until no value is under another key. */
async function resealAll(deps: RotationDeps): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let again = true; again; ) {
    again = false;
    for (const column of deps.masterKey.sealedColumns) {
      const count = await resealOne(column, deps);
      if (count > 0) again = true;
      counts[column] = (counts[column] ?? 0) + count;
    }
  }
  return counts;
}

async function resealOne(column: string, { masterKey, now, tell }: RotationDeps): Promise<number> {
  let count = 0;
  let reportedAt = now();
  for (let after: Parameters<MasterKeyStore['resealColumn']>[1], more = true; more; ) {
    const part = await masterKey.resealColumn(column, after, ROWS);
    count += part.count;
    after = part.after;
    more = after !== undefined;
    if (more && now() - reportedAt >= TELL_EVERY_MS) {
      reportedAt = now();
      tell(`${column}: ${count} sealed again so far.`);
    }
  }
  if (count > 0) tell(`${column}: ${count} sealed again.`);
  return count;
}
