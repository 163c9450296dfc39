import assert from 'node:assert/strict';
import { it } from 'node:test';

import { auditedUrl } from './audited-url.ts';

it('removes user, password and query values from a URL', () => {
  const cases = [
    ['https://app.example/hook', 'https://app.example/hook'],
    ['https://ada:canary@app.example:8443/hook?token=canary&x#canary', 'https://app.example:8443/hook?…'],
    ['http://[::1]:3000/', 'http://[::1]:3000/'],
    ['no address', ''],
  ] as const;
  for (const [url, kept] of cases) assert.equal(auditedUrl(url), kept);
});
