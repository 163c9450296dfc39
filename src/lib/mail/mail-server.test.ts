import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseMailSender, parseMailServer } from './mail-server.ts';

describe('the address of a mail server', () => {
  it('decides how the connection is encrypted', () => {
    const cases = {
      'smtps://mail.example.com': ['implicit', 465],
      'smtp://u:p@mail.example.com': ['required', 587],
      'smtp://u:p@127.0.0.1.example.com': ['required', 587],
      'smtp://mail.example.com:25/': ['offered', 25],
      'smtp://u:p@localhost:2525': ['none', 2525],
      'smtp://[::1]': ['none', 587],
    };
    for (const [text, expected] of Object.entries(cases)) {
      const { tls, port } = parseMailServer(text);
      assert.deepEqual([tls, port], expected, text);
    }
    const { user, password } = parseMailServer('smtps://a%40b:p%3aw@mail.example.com');
    assert.deepEqual([user, password], ['a@b', 'p:w']);
  });

  it('is refused without its text if it is anything else', () => {
    const texts = [
      'hidden',
      'http://hidden',
      'smtp://',
      'smtp://hidden@h',
      'smtp://h/hidden',
      'smtp://h?tls.hidden=1',
    ];
    for (const text of [...texts, 'smtp://u:%0d%0ahidden@h', 'smtp://u:%zzhidden@h'])
      assert.throws(
        () => parseMailServer(text),
        (error: Error) => !error.message.includes('hidden'),
        text,
      );
  });
});

it('the sender of mails is one address with an optional name', () => {
  assert.deepEqual(parseMailSender('Kalends, Inc. <k@example.com>'), {
    name: 'Kalends, Inc.',
    address: 'k@example.com',
  });
  assert.deepEqual(parseMailSender(' k@example.com '), { name: '', address: 'k@example.com' });
  for (const text of ['k', 'a@b, c@d', 'A <a@b> <c@d>', 'A\r\nBcc: x <a@b>', '"A" <a@b>', 'a@b\nc'])
    assert.throws(() => parseMailSender(text), /must be an address/, text);
});
