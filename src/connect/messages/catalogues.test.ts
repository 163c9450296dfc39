/** The rules for every catalog: complete, in order, used, and written in the style of its language. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { IntlMessageFormat } from 'intl-messageformat';

import en from './locales/en.json' with { type: 'json' };
import { LANGUAGES, type MessageKey, messagesFor } from './messages.ts';

const LOCALES = new URL('locales/', import.meta.url);
const CONNECT = new URL('../', import.meta.url);
const readMessages = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${language}.json`, LOCALES), 'utf8'));
// The module's type guarantees its keys.
const KEYS = Object.keys(en) as MessageKey[];

const PROPER_NAMES =
  /Apple Account|CalDAV|Kalends|Nextcloud|iCloud|Google|Microsoft|Apple|Sign-In and Security|account\.apple\.com|https?:\/\/\S+/g;
/** The quotation marks of each language. The first pair is what its style guides require. */
const QUOTES: Readonly<Record<string, string>> = {
  de: '„“‚‘»«',
  en: '“”‘’',
  es: '«»“”',
  fr: '«»“”’',
  it: '«»“”’',
  nl: '“”‘’',
  pl: '„”’«»',
  'pt-BR': '“”‘’',
  'pt-PT': '«»“”’',
  tr: '“”‘’',
  uk: '«»„“’',
  he: '”“״׳’',
  ar: '«»“”',
  fa: '«»',
  ja: '「」『』',
  'zh-Hans': '“”‘’',
};

/** Numeric arguments, formatted with the digits of the language. */
const NUMBERS = ['count', 'minutes', 'done'];

type Parsed = ReturnType<IntlMessageFormat['getAst']>;
const parse = (message: string, language: string): Parsed =>
  new IntlMessageFormat(message, language, undefined, { ignoreTag: true }).getAst();

const listElements = (parsed: Parsed): Parsed =>
  parsed.flatMap((element) => [
    element,
    ...('options' in element
      ? Object.values(element.options).flatMap(({ value }) => listElements(value))
      : []),
  ]);
const listArguments = (message: string, language: string): string[] => {
  const argumentElements = listElements(parse(message, language)).filter(
    ({ type }) => type !== 0 && type !== 7,
  );
  return [
    ...new Set(argumentElements.map((element) => ('value' in element ? String(element.value) : ''))),
  ].sort();
};
const listPluralForms = (language: string): Map<string, number[]> => {
  const rules = new Intl.PluralRules(language);
  return Map.groupBy(
    Array.from({ length: 1000 }, (_, index) => index + 1),
    (count) => rules.select(count),
  );
};

it('the catalogs are the files of the folder', () => {
  const files = readdirSync(LOCALES).map((file) => file.replace('.json', ''));

  assert.deepEqual(files.sort(), [...LANGUAGES].sort());
});

it('every message is used by a page', () => {
  const code = readdirSync(CONNECT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(new URL(file, CONNECT), 'utf8'))
    .join('\n');

  assert.deepEqual(
    KEYS.filter((key) => !code.includes(`'${key}'`)),
    [],
  );
});

