/** One-time links that commands mail. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type SmtpServer, startSmtpServer, withSmtpServer } from '../harness/smtp-server.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

describe('kalends admin with a mail server', withSmtpServer, () => {
  let server: SmtpServer;
  let cli: CommandLine;
  before(async () => {
    server = await startSmtpServer();
    cli = await openCommandLine({
      KALENDS_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      KALENDS_MAIL_FROM: 'Kalends <kalends@example.com>',
    });
  });
  after(async () => {
    server.stop();
    await cli.close();
  });

  it('mails an invitation with an address and does not print its link', async () => {
    const { document } = await cli.json('admin', 'invite', 'ada@example.com');
    assert.deepEqual([document.mailed, document.email, 'url' in document], [true, 'ada@example.com', false]);
    const mail = (await server.mails()).at(-1);
    assert.deepEqual(mail?.to, ['ada@example.com']);
    // Long lines of quoted-printable text continue after "=" (RFC 2045 §6.7).
    const text = mail?.text.replaceAll('=\r\n', '') ?? '';
    assert.match(text, /^http:\/\/localhost:9\/dashboard\/join\/[\w-]{43}\r$/m);
  });

  it('prints the link of an invitation without an address, and with --link', async () => {
    const before = (await server.mails()).length;
    for (const args of [[], ['ben@example.com', '--link']]) {
      const { document } = await cli.json('admin', 'invite', ...args);
      assert.match(String(document.url), /\/dashboard\/join\//);
      assert.ok(!('mailed' in document) && !('mail_error' in document));
    }
    assert.equal((await server.mails()).length, before);
  });

  it('prints the link and the reason if the mail is refused', async () => {
    const { document, exitCode } = await cli.json('admin', 'invite', 'refused@example.com');
    assert.equal(exitCode, 0);
    assert.match(String(document.url), /\/dashboard\/join\//);
    assert.match(String(document.mail_error), /refused the sender or the recipient \(550\)/);
    assert.ok(!('mailed' in document));
  });
});

it('a sender without a mail server is a problem of the configuration, and the reverse', async () => {
  const from = await openCommandLine({ KALENDS_MAIL_FROM: 'kalends@example.com' });
  assert.match((await from.run(['admin', 'list'])).stderr, /KALENDS_SMTP_URL is missing/);
  const url = await openCommandLine({ KALENDS_SMTP_URL: 'smtps://u:hidden@mail.example.com' });
  const { stderr } = await url.run(['admin', 'list']);
  assert.match(stderr, /KALENDS_MAIL_FROM is missing/);
  assert.doesNotMatch(stderr, /hidden/);
  await Promise.all([from.close(), url.close()]);
});
