/** The tokens of base.css: their contrast (WCAG 2.2 §1.4.3, §1.4.11), and that the stylesheets use only these. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import culori from 'culori/require';

const SOURCE = new URL('..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, SOURCE), 'utf8');
const BASE = read('design/base.css');

type Pair = readonly [light: string, dark: string];

const COLORS: ReadonlyMap<string, Pair> = new Map(
  [...BASE.matchAll(/--([a-z-]+): light-dark\((#\w+), (#\w+)\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, [light, dark]],
  ),
);

function colorsOf(name: string): Pair {
  const pair = COLORS.get(name);
  assert.ok(pair, `--${name}`);
  return pair;
}

const PLAIN = ['ground', 'card', 'raised', 'hover'];

/** A token, the surfaces on which it is used, and its lowest contrast among them: light and dark. */
const CONTRASTS: readonly (readonly [string, readonly string[], readonly [number, number]])[] = [
  ['text', [...PLAIN, 'tint', 'good-tint', 'warn-tint', 'bad-tint'], [14.3, 12.5]],
  ['muted', PLAIN, [5.7, 6.9]],
  ['line-strong', ['ground', 'card'], [3.6, 4.7]],
  ['accent', [...PLAIN, 'tint'], [5.8, 6.9]],
  ['on-button', ['button', 'button-hover'], [6.6, 8.4]],
  ['good', [...PLAIN, 'good-tint'], [6.2, 9.0]],
  ['warn', [...PLAIN, 'warn-tint'], [6.6, 9.3]],
  ['bad', [...PLAIN, 'bad-tint'], [6.6, 8.1]],
  ['on-bad', ['bad', 'bad-hover'], [7.5, 8.7]],
  ['series-bad', ['card'], [5.5, 8.0]],
  ['code-keyword', ['ground'], [7.2, 9.7]],
  ['code-string', ['ground'], [6.5, 11.1]],
  ['code-number', ['ground'], [6.5, 10.4]],
  ['code-name', ['ground'], [6.5, 10.6]],
  ['code-comment', ['ground'], [5.4, 7.4]],
];

describe('the contrast of tokens', () => {
  for (const [token, surfaces, expected] of CONTRASTS) {
    it(`of --${token} on ${surfaces.join(', ')} is at least ${expected.join(' and ')}`, () => {
      const lowest = ([0, 1] as const).map((scheme) => {
        const on = surfaces.map((name) =>
          culori.wcagContrast(colorsOf(token)[scheme], colorsOf(name)[scheme]),
        );
        return Math.round(Math.min(...on) * 10) / 10;
      });

      assert.deepEqual(lowest, expected);
    });
  }

  it('is 4.5 or more for text, and 3 or more for borders of fields', () => {
    for (const [token, , lowest] of CONTRASTS)
      assert.ok(Math.min(...lowest) >= (token === 'line-strong' ? 3 : 4.5), token);
  });
});

describe('the stylesheets', () => {
  const sheets = globSync('**/*.css', { cwd: SOURCE });

  it('use only tokens that the shared stylesheets or they themselves define', () => {
    const define = (css: string) => [...css.matchAll(/(--[\w-]+):/g)].map(([, name = '']) => name);
    const undefinedTokens = sheets.flatMap((sheet) => {
      const css = read(sheet);
      const tokens = new Set([...define(BASE + read('design/charts.css')), ...define(css)]);
      return [...css.matchAll(/var\((--[\w-]+)\)/g)].flatMap(([, name = '']) =>
        tokens.has(name) ? [] : [`${sheet}: ${name}`],
      );
    });

    assert.deepEqual(undefinedTokens, []);
  });

  it('use type tokens, which have a line height, only in the font shorthand', () => {
    const misused = sheets.filter((sheet) => read(sheet).includes('font-size: var(--type-'));

    assert.deepEqual(misused, []);
  });
});
