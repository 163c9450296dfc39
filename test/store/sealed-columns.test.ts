/** A new master key reseals everything: each sealed field and each derived key is in a list. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { DERIVED_KEYS } from '../../src/store/drivers/derived-keys.ts';
import { SEALED_COLUMNS } from '../../src/store/keys/sealed-columns.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
/** They have no text of their own: a list that is walked, and the function itself. */
const WITHOUT_LITERAL = ['store/keys/master-key-store.ts', 'lib/sealing.ts'];

/** Returns the arguments of each call, by file, without tests. */
async function argumentsOf(call: RegExp): Promise<{ file: string; text: string }[]> {
  const found: { file: string; text: string }[] = [];
  for await (const file of glob('**/*.ts', { cwd: SRC })) {
    if (file.endsWith('.test.ts')) continue;
    const source = await readFile(path.join(SRC, file), 'utf8');
    for (const [, text = ''] of source.matchAll(call)) found.push({ file, text });
  }
  return found;
}

const unquoted = (text: string): string => /^'([^']*)'$/.exec(text)?.[1] ?? text;
const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

describe('Sealed fields and derived keys', () => {
  it('every field that is sealed is a column that a new master key reseals', async () => {
    const calls = await argumentsOf(/\bsealedField\(([^)]*)\)/g);
    const named = calls.filter(({ file }) => !WITHOUT_LITERAL.includes(file));

    assert.deepEqual(
      unique(named.map(({ text }) => unquoted(text))),
      unique(SEALED_COLUMNS.map(({ context }) => context)),
    );
    const casts = await argumentsOf(/as (SealingContext)\b/g);
    assert.deepEqual(unique(casts.map(({ file }) => file)), ['lib/sealing.ts']);
  });

  it('of every key that is derived from the master key it is said whether it outlives it', async () => {
    const calls = await argumentsOf(/\bsealer\.derive\(([^)]*)\)/g);
    const named = calls.filter(({ file }) => file !== 'store/drivers/derived-keys.ts');

    assert.deepEqual(unique(named.map(({ text }) => unquoted(text))), Object.keys(DERIVED_KEYS).sort());
  });
});
