import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { oklch, wcagContrast } from 'culori';
import fc from 'fast-check';

import {
  BUTTON_CONTRAST,
  brandColors,
  brandRule,
  GROUNDS,
  type HexColor,
  TEXT_CONTRAST,
} from './brand-colors.ts';

const SCHEMES = ['light', 'dark'] as const;
const EXTREMES = ['#000000', '#ffffff', '#808080', '#ffff00', '#0000ff', '#00ff00', '#ff00ff', '#010000'];

const anyColor = fc.oneof(
  fc.constantFrom(...EXTREMES),
  fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`),
);

async function measureContrasts(
  primary: HexColor,
  scheme: 'light' | 'dark',
): Promise<Record<string, number>> {
  const { accent, button, buttonHover, onButton, tint } = (await brandColors(primary))[scheme];
  const onGrounds = Object.entries(GROUNDS[scheme]).map(
    ([name, ground]) => [`accent on ${name}`, wcagContrast(accent, ground)] as const,
  );
  return {
    ...Object.fromEntries(onGrounds),
    'accent on its tint': wcagContrast(accent, tint),
    'text on a button': wcagContrast(onButton, button),
    'text on a button under the pointer': wcagContrast(onButton, buttonHover),
  };
}

describe('brand colors', () => {
  it('text in brand colors is readable in both schemes for any primary color', async () => {
    const property = fc.asyncProperty(anyColor, fc.constantFrom(...SCHEMES), async (primary, scheme) => {
      for (const [what, contrast] of Object.entries(await measureContrasts(primary, scheme)))
        assert.ok(contrast >= TEXT_CONTRAST, `${what}: ${contrast} for ${primary}, ${scheme}`);
    });
    await fc.assert(property, { numRuns: 1500 });
  });

  it('a button changes visibly under the pointer for any primary color', async () => {
    const property = fc.asyncProperty(anyColor, fc.constantFrom(...SCHEMES), async (primary, scheme) => {
      const { button, buttonHover } = (await brandColors(primary))[scheme];
      const contrast = wcagContrast(button, buttonHover);
      assert.ok(contrast > 1.1, `${button} ${buttonHover}: ${contrast} for ${primary}, ${scheme}`);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it('brand colors keep the hue of the primary color', async () => {
    const property = fc.asyncProperty(anyColor, fc.constantFrom(...SCHEMES), async (primary, scheme) => {
      const [before, after] = [oklch(primary), oklch((await brandColors(primary))[scheme].accent)];
      // The hue is meaningless for greys, and for colors that are nearly black or white.
      fc.pre(Math.min(before?.c ?? 0, after?.c ?? 0) > 0.03);
      const turn = Math.abs((before?.h ?? 0) - (after?.h ?? 0));
      assert.ok(Math.min(turn, 360 - turn) < 6, `${primary} turns by ${turn}, ${scheme}`);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it('a button is visible on the card for any primary color', async () => {
    const property = fc.asyncProperty(anyColor, fc.constantFrom(...SCHEMES), async (primary, scheme) => {
      const { button } = (await brandColors(primary))[scheme];
      const contrast = wcagContrast(button, GROUNDS[scheme].card);
      assert.ok(contrast >= BUTTON_CONTRAST, `${button}: ${contrast} for ${primary}, ${scheme}`);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it('buttons have the exact primary color, however pale, if it is visible', async () => {
    for (const primary of ['#ffd400', '#1f4fd8', '#e4002b'])
      for (const scheme of SCHEMES) assert.equal((await brandColors(primary))[scheme].button, primary);
    assert.equal((await brandColors('#1f4fd8')).light.onButton, '#ffffff');
    assert.ok((oklch((await brandColors('#ffd400')).light.onButton)?.l ?? 1) < 0.25);
  });

  it('a color that is readable already stays unchanged', async () => {
    assert.equal((await brandColors('#1f4fd8')).light.accent, '#1f4fd8');
    assert.equal((await brandColors('#8fb0ff')).dark.accent, '#8fb0ff');
  });

  it('a primary color that is not lowercase #rrggbb is refused', async () => {
    for (const text of ['red', '#fff', '#12345G', '#AABBCC', '', '#aabbcc;}'])
      await assert.rejects(brandColors(text), TypeError);
  });

  it('the CSS rule has one value for each scheme', async () => {
    const { light, dark } = await brandColors('#aa3355');

    const rule = brandRule({ light, dark });

    assert.match(rule, /^:root\{(--[a-z-]+:light-dark\(#[\da-f]{6},#[\da-f]{6}\);?){5}\}$/);
    assert.ok(rule.includes(`--on-button:light-dark(${light.onButton},${dark.onButton})`));
  });

  it('the contrast is measured against the backgrounds of base.css', () => {
    const styles = readFileSync(new URL('../design/base.css', import.meta.url), 'utf8');

    assert.deepEqual(Object.keys(GROUNDS.light), Object.keys(GROUNDS.dark));
    for (const name of Object.keys(GROUNDS.light) as (keyof typeof GROUNDS.light)[]) {
      const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(styles) ?? [];
      assert.deepEqual([light, dark], [GROUNDS.light[name], GROUNDS.dark[name]], `--${name}`);
    }
  });
});
