/** Alerts of the shipped program: both signatures of the webhook are valid, and no secret is in its log. */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { runHere } from '../harness/command-here.ts';
import { startProgram } from '../harness/program.ts';
import { openReceiver } from '../webhooks/receiver.ts';

const KEY = 'canary-environment-key-of-32-characters';
const SECRET = `whsec_${Buffer.from('canary secret of 32 bytes in all').toString('base64')}`;

it('signs with the keys of the instance and the secret, and logs no secret', async (t) => {
  const receiver = await openReceiver();
  t.after(() => receiver.close());
  const program = await startProgram({
    env: {
      KALENDS_ADMIN_KEY: KEY,
      KALENDS_SMTP_URL: 'smtp://canary-user:canary-password@127.0.0.1:9',
      KALENDS_MAIL_FROM: 'kalends@example.com',
      KALENDS_ALERT_EMAIL: 'ada@example.com',
      KALENDS_ALERT_WEBHOOK_URL: `${receiver.url}/canary-path`,
      KALENDS_ALERT_WEBHOOK_SECRET: SECRET,
      KALENDS_LOG_LEVEL: 'debug',
    },
  });
  t.after(() => program.dispose());
  const there = (key: string, ...args: string[]) =>
    runHere([...args, '--server', program.url], { env: { KALENDS_ADMIN_KEY: key } });
  const created = JSON.parse(
    (await there(KEY, 'admin', 'key', 'create', '--name', 'CI', '--role', 'owner', '--json')).stdout,
  );
  const outputs = [
    await there(created.key, 'alert', 'test'),
    await there(created.key, 'admin', 'invite', 'bob@example.com', '--role', 'viewer'),
    await there(`${created.key}x`, 'alert', 'test'),
  ];

  const [{ headers, raw } = assert.fail()] = receiver.received;
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  assert.equal((new Webhook(SECRET).verify(raw, texts) as { type: string }).type, 'alert.test');
  const { keys } = await (await fetch(`${program.url}/.well-known/webhook-keys`)).json();
  const [, signature = ''] = /\bv1a,(\S+)/.exec(texts['webhook-signature'] ?? '') ?? [];
  const content = Buffer.from(`${texts['webhook-id']}.${texts['webhook-timestamp']}.${raw}`);
  const x = Buffer.from(keys[0].key.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert.ok(verify(null, content, key, Buffer.from(signature, 'base64')));

  await program.stop();
  const { stdout, stderr } = program.output();
  const written = stdout + stderr + JSON.stringify(outputs);
  assert.match(written, /admin_key_refused/);
  assert.doesNotMatch(written, /canary/);
  assert.ok(!written.includes(created.key) && !written.includes(SECRET.slice('whsec_'.length)));
});
