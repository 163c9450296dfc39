/**
 * Undici posting signed bodies as fast as it can: the ceiling of what delivers. Each has an id, a time and both signatures
 * of its own. Told over the IPC channel what to send; says when all were answered.
 */
import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';

import { Agent, request } from 'undici';

export type SendRequest = {
  readonly url: string;
  readonly body: string;
  readonly count: number;
  /** How many are under way at once. */
  readonly connections: number;
};
export type SenderMessage = { readonly ready: true } | { readonly sent: number };

const { privateKey } = generateKeyPairSync('ed25519');
const secret = randomBytes(32);

function signed(body: string): Record<string, string> {
  const id = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  const ofKey = `v1a,${sign(null, content, privateKey).toString('base64')}`;
  const ofSecret = `v1,${createHmac('sha256', secret).update(content).digest('base64')}`;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `${ofKey} ${ofSecret}`,
  };
}

async function sendAll({ url, body, count, connections }: SendRequest): Promise<number> {
  const dispatcher = new Agent({ connections });
  let left = count;
  const send = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await request(url, { dispatcher, method: 'POST', headers: signed(body), body });
      await answer.body.dump();
      if (answer.statusCode !== 204) throw new Error(`The receiver answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  await dispatcher.close();
  return count;
}

const tell = (message: SenderMessage) => process.send?.(message);
process.on('message', (request: SendRequest) => {
  sendAll(request).then((sent) => tell({ sent }));
});
process.on('disconnect', () => process.exit());
tell({ ready: true });
