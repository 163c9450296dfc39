import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';

import { type SandboxClock, sandboxClock } from '../../../sandbox/core/clock.ts';
import { COMMON_FAULTS } from '../../../sandbox/core/common-faults.ts';
import { controlRoute } from '../../../sandbox/core/control.route.ts';
import { type Faults, faultBoard } from '../../../sandbox/core/faults.ts';
import { createServer } from '../../../src/http/server.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const DAY = 86_400_000;

describe('the sandbox’s controls', () => {
  let app: ReturnType<typeof createServer>;
  let faults: Faults;
  let clock: SandboxClock;
  const opened: { close(): Promise<unknown> }[] = [];
  const json = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
  const form = (url: string, fields: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });

  beforeEach(async () => {
    faults = faultBoard();
    clock = sandboxClock(() => NOW);
    app = createServer({ log: recordingLog().log, trustProxy: undefined, secure: false });
    await app.register(controlRoute({ clock, faults }));
    opened.push(app);
  });
  after(() => Promise.all(opened.map((server) => server.close())));

  it('the controls set a fault, list it and clear it by its id', async () => {
    const effect = { kind: 'status', status: 403, reason: 'quotaExceeded', retryAfter: 3 };
    const fault = { provider: 'google', operation: 'write', user: 'a@b.c', times: 2, skip: 1, effect };

    const made = await json('POST', '/control/faults', fault);
    const { id } = made.json();
    const listed = await app.inject('/control/faults');
    const cleared = await json('DELETE', `/control/faults/${id}`);

    assert.equal(made.statusCode, 201);
    assert.deepEqual(listed.json(), { faults: [{ ...fault, id }] });
    assert.equal(cleared.statusCode, 204);
    assert.deepEqual(faults.list(), []);
    assert.equal((await json('DELETE', `/control/faults/${id}`)).statusCode, 404);
  });

  it('the controls clear every fault at once', async () => {
    faults.set({ provider: 'google', effect: { kind: 'reset' } });
    faults.set({ provider: 'caldav', effect: { kind: 'reset' } });

    await json('DELETE', '/control/faults');

    assert.deepEqual(faults.list(), []);
  });

  for (const [what, fault] of [
    ['names no provider', { effect: { kind: 'reset' } }],
    ['names an unknown provider', { provider: 'yahoo', effect: { kind: 'reset' } }],
    ['has an unknown effect', { provider: 'google', effect: { kind: 'explode' } }],
    ['has latency without milliseconds', { provider: 'google', effect: { kind: 'latency' } }],
    ['has a status without a number', { provider: 'google', effect: { kind: 'status' } }],
    ['has a status that is no error', { provider: 'google', effect: { kind: 'status', status: 200 } }],
    ['befalls no request', { provider: 'google', times: 0, effect: { kind: 'reset' } }],
  ] as const) {
    it(`the controls refuse a fault that ${what}, saying which field`, async () => {
      const response = await json('POST', '/control/faults', fault);

      assert.equal(response.statusCode, 400);
      assert.match(response.json().message, /provider|effect|times/);
      assert.deepEqual(faults.list(), []);
    });
  }

  it('the controls turn the clock by milliseconds and by a duration, and back', async () => {
    await json('POST', '/control/clock', { turn: 60_000 });
    const turned = await json('POST', '/control/clock', { turn: 'P7DT1H' });
    const read = await app.inject('/control/clock');
    const back = await json('POST', '/control/clock', { reset: true });

    assert.equal(turned.json().now, NOW + 60_000 + 7 * DAY + 3_600_000);
    assert.deepEqual(read.json(), { now: turned.json().now, iso: '2026-11-28T09:01:00.000Z' });
    assert.equal(back.json().now, NOW);
  });

  for (const turn of ['tomorrow', 'P9999999Y', -5, 0, '', '-P1D', true]) {
    it(`the controls refuse to turn the clock by ${JSON.stringify(turn)}`, async () => {
      const response = await json('POST', '/control/clock', { turn });

      assert.equal(response.statusCode, 400);
      assert.match(response.json().message, /turn/);
      assert.equal(clock.now(), NOW);
    });
  }

  it('the controls answer nobody who comes under a name of another host or from another site', async () => {
    const renamed = await app.inject({ url: '/control/faults', headers: { host: 'evil.example' } });
    const foreign = await app.inject({
      method: 'POST',
      url: '/control/switch-off',
      headers: { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
      payload: '',
    });

    assert.deepEqual([renamed.statusCode, foreign.statusCode], [403, 403]);
  });

  it('the controls have a page whose every control has a name and that needs no script', async () => {
    faults.set({ provider: 'google', effect: { kind: 'reset' } });

    const { body, headers } = await app.inject('/control');

    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(body, /<script|style="|onclick/);
    for (const field of body.matchAll(/<(?:select|input)(?![^>]*type="hidden")[^>]*>/g)) {
      const before = body.slice(0, field.index);
      assert.ok(before.lastIndexOf('<label>') > before.lastIndexOf('</label>'), `unlabelled: ${field[0]}`);
    }
    assert.match(body, /aria-label="Switch off: Connections are reset, Google"/);
  });

  it('the controls have a switch on the page for every common fault at every provider that knows it', async () => {
    for (const { name, at } of COMMON_FAULTS) {
      for (const [provider, fault] of Object.entries(at)) {
        const response = await form('/control/switch-on', { whom: provider, fault: name, times: '2' });

        assert.equal(response.statusCode, 303);
        const [{ id: _, ...set } = { id: '' }] = faults.list();
        assert.deepEqual(set, { provider, times: 2, ...fault });
        faults.clear();
      }
    }
  });

  it('the controls say on the page’s forms what cannot be switched on', async () => {
    const refused = [
      { whom: 'caldav', fault: 'secret', says: 'cannot happen at CalDAV' },
      { whom: 'google', fault: 'no', says: 'Choose a fault' },
      { whom: 'google nobody@gmail.example', fault: 'slow', says: 'Choose who is affected' },
      { whom: 'google', fault: 'slow', times: '-1', says: 'a whole number' },
    ];

    for (const { says, ...fields } of refused) {
      const { statusCode, headers, body } = await form('/control/switch-on', fields);
      assert.equal(statusCode, 400);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(body, new RegExp(`role="alert">[^<]*${says}`));
    }
    assert.deepEqual(faults.list(), []);
  });

  it('the controls turn the clock and switch faults off by the page’s buttons', async () => {
    faults.set({ provider: 'google', effect: { kind: 'reset' } });

    await form('/control/turn', { turn: 'P8D' });
    await form('/control/switch-off', {});
    const { body } = await app.inject('/control?done=turned');

    assert.equal(clock.now(), NOW + 8 * DAY);
    assert.match(body, /The clock was moved/);
    assert.match(body, /8 days ahead of this machine/);
    assert.deepEqual(faults.list(), []);
  });

  it('the controls say nothing on the page that its address made up', async () => {
    const made = await app.inject('/control?done=%3Cb%3Eyours%3C%2Fb%3E');
    const inherited = await app.inject('/control?done=toString');

    for (const { statusCode, body } of [made, inherited]) {
      assert.equal(statusCode, 200);
      assert.doesNotMatch(body, /yours|class="notice/);
    }
  });
});
