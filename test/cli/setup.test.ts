/** `kalends setup`: what it says to register, and what the sandbox's providers say of an app. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

const URL = 'https://calendars.example.com';
const CALENDAR = 'https://www.googleapis.com/auth/calendar';
type Kind = 'google' | 'microsoft';
const KINDS: readonly Kind[] = ['google', 'microsoft'];
const app = (kind: Kind) => ({
  clientId: `${kind}-id`,
  clientSecret: `${kind}-secret`,
  redirectUris: [`${URL}/connect/${kind}/callback`],
});

describe('kalends setup', () => {
  const deps = { clock: sandboxClock(), faults: faultBoard() };
  let sandboxes: { readonly [kind in Kind]: { readonly issuer: string; close(): Promise<void> } };
  let cli: CommandLine;
  let secretFile: string;
  before(async () => {
    sandboxes = {
      google: await googleSandbox({ ...deps, apps: [app('google')] }),
      microsoft: await microsoftSandbox({ ...deps, apps: [app('microsoft')] }),
    };
    cli = await openCommandLine({
      KALENDS_URL: URL,
      // The sandbox's providers are on this machine.
      KALENDS_PRIVATE_NETWORK: 'loopback',
      KALENDS_GOOGLE_ISSUER: sandboxes.google.issuer,
      KALENDS_MICROSOFT_ISSUER: sandboxes.microsoft.issuer,
    });
    secretFile = path.join(cli.dataDir, 'secret');
  });
  after(async () => {
    await cli?.close();
    for (const sandbox of Object.values(sandboxes)) await sandbox.close();
  });

  it('kalends setup prints the address, every scope that is asked for, and how to go on', async () => {
    const { exitCode, stdout } = await cli.run(['setup', 'google']);

    assert.equal(exitCode, 0);
    for (const line of [
      `${URL}/connect/google/callback`,
      'openid  ',
      `${CALENDAR}.events.freebusy `,
      `${CALENDAR}.events.readonly `,
      `${CALENDAR}.events `,
      `${CALENDAR}.calendarlist.readonly `,
    ])
      assert.match(stdout, new RegExp(`^ +${RegExp.escape(line)}`, 'm'));
    assert.match(stdout, / setup google --client-id ID --client-secret-file FILE$/m);
    assert.equal(Math.max(...stdout.split('\n').map((line) => line.length)) <= 110, true);
  });

  it('kalends setup has the scopes of calendars themselves where those are asked for', async () => {
    const wide = await openCommandLine({ KALENDS_URL: URL, KALENDS_GOOGLE_CALENDARS: 'on' });
    const { document } = await wide.json('setup', 'google');
    await wide.close();

    const scopes = document.scopes as { scope: string; for: string[] }[];
    assert.deepEqual(scopes.find(({ scope }) => scope === `${CALENDAR}.calendars`)?.for, ['read-write']);
  });

  it('kalends setup has the permission for shared calendars where it is asked for', async () => {
    const wide = await openCommandLine({ KALENDS_URL: URL, KALENDS_MICROSOFT_SHARED_CALENDARS: 'on' });
    const { document } = await wide.json('setup', 'microsoft');
    await wide.close();

    const scopes = document.scopes as { scope: string; for: string[] }[];
    const shared = scopes.filter(({ scope }) => scope.endsWith('.Shared'));
    assert.deepEqual(shared, [
      { scope: 'Calendars.Read.Shared', for: ['read'] },
      { scope: 'Calendars.ReadWrite.Shared', for: ['read-write'] },
    ]);
  });

  it('kalends setup tells programs the same, and that nothing was checked', async () => {
    const { document } = await cli.json('setup', 'microsoft');

    assert.deepEqual(document, {
      provider: 'microsoft',
      console: 'https://entra.microsoft.com',
      redirect_uri: `${URL}/connect/microsoft/callback`,
      scopes: [
        ...['openid', 'profile', 'email', 'offline_access'].map((scope) => ({
          scope,
          for: ['free-busy', 'read', 'read-write'],
        })),
        { scope: 'Calendars.ReadBasic', for: ['free-busy'] },
        { scope: 'Calendars.Read', for: ['read'] },
        { scope: 'Calendars.ReadWrite', for: ['read-write'] },
      ],
      settings: ['KALENDS_MICROSOFT_CLIENT_ID', 'KALENDS_MICROSOFT_CLIENT_SECRET'],
      notice: null,
      check: null,
    });
  });

  it('kalends setup says when the provider will not take an address of plain http', async () => {
    const plain = await openCommandLine({ KALENDS_URL: 'http://127.0.0.1:8080' });
    const notices = await Promise.all(KINDS.map((kind) => plain.json('setup', kind)));
    await plain.close();

    assert.equal(notices[0]?.document.notice, null);
    assert.match(String(notices[1]?.document.notice), /^Microsoft accepts plain http only for localhost: /);
  });

  for (const kind of KINDS) {
    it(`kalends setup is content with an app that ${kind} accepts, and names the settings`, async () => {
      await writeFile(secretFile, `${kind}-secret\n`);
      const { exitCode, stdout } = await cli.run([
        ...['setup', kind, '--client-id', `${kind}-id`],
        ...['--client-secret-file', secretFile],
      ]);

      assert.equal(exitCode, 0, stdout);
      assert.match(stdout, new RegExp(`^ok  The provider accepts the provider app ${kind}-id\\.$`, 'm'));
      assert.match(stdout, new RegExp(`KALENDS_${kind.toUpperCase()}_CLIENT_ID`));
      assert.doesNotMatch(stdout, new RegExp(`${kind}-secret`));
    });

    it(`kalends setup ends with 1 where ${kind} refuses the app, or does not answer`, async () => {
      await writeFile(secretFile, 'wrong-secret');
      const args = ['setup', kind, '--client-id', `${kind}-id`, '--client-secret-file', secretFile];
      const refused = await cli.json(...args);
      const away = await openCommandLine({ [`KALENDS_${kind.toUpperCase()}_ISSUER`]: 'http://127.0.0.1:9' });
      const unanswered = await away.json(...args);
      await away.close();

      const statusOf = (document: Record<string, unknown>) => (document.check as { status: string }).status;
      assert.deepEqual([refused.exitCode, statusOf(refused.document)], [1, 'fail']);
      assert.deepEqual([unanswered.exitCode, statusOf(unanswered.document)], [1, 'warn']);
      assert.doesNotMatch(JSON.stringify(refused.document), /wrong-secret/);
    });
  }

  it('kalends setup refuses an id without a secret, and a file that is not there', async () => {
    const file = path.join(cli.dataDir, 'nothing');
    for (const [args, code] of [
      [['--client-id', 'x'], 2],
      [['--client-secret-file', file], 2],
      [['--client-id', 'x', '--client-secret-file', file], 1],
    ] as const)
      assert.equal((await cli.run(['setup', 'google', ...args])).exitCode, code, args.join(' '));
  });
});
