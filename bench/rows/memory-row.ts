/** Resident memory on SQLite with many users: after the start, and after a number of refreshes of different grants. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { openSigningKeys } from '../../src/oauth/signing-keys.ts';
import { createTokenSigner } from '../../src/oauth/token-signer.ts';
import type { Stores } from '../../src/start/open-storage.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { fillGrowth, keyOf } from '../growth/fill-growth.ts';
import { giveTokens } from '../growth/growth-work.ts';
import { startKalends } from '../kalends.ts';
import { runLoad } from '../load/http-load.ts';
import { type Application, refreshes, TokenQueue } from '../load/oauth-calls.ts';
import { residentMegabytes } from '../process-usage.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

export type MemoryPace = { readonly sizes: readonly number[]; readonly calls: number };

const CONNECTIONS = 64;
/** Far more than the calls take. */
const PATIENCE_SECONDS = 600;

export async function memoryRow(folder: string, { sizes, calls }: MemoryPace): Promise<RowReport> {
  const verdicts: Verdict[] = [];
  for (const users of sizes) {
    for (const [when, measured] of await measureMemory(folder, users, calls)) {
      const what = `${users.toLocaleString('en')} users, ${when}`;
      verdicts.push(verdictOf(what, { measured, unit: 'MB' }, undefined));
    }
  }
  return { title: 'Resident memory with many users on SQLite', subjects: [], verdicts };
}

async function measureMemory(parent: string, users: number, calls: number): Promise<[string, number][]> {
  const folder = await mkdtemp(path.join(parent, 'memory-'));
  const tokens: string[] = [];
  const seed = async (stores: Stores, { clientId }: Application) => {
    await fillGrowth(stores, { rows: users, families: users, clientId }, undefined);
    // No calendar server exists to sync with.
    await stores.db.write('DELETE FROM job');
    const log = recordingLog().log;
    const signer = createTokenSigner(
      await openSigningKeys('HS256', { ...stores, keys: stores.signingKeys, log }),
      stores.now,
    );
    for (const { current, familyId } of await giveTokens(stores, users, calls)) {
      const grant = { familyId, clientId, userId: keyOf('user', familyId - 1), scope: 'read' } as const;
      tokens.push(signer.signTokenResponse(grant, current).refresh_token);
    }
  };
  const { process, port, application, stop } = await startKalends({ folder, seed });
  try {
    const started = residentMegabytes(process.pid) ?? Number.NaN;
    let left = calls;
    const source = refreshes('/token', new TokenQueue(tokens), application);
    const load = { port, connections: CONNECTIONS, seconds: PATIENCE_SECONDS, expectedStatus: 200 };
    await runLoad(load, () => (left-- > 0 ? source() : undefined));
    const after = residentMegabytes(process.pid) ?? Number.NaN;
    return [
      ['after the start', started],
      [`after ${calls.toLocaleString('en')} refreshes`, after],
    ];
  } finally {
    await stop();
  }
}
