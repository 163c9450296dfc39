/** The settings decide which permissions users are asked for. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { workPool } from '../../src/lib/work-pool/work-pool.ts';
import { openProviders } from '../../src/start/open-providers.ts';
import { recordingLog } from '../servers/recording-log.ts';

const APP = { clientId: 'app', clientSecret: 'secret' };

async function askedByAdministrators(env: Record<string, string>): Promise<string> {
  const egress = createEgress({ privateNetwork: { mode: 'deny' } });
  const script = new URL('../../src/start-work-thread.js', import.meta.url);
  const syncWork = workPool({ script, mostThreads: 1, mostMemory: 32, idleMs: 50, waitMs: 1_000 });
  const deps = { egressTo: () => egress, syncWork, sealer: createSealer(randomBytes(32)) };
  const { microsoft } = openProviders(loadConfig(env), { ...deps, log: recordingLog().log, now: Date.now });
  const request = { redirectUri: 'https://kalends.test/callback', scope: 'read' } as const;
  const { adminConsentUrl } = microsoft.signIn;
  await Promise.all([egress.close(), syncWork.close()]);
  return adminConsentUrl?.(APP, request).searchParams.get('scope') ?? '';
}

describe('the permissions that users are asked for', () => {
  it('include shared calendars at Microsoft only with the setting', async () => {
    const own = 'openid profile email offline_access Calendars.Read';

    assert.equal(await askedByAdministrators({}), own);
    assert.equal(
      await askedByAdministrators({ KALENDS_MICROSOFT_SHARED_CALENDARS: 'on' }),
      `${own} Calendars.Read.Shared`,
    );
  });
});
