/**
 * Changes the master key while servers run: every instance loads the new key, then all seal under it, then values under
 * the old key are sealed again, then the old key is no longer needed. Each step is in the database: a run that was
 * killed can be continued, and a late one finds nothing to do.
 */
import { GONE_AFTER_MS } from './instances.ts';
import type { MasterKeyState, MasterKeys } from './master-key.ts';
import type { MasterKeyStore } from './master-key-store.ts';
import type { Instance, SystemStore } from './system-store.ts';
import { LOOK_EVERY_MS } from './watch-master-keys.ts';

export type RotationDeps = {
  readonly masterKey: MasterKeyStore;
  readonly masterKeys: MasterKeys;
  readonly system: Pick<SystemStore, 'listInstances'>;
  readonly sealer: { readonly keyId: string };
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called with the current step, in a sentence. */
  readonly tell: (progress: string) => void;
};

/** `sealedAnew` is the number of values sealed again, by column. */
export type Rotation = {
  readonly keyId: string;
  /** Undefined if the key was the same before. */
  readonly previous: string | undefined;
  readonly sealedAnew: Readonly<Record<string, number>>;
};

/** Nothing was changed; the message says what to do. */
export class RotationRefused extends Error {}

/** How long a live instance may take to load the new key: it checks every two seconds. */
const PATIENCE_MS = 30_000;
/** Rows of one transaction. Servers can write between two transactions. */
const ROWS = 50;
const TELL_EVERY_MS = 2_000;

/** Changes the master key. Safe to run again, also concurrently. */
export async function rotateMasterKey(deps: RotationDeps): Promise<Rotation> {
  const { masterKey, masterKeys, now } = deps;
  const state = await masterKey.masterKeyState();
  const newKeyId = state.next?.keyId ?? (await newKey(state, deps));
  if (newKeyId === undefined) return { ...keyNames(state), sealedAnew: await resealAll(deps) };

  const next = state.next ?? (await masterKey.announceKey(newKeyId, now()));
  // Another run was faster.
  if (next.keyId !== newKeyId) await masterKeys.discard(newKeyId);
  await takeUp(masterKeys);
  deps.tell(`The master key is changed from ${state.keyId} to ${next.keyId}.`);
  if (next.phase === 'announced') await putInUse(next.keyId, deps);
  await everyInstance({ what: 'seals under the new key', does: (one) => one.keyId === next.keyId }, deps);
  // Work that began before, such as another command, has been written by then.
  await deps.sleep(2 * LOOK_EVERY_MS);
  const sealedAnew = await resealAll(deps);
  await masterKey.finishKey(next.keyId, now());
  await masterKeys.settle();
  return { keyId: next.keyId, previous: state.keyId, sealedAnew };
}

const keyNames = ({ keyId = '', before }: MasterKeyState) => ({ keyId, previous: before?.keyId });

/**
 * Returns undefined if the change was made before: then only values that were sealed under the old key meanwhile
 * remain.
 */
async function newKey(state: MasterKeyState, deps: RotationDeps): Promise<string | undefined> {
  const { masterKeys } = deps;
  if (masterKeys.source === 'folder') return masterKeys.makeNext();
  const { keyId, previous } = masterKeys.configured;
  if (keyId !== state.keyId) return keyId;
  if (previous !== undefined && previous === state.before?.keyId) return undefined;
  throw new RotationRefused(
    'KALENDS_MASTER_KEY is the key that everything is sealed under. Make a new one (openssl rand -base64 32), set it as KALENDS_MASTER_KEY and the one there is now as KALENDS_MASTER_KEY_PREVIOUS, restart every instance with both, and run this again.',
  );
}

async function takeUp(masterKeys: MasterKeys): Promise<void> {
  const { problem } = await masterKeys.look();
  if (problem !== undefined) throw new RotationRefused(problem);
}

async function putInUse(keyId: string, deps: RotationDeps): Promise<void> {
  const { masterKey, masterKeys, now } = deps;
  const begun = now();
  const patience = masterKeys.source === 'folder' ? PATIENCE_MS : 2 * LOOK_EVERY_MS;
  const missing = await everyInstance(
    {
      what: 'has the new key',
      does: (one) => one.keyIds.includes(keyId),
      // A live instance registers every 30 seconds: it had the time to find the key.
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
    if (!isDone)
      throw new RotationRefused('Another run of this command took the new key back: run it again.');
  }
  await takeUp(masterKeys);
}

type AwaitedStep = {
  readonly what: string;
  readonly does: (instance: Instance) => boolean;
  readonly isHopeless?: (instance: Instance) => boolean;
};

/** Waits until all live instances satisfy the condition. Returns those that do not, once one is hopeless. */
async function everyInstance(
  { what, does, isHopeless = () => false }: AwaitedStep,
  { system, now, sleep, tell }: RotationDeps,
): Promise<readonly Instance[]> {
  for (let told = 0; ; ) {
    const missing = (await system.listInstances(now() - GONE_AFTER_MS)).filter((one) => !does(one));
    if (missing.length === 0 || missing.some(isHopeless)) return missing;
    if (now() - told >= PATIENCE_MS / 3) {
      told = now();
      tell(
        `Waiting until ${missing.map(instanceName).join(', ')} ${what}; one that is gone is waited for ${GONE_AFTER_MS / 1000} s.`,
      );
    }
    await sleep(LOOK_EVERY_MS / 4);
  }
}

const instanceName = ({ instanceId, host, version }: Instance): string =>
  `the instance ${instanceId} (version ${version}) on ${host}`;

/** Seals values again until none is under another key. */
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
      tell(`${column}: ${count} sealed anew so far.`);
    }
  }
  if (count > 0) tell(`${column}: ${count} sealed anew.`);
  return count;
}
