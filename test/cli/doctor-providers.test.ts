/** Tests `doctor` about the instance's apps at Google and Microsoft, against the sandbox. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { openCommandLine } from './cli-run.ts';

const URL = 'http://127.0.0.1:9';
type Kind = 'google' | 'microsoft';
const app = (kind: Kind) => ({
  clientId: `${kind}-id`,
  clientSecret: `${kind}-secret`,
  redirectUris: [`${URL}/connect/${kind}/callback`],
});

describe('kalends doctor, of provider apps', () => {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  let sandboxes: { readonly [kind in Kind]: { readonly issuer: string; close(): Promise<void> } };
  before(async () => {
    sandboxes = {
      google: await googleSandbox({ ...deps, apps: [app('google')] }),
      microsoft: await microsoftSandbox({ ...deps, apps: [app('microsoft')] }),
    };
  });
  after(async () => {
    for (const sandbox of Object.values(sandboxes)) await sandbox.close();
  });

  const checkOf = async (kind: Kind | 'microsoft tenants', variables: Record<string, string>) => {
    const cli = await openCommandLine({ KALENDS_URL: URL, ...variables });
    const { document } = await cli.json('doctor');
    const { stdout } = await cli.run(['doctor']);
    await cli.close();
    const checks = document.checks as { name: string; status: string; message: string }[];
    assert.doesNotMatch(stdout + JSON.stringify(document), /secret-value|google-secret|microsoft-secret/);
    return checks.find(({ name }) => name === kind);
  };
  const settings = (kind: Kind, secret = `${kind}-secret`, issuer = sandboxes[kind].issuer) => ({
    [`KALENDS_${kind.toUpperCase()}_CLIENT_ID`]: `${kind}-id`,
    [`KALENDS_${kind.toUpperCase()}_CLIENT_SECRET`]: secret,
    [`KALENDS_${kind.toUpperCase()}_ISSUER`]: issuer,
  });

  for (const kind of ['google', 'microsoft'] as const) {
    it(`kalends doctor reports no problem without an app at ${kind}, and sends no request`, async () => {
      const check = await checkOf(kind, {});

      assert.equal(check?.status, 'ok');
      assert.match(check?.message ?? '', new RegExp(`KALENDS_${kind.toUpperCase()}_CLIENT_ID`));
    });

    it(`kalends doctor reports no problem with an app that ${kind} accepts`, async () => {
      const check = await checkOf(kind, settings(kind));

      assert.equal(check?.status, 'ok');
      assert.match(check?.message ?? '', new RegExp(`accepts the provider app ${kind}-id`));
    });

    it(`kalends doctor fails when ${kind} refuses the secret, and names the setting`, async () => {
      const check = await checkOf(kind, settings(kind, 'secret-value'));

      assert.equal(check?.status, 'fail');
      assert.match(
        check?.message ?? '',
        new RegExp(`KALENDS_${kind.toUpperCase()}_CLIENT_ID and _CLIENT_SECRET`),
      );
    });

    it(`kalends doctor warns when the issuer of ${kind} does not respond`, async () => {
      const check = await checkOf(kind, settings(kind, 'secret-value', 'http://127.0.0.1:9'));

      assert.equal(check?.status, 'warn');
      assert.match(check?.message ?? '', new RegExp(`KALENDS_${kind.toUpperCase()}_ISSUER`));
    });
  }

  it('kalends doctor warns about shared calendars if personal accounts sign in', async () => {
    const shared = { ...settings('microsoft'), KALENDS_MICROSOFT_SHARED_CALENDARS: 'on' };

    const check = await checkOf('microsoft tenants', shared);

    assert.equal(check?.status, 'warn');
    assert.equal(await checkOf('microsoft tenants', settings('microsoft')), undefined);
  });
});
