/** Tests that the shipped program delivers webhooks to applications that receive them with the published client. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { kalends, type ReceivedWebhook, type WebhookReceiver } from '../../packages/client/src/kalends.ts';
import { type Program, type Registration, startProgram } from '../harness/program.ts';
import { FRAMEWORKS } from './receiving-servers.ts';

describe('webhooks from the running program to the published client', () => {
  let program: Program;
  let application: Registration;
  let secret: string;
  before(async () => {
    program = await startProgram();
    application = await program.createClient();
    const url = 'http://127.0.0.1:9/webhooks';
    const updated = await program.command('client', 'update', application.clientId, '--webhook-url', url);
    secret = String(updated.webhook_secret);
  });
  after(() => program?.dispose());

  /** Returns what the receiver was given, and the status that the program saw. */
  const deliverTest = async (
    { open }: (typeof FRAMEWORKS)[number],
    verify: WebhookReceiver['verify'],
  ): Promise<{ status: unknown; received: ReceivedWebhook[] }> => {
    const received: ReceivedWebhook[] = [];
    const server = await open({ verify, receive: (webhook) => received.push(webhook) });
    const { clientId } = application;
    try {
      await program.command('client', 'update', clientId, '--webhook-url', `${server.url}/webhooks`);
      const { status } = await program.command('webhook', 'test', `we_${clientId}`);
      return { status, received };
    } finally {
      await server.close();
    }
  };

  for (const framework of FRAMEWORKS.filter(({ name }) => /raw$|Fastify|Hono/.test(name)))
    it(`a webhook of the program is accepted in ${framework.name} by the endpoint’s secret and by the service’s keys`, async () => {
      const client = kalends({ url: program.url, ...application });

      for (const verify of [{ secret }, client.webhook]) {
        const { status, received } = await deliverTest(framework, verify);

        const [webhook] = received;
        assert.equal(status, 204);
        assert.match(String(webhook?.id), /^msg_/);
        assert.deepEqual(Reflect.get(Object(webhook?.payload.metadata), 'clientId'), application.clientId);
        assert.equal(received.length, 1);
      }
    });
});
