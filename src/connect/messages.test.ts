/** The catalogues: complete, used, and right where a language counts differently. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { html } from '../http/html.ts';
import en from './locales/en.json' with { type: 'json' };
import { chooseLanguage, LANGUAGES, messagesFor } from './messages.ts';

const FOLDER = new URL('./', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const catalogueOf = (language: string): Record<string, string> =>
  JSON.parse(read(`locales/${language}.json`));
const keys = Object.keys(en);
/** The names in braces that a message is told, plural branches aside. */
const argumentsOf = (message: string) =>
  [...new Set([...message.matchAll(/\{(\w+)(?=\}|, plural)/g)].map(([, name]) => name))].sort();

describe('the catalogues', () => {
  it('are those of the folder', () => {
    const files = readdirSync(new URL('locales/', FOLDER)).map((file) => file.replace('.json', ''));

    assert.deepEqual(files.sort(), [...LANGUAGES].sort());
  });

  for (const language of LANGUAGES) {
    const catalogue = catalogueOf(language);

    it(`have every message in ${language}, told the same, and no other`, () => {
      assert.deepEqual(Object.keys(catalogue), keys);
      for (const [key, english] of Object.entries(en)) {
        assert.deepEqual(argumentsOf(catalogue[key] ?? ''), argumentsOf(english), key);
      }
    });

    it(`have every plural form that ${language} has, and no message that cannot be formatted`, () => {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [key, message] of Object.entries(catalogue)) {
        if (message.includes(', plural,')) {
          // Spanish and French count millions apart; nothing here does.
          for (const form of forms.filter((name) => name !== 'many' || language === 'ar')) {
            assert.match(message, new RegExp(`\\b${form} \\{`), key);
          }
        }
        // Every key of a catalogue is one of English: asserted above.
        const told = {
          minutes: 3,
          count: 3,
          app: 'A',
          provider: 'P',
          account: 'a',
          domain: 'd',
          title: 't',
          parameter: 'p',
        };
        const text = messagesFor(language).text(key as keyof typeof en, told);
        assert.doesNotMatch(text, /[{}]/, key);
      }
    });
  }

  for (const language of LANGUAGES.filter((other) => other !== 'en')) {
    it(`are not English in ${language}`, () => {
      const catalogue = catalogueOf(language);
      const same = Object.entries(en).filter(
        ([key, english]) => catalogue[key] === english && /\s/.test(english),
      );

      assert.deepEqual(same, []);
    });
  }

  it('have no message that nothing shows', () => {
    const sources = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const code = sources.map(read).join('\n');

    assert.deepEqual(
      keys.filter((key) => !code.includes(`'${key}'`)),
      [],
    );
  });
});

describe('messages', () => {
  it('count in Arabic as Arabic does', () => {
    const texts = [1, 2, 3, 11, 100].map((count) => messagesFor('ar').text('consent.accounts', { count }));

    assert.deepEqual(texts, [
      'حساب تقويم واحد',
      'حسابا تقويم',
      '3 حسابات تقويم',
      '11 حساب تقويم',
      '100 حساب تقويم',
    ]);
  });

  it('escape and isolate the names they are told, and leave markup alone', () => {
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

  it('are English where there is no catalogue', () => {
    assert.equal(messagesFor('tlh').language, 'en');
    assert.equal(messagesFor('constructor').language, 'en');
    assert.equal(chooseLanguage({ named: 'iw_IL' }), 'he');
    assert.equal(chooseLanguage({ acceptLanguage: 'nb, fr;q=0.5' }), 'fr');
  });
});
