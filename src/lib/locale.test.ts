import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chooseLocale, directionOf, matchLocale } from './locale.ts';

const SHIPPED = ['en', 'fr', 'de', 'pt-PT', 'pt-BR', 'he', 'no', 'zh-Hans', 'ar'];

describe('matchLocale', () => {
  const cases: [tag: string, match: string | undefined][] = [
    ['fr', 'fr'],
    ['FR', 'fr'],
    ['pt-BR', 'pt-BR'],
    ['pt_br', 'pt-BR'],
    ['de-CH', 'de'],
    ['pt', 'pt-PT'],
    ['pt-AO', 'pt-PT'],
    ['zh-Hans-CN', 'zh-Hans'],
    ['zh', 'zh-Hans'],
    ['iw', 'he'],
    ['iw-IL', 'he'],
    ['nb', 'no'],
    ['nn-NO', 'no'],
    ['no', 'no'],
    ['tlh', undefined],
    ['', undefined],
    ['-', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
    [`fr${'-x'.repeat(5000)}`, 'fr'],
  ];
  for (const [tag, match] of cases) {
    it(`reads ${JSON.stringify(tag.slice(0, 20))} as ${match ?? 'no catalogue'}`, () => {
      assert.equal(matchLocale(tag, SHIPPED), match);
    });
  }
});

describe('chooseLocale', () => {
  it('takes the language named outright before the browser’s', () => {
    assert.equal(chooseLocale({ named: 'ar', acceptLanguage: 'fr' }, SHIPPED), 'ar');
  });

  it('falls to English when the language named is unknown, whatever the browser asks for', () => {
    assert.equal(chooseLocale({ named: 'tlh', acceptLanguage: 'fr' }, SHIPPED), 'en');
  });

  it('follows the weights of Accept-Language, not its order', () => {
    assert.equal(chooseLocale({ acceptLanguage: 'fr;q=0.4, de;q=0.9, tlh' }, SHIPPED), 'de');
  });

  it('leaves out what the browser refuses with q=0', () => {
    assert.equal(chooseLocale({ acceptLanguage: 'fr;q=0, *;q=0.5' }, SHIPPED), 'en');
  });

  it('falls to English without any wish, and with unreadable ones', () => {
    for (const acceptLanguage of [undefined, '', ';;q', 'fr;q=abc', ',,,', '*']) {
      assert.equal(chooseLocale({ acceptLanguage }, SHIPPED), 'en');
    }
  });
});

describe('directionOf', () => {
  it('writes Arabic, Hebrew and Persian from right to left, and nothing else shipped', () => {
    const directions = ['ar', 'he', 'fa', 'iw', 'ar-EG', 'en', 'fr', 'zh-Hans'].map(directionOf);

    assert.deepEqual(directions, ['rtl', 'rtl', 'rtl', 'rtl', 'rtl', 'ltr', 'ltr', 'ltr']);
  });
});
