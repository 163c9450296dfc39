import assert from 'node:assert/strict';
import { it } from 'node:test';

import { visibleText } from './visible-text.ts';

it('escapes invisible characters and shortens long texts', () => {
  assert.equal(visibleText('a\tb\nc', 10), 'a\tb\nc');
  assert.equal(visibleText('\u202egnp\u0000\u200b', 10), '\\u202egnp\\u0000\\u200b');
  assert.equal(visibleText('Söhne שלום', 20), 'Söhne שלום');
  assert.equal(visibleText('x'.repeat(11), 10), `${'x'.repeat(10)}…`);
});
