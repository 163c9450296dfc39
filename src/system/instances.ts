/** Registers the serving process at intervals, so that the dashboard can list it. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import type { Log } from '../lib/log.ts';
import type { Sealer } from '../lib/sealing.ts';
import { version } from '../lib/version.ts';
import { within } from '../lib/within.ts';
import type { Instance, SystemStore } from './system-store.ts';

export type InstanceNotesDeps = {
  readonly system: Pick<SystemStore, 'noteInstance' | 'forgetInstance'>;
  readonly sealer: Pick<Sealer, 'keyId' | 'keyIds'>;
  readonly log: Pick<Log, 'error'>;
  readonly now: () => number;
};

const EVERY_MS = 30_000;
/** Three missed updates mean that the instance is gone. Two may be a slow database. */
export const GONE_AFTER_MS = 100_000;
const STOP_MS = 2_000;

/** Registers the instance until stopped, which deletes it at once. */
export function noteInstance(role: Instance['role'], { system, sealer, log, now }: InstanceNotesDeps) {
  const startedAt = now();
  const instance = {
    instanceId: randomBytes(9).toString('base64url'),
    host: hostname().slice(0, 200),
    version: version(),
    role,
    startedAt,
  };
  let noting = Promise.resolve();
  const note = () => {
    const seenAt = now();
    const { keyId, keyIds } = sealer;
    noting = noting
      .then(() => system.noteInstance({ ...instance, seenAt, keyId, keyIds }, seenAt - GONE_AFTER_MS))
      .catch((err) =>
        log.error({ event: 'instance_not_noted', err }, 'The start of this instance could not be recorded'),
      );
  };
  note();
  const timer = setInterval(note, EVERY_MS).unref();
  return {
    note,
    async stop(): Promise<void> {
      clearInterval(timer);
      const forgotten = noting.then(() => system.forgetInstance(instance.instanceId));
      await within(
        STOP_MS,
        forgotten.catch((err) =>
          log.error({ event: 'instance_not_noted', err }, 'The stop of this instance could not be recorded'),
        ),
      );
    },
  };
}
