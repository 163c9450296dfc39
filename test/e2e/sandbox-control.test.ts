/** The sandbox's control endpoints, as a program in another language uses them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { counterpart } from '../harness/counterpart.ts';
import { freePort } from '../harness/loopback.ts';
import { openBrowser } from './browser.ts';
import { authorizeUrl, exchange, tokensOf } from './flow.ts';
import { connectAtGoogle, GOOGLE_USER } from './sandbox-google.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPT = path.resolve(import.meta.dirname, '../sandbox/control_client.py');

describe('the controls of the sandbox', counterpart('Python', PYTHON), () => {
  let sandbox: Sandbox;
  let port: number;
  before(async () => {
    port = await freePort();
    const webhookUrl = `http://127.0.0.1:${port}/webhooks`;
    sandbox = await startSandbox({ redirectUris: ['http://localhost:9/callback'], webhookUrl });
  });
  after(() => sandbox?.close());

  it('let a Python program change events, expire cursors and withdraw access, and it receives the effects', async () => {
    const [own] = sandbox.ownApplications;
    assert.ok(own !== undefined);
    const application = { ...own, url: sandbox.kalends.url };
    const browser = openBrowser();
    await browser.open(authorizeUrl(application, { userId: 'ada' }));
    await connectAtGoogle(browser);
    const { accessToken } = await tokensOf(await exchange(application, 'ada'));

    const seen = await runScript({
      ...{ url: application.url, control_url: sandbox.controlUrl, client_id: own.clientId, user_id: 'ada' },
      ...{ webhook_secret: sandbox.webhookSecret, access_token: accessToken, port },
      ...{ provider: 'google', user: GOOGLE_USER },
    });

    assert.deepEqual(seen.changes, [['created'], ['updated'], ['updated'], ['deleted']]);
    const times = { start: '2027-03-16T11:30:00', end: '2027-03-16T12:30:00', timeZone: 'Europe/Berlin' };
    assert.partialDeepStrictEqual(seen.moved, { title: 'Changed in Python', ...times });
    assert.deepEqual(seen.mistakes, [['user'], ['event'], ['end'], ['action'], ['user_id'], ['client_id']]);
    assert.deepEqual(seen.cursors, { before: 200, after: [410, 'cursor_expired'], reset: true });
    assert.deepEqual(seen.write, [403, 'reauth_required']);
  });
});

async function runScript(settings: object): Promise<Record<string, unknown>> {
  const child = spawn(PYTHON, [SCRIPT], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(settings));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.notEqual(output, '', errors);
  return JSON.parse(output);
}
