import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseContentLine, unescapeText, unfoldLines } from './content-line.ts';
import { contentLine, escapeText, writeComponent } from './write-lines.ts';

const componentLines = (...lines: readonly string[]): string[] =>
  writeComponent({ name: 'VEVENT', lines, components: [] }).split('\r\n');

describe('a content line', () => {
  it('is folded to at most 75 octets without splitting a character', () => {
    for (const character of ['a', 'ü', '€', '😀']) {
      const line = `SUMMARY:${character.repeat(200)}`;
      const lines = componentLines(line);

      assert.ok(lines.every((part) => Buffer.byteLength(part) <= 75));
      assert.deepEqual([...unfoldLines(lines.join('\r\n'))], ['BEGIN:VEVENT', line, 'END:VEVENT']);
    }
  });

  const texts = ['plain', 'a\\b', 'a;b,c', 'line\nline', 'tab\there', '"quoted"', 'a\\nb', '😀', ''];
  for (const text of texts)
    it(`preserves ${JSON.stringify(text)} as a text and as a parameter (RFC 5545 §3.3.11, RFC 6868)`, () => {
      const property = parseContentLine(contentLine('X', { CN: text, OTHER: ['1', text] }, escapeText(text)));

      assert.ok(property);
      assert.equal(unescapeText(property), text);
      assert.deepEqual(property.parameters.get('CN'), [text]);
      assert.deepEqual(property.parameters.get('OTHER'), ['1', text]);
    });

  it('quotes a parameter only if necessary', () => {
    assert.equal(contentLine('X', { A: 'b c', B: 'd:e', C: undefined }, 'v'), 'X;A=b c;B="d:e":v');
  });

  it('lets no value begin another line, and omits characters that iCalendar or XML cannot carry', () => {
    const text = 'a\r\nb\u0000\u0007\u007f\ufffe\ud800c';

    assert.equal(contentLine('X', {}, text), 'X:a b\ufffdc');
    assert.equal(escapeText(text), 'a\\nb\ufffdc');
  });
});
