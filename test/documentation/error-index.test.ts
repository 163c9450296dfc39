/** The index of errors has what the program refuses with, and nothing else. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { ERROR_GROUPS } from '../../src/documentation/error-index.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
const THROWN = [
  /new ApiError\(\s*\d+,\s*'(\w+)'/g,
  /\brefusal\(\s*\d+,\s*'(\w+)'/g,
  /\boauthRefusal\(\s*'(\w+)'/g,
  /new OAuthError\(\s*'(\w+)'/g,
  /\b(?:tryAgain|refuseUnless|notFound|unauthorized)\([^;]*?'([a-z]+_[a-z_]+)'/g,
  /status: \d{3}, code: '(\w+_\w+)'/g,
  /\bcode: '(server_error|too_many_connections|invalid_provider)'/g,
  /\berror: '(access_denied|invalid_\w+|session_expired|unsupported_\w+|temporarily_unavailable)'/g,
];

function thrownCodes(): Set<string> {
  const texts = globSync('**/*.ts', { cwd: SRC, exclude: (name) => name.endsWith('.test.ts') })
    .filter((file) => !file.includes('documentation') && !file.startsWith('providers'))
    .map((file) => readFileSync(path.join(SRC, file), 'utf8'));
  return new Set(
    texts.flatMap((text) => THROWN.flatMap((form) => [...text.matchAll(form)].map(([, code = '']) => code))),
  );
}

describe('the index of errors', () => {
  const indexed = ERROR_GROUPS.flatMap(({ errors }) => errors.map(({ code }) => code));

  it('has every code that is thrown anywhere', () => {
    const missing = [...thrownCodes()].filter((code) => !indexed.includes(code));

    assert.deepEqual(missing, []);
  });

  it('has every code once, and none that nothing is refused with', () => {
    const sources = globSync('**/*.ts', { cwd: SRC })
      .filter((file) => !file.includes('documentation'))
      .map((file) => readFileSync(path.join(SRC, file), 'utf8'))
      .join('\n');

    assert.equal(new Set(indexed).size, indexed.length);
    for (const code of indexed) assert.ok(sources.includes(`'${code}'`), code);
  });
});
