/** Deliveries to two endpoints of an application, and the secrets in them. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until as becomes } from '../harness/until.ts';
import { openReceiver, type Received } from '../webhooks/receiver.ts';
import type { TokenPair } from './flow.ts';
import type { Site } from './site.ts';

/** Longer than the lease of what failed while messages could not be stored. */
const PATIENCE_MS = 60_000;
/** The body of a receiver's responses. */
const ANSWER = 'canary-answer-of-a-receiver';
/** Titles and other texts of a calendar, which are in deliveries but in no log. */
export const EVENT_WORDS = {
  'the title of an event': 'Canary Mc Title',
  'the location of an event': 'Canary Mc Location',
  'the title of an event whose delivery could not be stored': 'Canary Mc Failure',
};
const [TITLE, LOCATION, FAILED_TITLE] = Object.values(EVENT_WORDS);

/**
 * Causes deliveries to receivers that accept and refuse them, before and after a rotation of the secret, and once while
 * messages cannot be stored. `change` runs SQL on the database. Returns secrets by name: those of the endpoints, and
 * texts that only deliveries contain.
 */
export async function tellEverything(
  { program, application, calendars }: Site,
  { accessToken }: TokenPair,
  change: (sql: string) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map([['the answer of a receiver', ANSWER]]);
  const receiver = await openReceiver();
  receiver.answer = () => ({ status: 500, text: ANSWER });
  const noteSecret = async (name: string, ...command: readonly string[]) => {
    const shown = JSON.stringify(await program.command(...command));
    const secret = /whsec_([A-Za-z0-9+/]{40,})/.exec(shown)?.[1];
    assert.ok(secret !== undefined, `${command.join(' ')} shows a secret`);
    secrets.set(name, secret);
    return /we_[\w-]+/.exec(shown)?.[0] ?? '';
  };
  const until = async (found: () => Received | undefined): Promise<Received> => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
      const received = found();
      if (received !== undefined) return received;
    }
    throw new Error(`Not told: ${JSON.stringify(receiver.received.map(({ body }) => body))}`);
  };
  const telling = (title: string | undefined) =>
    until(() =>
      receiver.received.findLast(({ body }) => body.events?.some((event) => event.title === title)),
    );
  const create = async (title: string | undefined) => {
    const start = '2026-12-01T09:00:00Z';
    const calendarId = calendars.calendarUrl('ada', 'work');
    const event = { provider: 'caldav', calendarId, title, location: LOCATION };
    const answer = await fetch(`${application.url}/event`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...event, start, end: start.replace('T09', 'T10') }),
    });
    assert.equal(answer.status, 200, await answer.text());
  };

  try {
    const { clientId } = application;
    await noteSecret(
      'the secret of the webhook URL',
      ...['client', 'update', clientId, '--webhook-url', receiver.url],
    );
    const endpointId = await noteSecret(
      'the secret of an endpoint',
      ...['webhook', 'add', clientId, '--url', `${receiver.url}/own`, '--own'],
      ...['--hears', 'events,calendars,connections'],
    );
    await create(TITLE);
    await telling(TITLE);
    await noteSecret('a rotated secret', 'webhook', 'rotate-secret', endpointId);
    receiver.answer = () => ({ status: 200, text: ANSWER });
    await program.command('webhook', 'resume', endpointId);
    const { metadata } = (await telling(TITLE)).body;
    secrets.set('the cursor in a body', String(metadata.cursor));
    await program.command('webhook', 'test', endpointId);

    await change('ALTER TABLE webhook_message RENAME TO hidden');
    const from = program.output().stderr.length;
    await create(FAILED_TITLE);
    const hasFailed = () => program.output().stderr.slice(from).includes('webhook_message');
    await becomes('the worker has failed', hasFailed);
    await change('ALTER TABLE hidden RENAME TO webhook_message');
    await telling(FAILED_TITLE);
  } finally {
    receiver.close();
  }
  return secrets;
}
