import assert from 'node:assert/strict';
import { it } from 'node:test';

import { highlight } from './highlight.ts';

it('marks names, texts, and numbers and literals of JSON, each once', () => {
  const { markup } = highlight('{"a": "b", "c": [1, true, null]}', 'json');

  assert.equal(
    markup,
    '{<span class="a">"a"</span>: <span class="s">"b"</span>, <span class="a">"c"</span>: ' +
      '[<span class="n">1</span>, <span class="n">true</span>, <span class="n">null</span>]}',
  );
});

it('leaves code that looks like markup as text', () => {
  for (const language of ['json', 'bash', 'typescript', 'python', ''])
    assert.doesNotMatch(highlight('"</code><b onx=1>"', language).markup, /<(?!\/?span)/);
});
