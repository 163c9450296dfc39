import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { parseMailSender, parseMailServer } from '../../../src/lib/mail/mail-server.ts';
import { MailError, smtpMailer } from '../../../src/lib/mail/mailer.ts';
import { headersOf, type SmtpServer, startSmtpServer, withSmtpServer } from '../../harness/smtp-server.ts';

const FROM = parseMailSender('Kalends <kalends@example.com>');
const mailerAt = (url: string) => smtpMailer(parseMailServer(url), FROM);

describe('a mail at an SMTP server', withSmtpServer, () => {
  let server: SmtpServer;
  before(async () => {
    server = await startSmtpServer();
  });
  after(() => server.stop());

  it('arrives once, as plain text that no vacation reply answers', async () => {
    const before = (await server.mails()).length;
    const mail = { to: 'ada@example.com', subject: 'Zürich', text: 'Grüezi\n.\nEnd' };
    await mailerAt(`smtp://127.0.0.1:${server.port}`).send(mail);
    const [received, ...others] = (await server.mails()).slice(before);
    assert.ok(received && others.length === 0);
    assert.deepEqual([received.from, received.to], ['kalends@example.com', ['ada@example.com']]);
    assert.deepEqual(headersOf(received, 'From'), ['Kalends <kalends@example.com>']);
    assert.deepEqual(headersOf(received, 'Auto-Submitted'), ['auto-generated']);
    assert.match(headersOf(received, 'Content-Type')[0] ?? '', /^text\/plain/);
    assert.deepEqual(headersOf(received, 'X-Mailer'), []);
  });

  it('has only its own headers and recipients, whatever its subject and recipient contain', async () => {
    const mailer = mailerAt(`smtp://127.0.0.1:${server.port}`);
    const subjects = [
      'a\r\nBcc: eve@example.com',
      'a\n\nbody',
      'a\u2028Bcc: eve@example.com',
      '\u0000',
      'x'.repeat(5000),
    ];
    const start = (await server.mails()).length;
    for (const subject of subjects) await mailer.send({ to: 'ada@example.com', subject, text: 'The text' });
    const received = (await server.mails()).slice(start);
    assert.equal(received.length, subjects.length);
    for (const mail of received) {
      assert.deepEqual([mail.to, headersOf(mail, 'Bcc')], [['ada@example.com'], []]);
      assert.deepEqual(mail.text.split('\r\n\r\n').slice(1), ['The text\r\n']);
    }
    for (const to of ['a@b.c,eve@example.com', 'a@b.c>\r\nRCPT TO:<eve@example.com', '<a@b.c>', 'a b@c.d'])
      await assert.rejects(mailer.send({ to, subject: 's', text: 't' }), MailError);
    assert.equal((await server.mails()).length, start + subjects.length);
  });

  it('reads no file and no URL, whatever its text is', async () => {
    const text = 'file:///etc/passwd https://127.0.0.1/ {"path":"/etc/passwd"}';
    await mailerAt(`smtp://localhost:${server.port}`).send({ to: 'ada@example.com', subject: 's', text });
    assert.ok((await server.mails()).at(-1)?.text.includes(text));
  });

  it('reports a refused recipient without the text of the server', async () => {
    const mail = { to: 'refused@example.com', subject: 's', text: 't' };
    await assert.rejects(mailerAt(`smtp://127.0.0.1:${server.port}`).send(mail), {
      name: 'MailError',
      message: 'The mail server refused the sender or the recipient (550).',
    });
  });

  it('reports a server that cannot be reached', async () => {
    const mail = { to: 'ada@example.com', subject: 's', text: 't' };
    await assert.rejects(mailerAt('smtp://127.0.0.1:9').send(mail), {
      message: 'The mail server cannot be reached.',
    });
  });
});

describe('a password for the mail server', withSmtpServer, () => {
  let server: SmtpServer;
  const mail = { to: 'ada@example.com', subject: 's', text: 't' };
  before(async () => {
    server = await startSmtpServer({ auth: true });
  });
  after(() => server.stop());

  it('is sent without encryption only to this machine', async () => {
    // 0.0.0.0 leads to this machine too, but is no loopback address.
    const elsewhere = mailerAt(`smtp://kalends:s3cret-word@0.0.0.0:${server.port}`).send(mail);
    await assert.rejects(elsewhere, {
      message: 'The connection to the mail server cannot be encrypted (454).',
    });
    assert.deepEqual(await server.tried(), []);

    await mailerAt(`smtp://kalends:s3cret-word@127.0.0.1:${server.port}`).send(mail);
    assert.equal((await server.mails()).at(-1)?.signedIn, true);
  });

  it('is not in the error if it is wrong', async () => {
    const wrong = mailerAt(`smtp://kalends:wr0ng-word@127.0.0.1:${server.port}`).send(mail);
    const error = await wrong.catch((reason: unknown) => reason);
    assert.ok(error instanceof MailError);
    assert.match(
      error.message,
      /^The mail server refused the user and password of KALENDS_SMTP_URL \(535\)\.$/,
    );
    assert.doesNotMatch(JSON.stringify({ ...error, stack: error.stack, cause: error.cause }), /wr0ng-word/);
  });
});
