/** Tests the choice, lookup and formatting of messages. The rules for catalogs are in catalogues.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from '../../http/html.ts';
import en from './locales/en.json' with { type: 'json' };
import { chooseLanguage, LANGUAGES, type MessageKey, messagesFor, nativeName } from './messages.ts';

describe('messages', () => {
  it('use the Arabic plural forms', () => {
    const texts = [1, 2, 3, 11, 100].map((count) => messagesFor('ar').text('consent.accounts', { count }));

    assert.deepEqual(texts, [
      'حساب تقويم واحد',
      'حسابا تقويم',
      '3 حسابات تقويم',
      '11 حساب تقويم',
      '100 حساب تقويم',
    ]);
  });

  it('escape and isolate names, but not markup', () => {
    const { markup } = messagesFor('en');

    assert.equal(
      markup('selection.just_linked', { account: '<b>\u202eX' }).markup,
      '<bdi>&#60;b&#62;\u202eX</bdi> is connected.',
    );
    assert.equal(
      markup('error.parameter_missing', { parameter: html`<code>x</code>` }).markup,
      'The link that brought you here is incomplete: <code>x</code> is missing.',
    );
  });

  it('are English if there is no catalog', () => {
    assert.equal(messagesFor('tlh').language, 'en');
    assert.equal(messagesFor('constructor').language, 'en');
    assert.equal(messagesFor('../../../package').language, 'en');
  });
});

describe('the language of a request', () => {
  it('is one of the catalogs', () => {
    assert.equal(chooseLanguage({ named: 'iw_IL' }), 'he');
    assert.equal(chooseLanguage({ named: 'pt-AO' }), 'pt-PT');
    assert.equal(chooseLanguage({ named: 'zh-TW' }), 'zh-Hans');
    assert.equal(chooseLanguage({ acceptLanguage: 'nb, fr;q=0.5' }), 'fr');
  });

  it('is a pseudo-locale only if it is named, never by what a browser accepts', () => {
    assert.equal(chooseLanguage({ named: 'EN_xa' }), 'en-XA');
    assert.equal(chooseLanguage({ named: 'ar-XB' }), 'ar-XB');
    assert.equal(chooseLanguage({ acceptLanguage: 'en-XA, fr;q=0.5' }), 'en');
    assert.equal(chooseLanguage({ acceptLanguage: 'ar-XB' }), 'ar');
    assert.equal(LANGUAGES.includes('en-XA'), false);
  });

  it('has its native name, and languages are sorted by it', () => {
    const names = LANGUAGES.map(nativeName);

    assert.deepEqual(names, [...names].sort(new Intl.Collator('en').compare));
    assert.equal(nativeName('pt-BR'), 'Português (Brasil)');
    assert.equal(nativeName('pt-PT'), 'Português (Portugal)');
    assert.equal(nativeName('zh-Hans'), '简体中文');
    assert.equal(nativeName('tr'), 'Türkçe');
    assert.equal(new Set(names).size, LANGUAGES.length);
  });
});

it('sentences are separated by a space unless the full stop includes it', () => {
  const gaps = Object.groupBy(LANGUAGES, (language) => messagesFor(language).gap);

  assert.deepEqual(gaps[''], ['ja', 'zh-Hans']);
});

describe('the pseudo-locale', () => {
  // The module's type guarantees its keys.
  const keys = Object.keys(en) as MessageKey[];
  const values = Object.fromEntries(
    Object.values(en).flatMap((message) =>
      [...message.matchAll(/\{(\w+)(, plural,|, number\}|\})/g)].map(([, name = '', kind]) => {
        return [name, kind === '}' ? '<App>' : 5] as const;
      }),
    ),
  );
  const textsIn = (language: string) => keys.map((key) => messagesFor(language).text(key, values));

  it('en-XA puts every message in brackets, but does not change names and numbers', () => {
    for (const [index, text] of textsIn('en-XA').entries()) {
      const english = messagesFor('en').text(keys[index] ?? 'back', values);

      assert.match(text, /^\[.*\]$/s);
      assert.doesNotMatch(text.replaceAll('<App>', ''), /[a-zA-Z]/);
      assert.equal(text.split('<App>').length, english.split('<App>').length);
      assert.equal(/\b5\b/.test(text), /\b5\b/.test(english));
    }
  });

  it('en-XA is at least 40 percent longer than English, as translations can be', () => {
    const lengthIn = (language: string) => textsIn(language).join('').length;

    assert.ok(lengthIn('en-XA') / lengthIn('en') > 1.4, String(lengthIn('en-XA') / lengthIn('en')));
  });

  it('ar-XB is English from right to left', () => {
    const { direction, language, text } = messagesFor('ar-XB');

    assert.deepEqual([direction, language], ['rtl', 'ar-XB']);
    assert.equal(text('back'), `\u202e${en.back}\u202c`);
    assert.match(text('link.rate_limited', { minutes: 1 }), /minute\./);
    assert.match(text('link.rate_limited', { minutes: 2 }), /minutes\./);
  });
});
