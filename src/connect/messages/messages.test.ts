/** How messages are chosen, found and formatted; what the catalogues must hold to is in catalogues.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from '../../http/html.ts';
import en from './locales/en.json' with { type: 'json' };
import { chooseLanguage, LANGUAGES, type MessageKey, messagesFor, nativeName } from './messages.ts';

describe('messages', () => {
  it('messages count in Arabic as Arabic does', () => {
    const texts = [1, 2, 3, 11, 100].map((count) => messagesFor('ar').text('consent.accounts', { count }));

    assert.deepEqual(texts, [
      'حساب تقويم واحد',
      'حسابا تقويم',
      '3 حسابات تقويم',
      '11 حساب تقويم',
      '100 حساب تقويم',
    ]);
  });

  it('messages escape and isolate the names they are told, and leave markup alone', () => {
    const { markup } = messagesFor('en');

    assert.equal(
      markup('selection.just_linked', { provider: '<b>\u202eX' }).markup,
      '<bdi>&#60;b&#62;\u202eX</bdi> is connected.',
    );
    assert.equal(
      markup('error.parameter_missing', { parameter: html`<code>x</code>` }).markup,
      'The link that brought you here is incomplete: <code>x</code> is missing.',
    );
  });

  it('messages are English where there is no catalogue', () => {
    assert.equal(messagesFor('tlh').language, 'en');
    assert.equal(messagesFor('constructor').language, 'en');
    assert.equal(messagesFor('../../../package').language, 'en');
  });
});

describe('the language of a request', () => {
  it('the language of a request is chosen among the catalogues', () => {
    assert.equal(chooseLanguage({ named: 'iw_IL' }), 'he');
    assert.equal(chooseLanguage({ named: 'pt-AO' }), 'pt-PT');
    assert.equal(chooseLanguage({ named: 'zh-TW' }), 'zh-Hans');
    assert.equal(chooseLanguage({ acceptLanguage: 'nb, fr;q=0.5' }), 'fr');
  });

  it('the language of a request can be a pseudo-locale when it is named, and never by what a browser accepts', () => {
    assert.equal(chooseLanguage({ named: 'EN_xa' }), 'en-XA');
    assert.equal(chooseLanguage({ named: 'ar-XB' }), 'ar-XB');
    assert.equal(chooseLanguage({ acceptLanguage: 'en-XA, fr;q=0.5' }), 'en');
    assert.equal(chooseLanguage({ acceptLanguage: 'ar-XB' }), 'ar');
    assert.equal(LANGUAGES.includes('en-XA'), false);
  });

  it('a language is called what its speakers call it, in the order of those names', () => {
    const names = LANGUAGES.map(nativeName);

    assert.deepEqual(names, [...names].sort(new Intl.Collator('en').compare));
    assert.equal(nativeName('pt-BR'), 'Português (Brasil)');
    assert.equal(nativeName('pt-PT'), 'Português (Portugal)');
    assert.equal(nativeName('zh-Hans'), '简体中文');
    assert.equal(nativeName('tr'), 'Türkçe');
    assert.equal(new Set(names).size, LANGUAGES.length);
  });
});

it('sentences stand apart by a blank, but not where the full stop brings its own', () => {
  const gaps = Object.groupBy(LANGUAGES, (language) => messagesFor(language).gap);

  assert.deepEqual(gaps[''], ['ja', 'zh-Hans']);
});

describe('the pseudo-locale', () => {
  // A JSON module's keys are what its type says.
  const keys = Object.keys(en) as MessageKey[];
  /** Every name and count that any message is told. */
  const values = Object.fromEntries(
    Object.values(en).flatMap((message) =>
      [...message.matchAll(/\{(\w+)(, plural,|, number\}|\})/g)].map(([, name = '', kind]) => {
        return [name, kind === '}' ? '<App>' : 5] as const;
      }),
    ),
  );
  const textsIn = (language: string) => keys.map((key) => messagesFor(language).text(key, values));

  it('en-XA puts every message in brackets, and leaves names and numbers as they are', () => {
    for (const [index, text] of textsIn('en-XA').entries()) {
      const english = messagesFor('en').text(keys[index] ?? 'back', values);

      assert.match(text, /^\[.*\]$/s);
      assert.doesNotMatch(text.replaceAll('<App>', ''), /[a-zA-Z]/);
      assert.equal(text.split('<App>').length, english.split('<App>').length);
      assert.equal(/\b5\b/.test(text), /\b5\b/.test(english));
    }
  });

  it('en-XA is two fifths longer than English, as translations can be', () => {
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
