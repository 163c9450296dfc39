/** Public operations × admin key: a key of administration is no credential of the interface for applications. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { currentDocument } from '../../src/api-reference/current-document.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { createAdminKey } from '../../src/people/admin-keys.ts';
import { openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { operationsOf } from './openapi-checks.ts';

/** They have the same response for everybody. */
const OPEN = /^\/(authorize|health|ready|openapi\.json|\.well-known\/.*|fapi2\/jwks\.json)$/;

it('no public operation accepts an admin key, as a token or as a password', async () => {
  const sealer = createSealer(randomBytes(32));
  const server = await openCalendarServer({ sealer });
  const { app } = await openWholeApp(server, sealer);
  const input = { name: 'Key', role: 'owner', clientIds: [], lifetimeMs: 3_600_000 } as const;
  const { secret } = await createAdminKey('command line', input, { ...server.deps, by: undefined });
  const isValid = await app.inject({ url: '/admin/v1/keys', headers: { authorization: `Bearer ${secret}` } });
  assert.equal(isValid.statusCode, 200);
  const basic = Buffer.from(`acme:${secret}`).toString('base64');
  for (const { method, path, operation } of operationsOf(currentDocument('https://kalends.example'))) {
    if (OPEN.test(path)) continue;
    for (const authorization of [`Bearer ${secret}`, `Basic ${basic}`, `DPoP ${secret}`]) {
      const response = await app.inject({
        method: method.toUpperCase() as 'GET', // The document has these only.
        url: path.replaceAll(/\{\w+\}/g, 'x'),
        headers: { authorization },
        ...(method !== 'get' && { payload: {} }),
      });
      const needsCredential = !operation.security?.some((one) => Object.keys(one).length === 0);
      const text = `${method} ${path}: ${response.statusCode} ${response.body}`;
      if (needsCredential) assert.equal(response.statusCode, 401, text);
      else assert.ok([400, 401, 415].includes(response.statusCode), text);
    }
  }
  await app.close();
});
