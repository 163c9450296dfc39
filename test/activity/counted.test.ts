/** Counts at their source: the steps of the flow, and responses to applications. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import Fastify from 'fastify';
import { startActivityCounter } from '../../src/activity/activity-counter.ts';
import { hearAnswers } from '../../src/http/answer-listener.ts';
import { connected } from '../connect/approvals.ts';
import { Browser, openConnect } from '../connect/connect-harness.ts';
import { collectedActivity } from '../harness/activity-notes.ts';
import { approve, exchange, openOAuthServer } from '../oauth/oauth-server.ts';
import { recordingLog } from '../servers/recording-log.ts';

describe('the funnel', () => {
  it('a flow counts once for each step, however often its pages are opened and forms sent', async () => {
    const notes = collectedActivity();
    const harness = await openConnect({ activityNotes: notes });
    const browser = new Browser(harness);
    const first = await browser.start({ user_id: 'ada' });
    await browser.link(first);
    const selection = await browser.link(first, 'bob@example.com');
    const consent = await browser.get(
      `/connect/consent?transaction=${/transaction=([\w-]+)/.exec(selection.location + selection.body)?.[1]}`,
    );
    await browser.submit(consent, '/connect/approve');
    await browser.submit(consent, '/connect/approve');
    const steps = notes.noted.map((one) => one.split(' ')[1]);

    await harness.close();
    assert.deepEqual(steps, [...['flow_started', 'flow_chosen', 'flow_linked', 'flow_allowed']]);
  });

  it('a returning user counts for the steps that they skip, and a refusal counts as such', async () => {
    const notes = collectedActivity();
    const harness = await openConnect({ activityNotes: notes });
    const { browser } = await connected(harness, { userId: 'ada', names: ['ada@example.com'] });
    const before = notes.noted.length;

    const page = await browser.start({ user_id: 'ada' });
    await browser.submit(page, '/connect/approve');
    const other = new Browser(harness);
    const cancelled = await other.start({ user_id: 'bea' });
    await other.submit(cancelled, '/connect/cancel');

    await harness.close();
    assert.deepEqual(
      notes.noted.slice(before).map((one) => one.split(' ')[1]),
      ['flow_started', 'flow_chosen', 'flow_linked', 'flow_allowed', 'flow_started', 'flow_denied'],
    );
  });
});

describe('an exchange', () => {
  it('counts once, however often its code is sent', async () => {
    const server = await openOAuthServer();
    await approve(server);

    for (let count = 0; count < 3; count++) await exchange(server.app);

    await server.close();
    assert.deepEqual(server.noted, ['acme flow_exchanged']);
  });
});

describe('responses to applications', () => {
  it('each response to a proven caller is counted once as a request or an error, also without a request log', async () => {
    const counted: string[] = [];
    const addCounts = async (counts: readonly { activity: string; count: number }[]) => {
      counted.push(...counts.map(({ activity, count }) => `${activity} ${count}`));
    };
    const { log } = recordingLog();
    const counter = startActivityCounter({ activity: { addCounts }, log, now: () => 0 });
    const app = Fastify();
    app.decorateRequest('asker', undefined);
    app.decorateRequest('refusalBody', undefined);
    hearAnswers(app, { answerCounter: counter }, { since: () => undefined, now: () => 0 });
    app.get('/calls/:status', async (request, reply) => {
      request.asker = { clientId: 'acme' };
      return reply.code(Number((request.params as { status: string }).status)).send('');
    });

    app.get('/claimed', async (request, reply) => {
      request.asker = { clientId: 'acme', isClaimed: true };
      return reply.code(401).send('');
    });

    for (const status of [200, 204, 303, 401, 500]) await app.inject(`/calls/${status}`);
    await app.inject('/nowhere');
    await app.inject('/claimed');
    await counter.stop();
    await app.close();

    assert.deepEqual(counted, ['calls 3', 'refusals 2']);
  });
});
