import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FACT_READERS, readPrimaryColor, readSupportEmail } from './look-input.ts';

describe('the branding and facts of an application', () => {
  const accepted: [what: string, read: (text: string) => string, text: string, value: string][] = [
    ['a color in lower case', readPrimaryColor, '#1F4fD8', '#1f4fd8'],
    ['a short color written out', readPrimaryColor, '#aF3', '#aaff33'],
    ['an e-mail address', readSupportEmail, 'Help+calendar@Example.co.uk', 'Help+calendar@Example.co.uk'],
    ['an e-mail address beyond ASCII', readSupportEmail, 'hilfe@bücher.example', 'hilfe@bücher.example'],
    [
      'a page',
      FACT_READERS.supportUrl,
      'https://example.com/help?a=b#top',
      'https://example.com/help?a=b#top',
    ],
  ];
  for (const [what, read, text, value] of accepted) {
    it(`accept ${what}`, () => assert.equal(read(text), value));
  }

  const refused: [what: string, read: (text: string) => string, texts: string[], sentence: RegExp][] = [
    [
      'a color that is not two or one hex digits each',
      readPrimaryColor,
      ['red', '1f4fd8', '#1f4fd', '#1f4fd8ff', '#12g', 'rgb(0,0,0)', '#000;}body{', '#000000\n', ''],
      /^The primary color must be #rrggbb or #rgb, such as #1f4fd8$/,
    ],
    [
      'what is not one address, or means more in a link',
      readSupportEmail,
      ['help', 'a@b', '@b.example', 'a@b.example, c@d.example', 'A <a@b.example>', 'a@b.example?subject=x']
        .concat(['a&cc=x@b.example', 'a%0a@b.example', '"a b"@c.example', 'a@-b.example', 'a@b.example\n'])
        .concat(['a\u202e@b.example', `${'a'.repeat(250)}@b.example`, 'mailto:a@b.example']),
      /^The support email must be one address/,
    ],
    [
      'what is not an absolute https address',
      FACT_READERS.supportUrl,
      ['example.com', '/help', 'http://example.com/', 'javascript:alert(1)', 'mailto:a@b.example']
        .concat(['https://exa mple.com/', 'https://ex\u202eample.com/', 'https://', 'https://a.example/"x'])
        .concat([`https://a.example/${'a'.repeat(2100)}`, 'https:\\\\a.example\\'])
        .concat(['https:a.example', 'https:/a.example', 'https:///a.example']),
      /^The support URL must be an absolute https address/,
    ],
    [
      'an address with credentials',
      FACT_READERS.supportUrl,
      ['https://ada:pw@a.example/'],
      /no user name or password/,
    ],
  ];
  for (const [what, read, texts, sentence] of refused) {
    it(`refuse ${what}`, () => {
      for (const text of texts) assert.throws(() => read(text), { message: sentence, status: 400 }, text);
    });
  }
});