for (const language of LANGUAGES) {
  describe(`the catalog ${language}`, () => {
    const catalogue = readMessages(language);
    const messages = KEYS.flatMap((key) => {
      const message = catalogue[key];
      return message === undefined ? [] : [{ key, message, english: en[key] }];
    });
    /** Returns the keys of messages that break a rule, with the offending text. */
    const broken = (rule: (text: (typeof messages)[number]) => string | false | undefined) =>
      messages.flatMap((text) => {
        const problem = rule(text);
        return problem ? [`${text.key}: ${problem}`] : [];
      });

    it('the accessible name of each account button contains its label', () => {
      for (const action of ['disconnect', 'mend', 'update', 'remove', 'choose', 'confirm']) {
        const [label = '', name = ''] = [
          catalogue[`selection.${action}`],
          catalogue[`selection.${action}_account`],
        ];
        assert.ok(name.toLocaleLowerCase(language).includes(label.toLocaleLowerCase(language)), name);
      }
    });

    it('the main buttons have different labels, because programs use them', () => {
      const labels = [
        'selection.continue',
        'consent.allow',
        'cancel',
        'selection.done',
        'calendars.save',
      ].map((key) => catalogue[key]);

      assert.equal(new Set(labels).size, labels.length, labels.join());
    });

    it('has every message', () => {
      assert.deepEqual(
        KEYS.filter((key) => catalogue[key] === undefined),
        [],
      );
    });

    it('has only the messages of English, in the same order', () => {
      const keys = Object.keys(catalogue);

      assert.deepEqual(
        keys,
        KEYS.filter((key) => keys.includes(key)),
      );
    });

    it('has the arguments of English', () => {
      for (const { key, message, english } of messages) {
        assert.deepEqual(listArguments(message, language), listArguments(english, 'en'), key);
      }
    });

    it('has exactly the plural forms of its language', () => {
      const forms = listPluralForms(language);
      const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const { key, message } of messages) {
        for (const element of listElements(parse(message, language))) {
          if (element.type !== 6) continue;
          const branches = Object.keys(element.options).filter((form) => !form.startsWith('='));
          // ICU requires `other` in every language, even Polish, which uses it only for fractions.
          const missing = [...forms.keys(), 'other'].filter((form) => !branches.includes(form));
          const foreign = branches.filter((form) => !categories.some((category) => category === form));
          assert.deepEqual([missing, foreign], [[], []], key);
          for (const [form, counts] of forms) {
            const branch: Parsed = element.options[form]?.value ?? [];
            assert.ok(
              branch.some(({ type }) => type === 7) || counts.length === 1,
              `${key}: ${form} stands for ${counts.slice(0, 4)}…`,
            );
          }
        }
      }
    });

    it('can be formatted for every count, without braces in the result', () => {
      const values = Object.fromEntries(
        KEYS.flatMap((key) => listArguments(en[key], 'en')).map((name) => [name, 'N']),
      );
      for (const { key, message } of messages) {
        for (const count of message.includes(', plural,') ? [0, 1, 2, 3, 5, 11, 21, 100] : [1]) {
          const text = messagesFor(language).text(key, { ...values, count, minutes: count, done: count });
          assert.doesNotMatch(text, /[{}#]/, key);
        }
      }
    });

    it('isolates every name', () => {
      for (const { key } of messages) {
        const names = listArguments(en[key], 'en').filter((name) => !NUMBERS.includes(name));
        const numbers = Object.fromEntries(NUMBERS.map((name) => [name, 2]));
        const values = { ...Object.fromEntries(names.map((name) => [name, `${name}!`])), ...numbers };
        const { markup } = messagesFor(language).markup(key, values);
        for (const name of names) assert.ok(markup.includes(`<bdi>${name}!</bdi>`), key);
      }
    });

    it('has no surrounding or double spaces and no typewriter punctuation', () => {
      assert.deepEqual(
        broken(({ message }) => /^\s|\s$|\s\s|\.\.\.|"|--|'/u.exec(message)?.[0]),
        [],
      );
    });

    it('uses the quotation marks of its language', () => {
      const foreign = [...'“”„‟‘‚‛«»‹›「」『』״']
        .filter((mark) => !QUOTES[language]?.includes(mark))
        .join('');
      assert.deepEqual(
        broken(({ message }) => new RegExp(`[${foreign}]`, 'u').exec(message)?.[0]),
        [],
      );
    });

    it('ends the same messages with a full stop as English', () => {
      const isSentence = (text: string) => /[.。?？؟!！]$/u.test(text.replace(/[”“»」״)}\s]+$/u, ''));
      assert.deepEqual(
        broken(({ message, english }) => isSentence(english) !== isSentence(message) && message),
        [],
      );
    });
  });
}

for (const language of LANGUAGES.filter((other) => other !== 'en')) {
  it(`the catalog ${language} contains no English`, () => {
    const untranslated = Object.entries(readMessages(language)).filter(([key, message]) => {
      const english = (en as Record<string, string>)[key]; // undefined where there is no such key
      const text = message.replaceAll(PROPER_NAMES, '').replaceAll(/\{\w+\}/g, '');
      const same = message === english && /\p{L}\s+\p{L}/u.test(text);
      return same || /\b(the|your|you|with|this|please|again)\b/i.test(text);
    });

    assert.deepEqual(untranslated, []);
  });
}

it('French keeps double punctuation marks with their words', () => {
  const loose = Object.entries(readMessages('fr')).filter(([, message]) =>
    / [:;!?»]|« |[\p{L}\d][;!?»]|«\p{L}/u.test(message.replaceAll(/\{(\w+), plural,/g, '')),
  );

  assert.deepEqual(loose, []);
});
