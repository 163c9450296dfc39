import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chooseLocale, directionOf, matchLocale, prefersPage } from './content-negotiation.ts';

const SHIPPED = [
  ...['en', 'fr', 'de', 'pt-PT', 'pt-BR', 'he', 'no', 'zh-Hans', 'ar', 'fa'],
  ...['id', 'yi', 'fil', 'ro', 'sr'],
];

describe('matchLocale', () => {
  const rules: Readonly<Record<string, readonly [tag: string, match: string | undefined][]>> = {
    'finds the variant that is named, whatever its case and its separator': [
      ['fr', 'fr'],
      ['FR', 'fr'],
      ['pt-BR', 'pt-BR'],
      ['pt_br', 'pt-BR'],
      ['zh-Hans', 'zh-Hans'],
      ['ZH_HANS', 'zh-Hans'],
    ],
    'cuts off what no catalogue is made for: regions, spellings, extensions': [
      ['zh-Hans-CN', 'zh-Hans'],
      ['de-AT-1996', 'de'],
      ['en-u-ca-gregory', 'en'],
      ['fr-x-private', 'fr'],
      ['pt-BR-u-nu-latn', 'pt-BR'],
    ],
    'falls to the bare language': [
      ['de-CH', 'de'],
      ['en-GB', 'en'],
      ['ar-EG', 'ar'],
      ['fa-AF', 'fa'],
    ],
    'falls to the variant that stands for its language': [
      ['pt', 'pt-PT'],
      ['pt-AO', 'pt-PT'],
      ['zh', 'zh-Hans'],
      ['zh-CN', 'zh-Hans'],
      ['zh-SG', 'zh-Hans'],
      ['zh-TW', 'zh-Hans'],
      ['zh-Hant-HK', 'zh-Hans'],
      ['zh-min-nan', 'zh-Hans'],
      ['zh_min_nan', 'zh-Hans'],
      ['zh-cmn-Hans', 'zh-Hans'],
    ],
    'reads old and narrow codes as the ones catalogues are named by': [
      ['iw', 'he'],
      ['iw-IL', 'he'],
      ['in', 'id'],
      ['ji', 'yi'],
      ['nb', 'no'],
      ['nn-NO', 'no'],
      ['no', 'no'],
      ['tl', 'fil'],
      ['fil-PH', 'fil'],
      ['mo', 'ro'],
      ['sh', 'sr'],
      ['cmn-Hans', 'zh-Hans'],
      ['arb', 'ar'],
      ['prs-AF', 'fa'],
      ['IW_il', 'he'],
    ],
    'finds nothing for an unknown language and for what is no tag': [
      ['tlh', undefined],
      ['', undefined],
      ['-', undefined],
      ['*', undefined],
      ['ptt', undefined],
      ['__proto__', undefined],
      ['constructor', undefined],
    ],
    'reads no more of a tag than any tag has': [[`fr${'-x'.repeat(5000)}`, 'fr']],
  };
  for (const [rule, cases] of Object.entries(rules)) {
    it(`matching a language tag ${rule}`, () => {
      const matches = cases.map(([tag]) => [tag, matchLocale(tag, SHIPPED)]);

      assert.deepEqual(matches, cases);
    });
  }
});

describe('chooseLocale', () => {
  it('prefers an explicit language to that of the browser', () => {
    assert.equal(chooseLocale({ named: 'ar', acceptLanguage: 'fr' }, SHIPPED), 'ar');
  });

  it('returns English for an unknown explicit language, whatever the browser prefers', () => {
    assert.equal(chooseLocale({ named: 'tlh', acceptLanguage: 'fr' }, SHIPPED), 'en');
  });

  it('treats a blank explicit language as absent', () => {
    assert.equal(chooseLocale({ named: ' ', acceptLanguage: 'de' }, ['en', 'de']), 'de');
  });

  it('follows the weights of Accept-Language, not its order', () => {
    assert.equal(chooseLocale({ acceptLanguage: 'fr;q=0.4, de;q=0.9, tlh' }, SHIPPED), 'de');
    assert.equal(chooseLocale({ acceptLanguage: 'pt-AO, de;q=0.9' }, SHIPPED), 'pt-PT');
  });

  it('excludes languages with q=0', () => {
    assert.equal(chooseLocale({ acceptLanguage: 'fr;q=0, *;q=0.5' }, SHIPPED), 'en');
  });

  it('ignores `*`, which names no language', () => {
    assert.equal(chooseLocale({ acceptLanguage: '*, fr;q=0.5' }, SHIPPED), 'fr');
    assert.equal(chooseLocale({ acceptLanguage: 'tlh, *;q=0.9' }, SHIPPED), 'en');
  });

  it('returns English without a preference or with invalid ones', () => {
    for (const acceptLanguage of [undefined, '', ';;q', 'fr;q=abc', ',,,', '*']) {
      assert.equal(chooseLocale({ acceptLanguage }, SHIPPED), 'en');
    }
  });
});

describe('directionOf', () => {
  it('returns right to left for Arabic, Hebrew and Persian, and left to right for all other shipped languages', () => {
    const directions = ['ar', 'he', 'fa', 'iw', 'ar-EG', 'en', 'fr', 'zh-Hans'].map(directionOf);

    assert.deepEqual(directions, ['rtl', 'rtl', 'rtl', 'rtl', 'rtl', 'ltr', 'ltr', 'ltr']);
  });
});

describe('prefersPage', () => {
  const cases: [accept: string | undefined, page: boolean][] = [
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['text/html', true],
    ['application/json;q=0.5, text/html', true],
    ['TEXT/HTML', true],
    ['text/*', true],
    ['application/json', false],
    ['application/json, text/html;q=0.9', false],
    ['application/json, text/plain, */*', false],
    ['text/html;q=0', false],
    ['*/*', false],
    ['', false],
    [undefined, false],
    [';;q=,,', false],
  ];
  for (const [accept, page] of cases) {
    it(`selects ${page ? 'a page' : 'JSON'} for Accept ${JSON.stringify(accept)}`, () => {
      assert.equal(prefersPage(accept), page);
    });
  }
});
