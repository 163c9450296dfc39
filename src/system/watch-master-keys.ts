/** Makes an instance load the master keys that the database names, for which a key rotation waits. */
import type { Log } from '../lib/log.ts';
import type { MasterKeys } from './master-key.ts';

export type KeyWatchDeps = {
  readonly masterKeys: Pick<MasterKeys, 'look'>;
  readonly log: Pick<Log, 'error' | 'info'>;
};

export const LOOK_EVERY_MS = 2_000;

/** Calls `changed` each time other keys were loaded. */
export function watchMasterKeys({ masterKeys, log }: KeyWatchDeps, changed: () => void) {
  let looking: Promise<void> | undefined;
  let last: string | undefined;
  const look = async () => {
    const state = await masterKeys.look();
    if (state.changed) {
      log.info({ event: 'master_keys_changed' }, 'A change of the master key was loaded');
      changed();
    }
    if (state.problem !== undefined && state.problem !== last)
      log.error({ event: 'master_key_missing', reason: state.problem }, 'This instance lacks a master key');
    last = state.problem;
  };
  const timer = setInterval(() => {
    looking ??= look()
      .catch((err) =>
        log.error(
          { event: 'master_keys_not_read', err },
          'The master keys of the database could not be read',
        ),
      )
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_EVERY_MS).unref();
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
    },
  };
}
