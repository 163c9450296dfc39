import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { covers } from './scopes.ts';
import { toAccountIdentity } from './sign-in.ts';

const TOKEN = { iss: 'https://login.example/tenant/v2.0', aud: 'app', sub: 'pairwise', iat: 0, exp: 0 };

describe('a Microsoft account', () => {
  const table: readonly (readonly [Record<string, string>, string, string])[] = [
    [{ preferred_username: 'Ada@Contoso.com' }, 'ada@contoso.com', 'Ada@Contoso.com'],
    [
      { preferred_username: 'ada@contoso.com', email: 'ceo@fabrikam.com' },
      'ada@contoso.com',
      'ada@contoso.com',
    ],
    [{ preferred_username: '+49 30 1234', email: 'ada@outlook.com' }, 'ada@outlook.com', '+49 30 1234'],
    [{ preferred_username: '+49 30 1234', tid: 'tenant', oid: 'object' }, 'tenant.object', '+49 30 1234'],
    [{ name: 'Ada', tid: 'tenant' }, 'tenant.pairwise', 'Ada'],
    [{ name: 'Ada \ud83d', tid: 'tenant' }, 'tenant.pairwise', 'Ada \ufffd'],
  ];
  for (const [claims, accountId, display] of table)
    it(`names the Microsoft account with the claims ${JSON.stringify(claims)} ${accountId}`, () => {
      const account = toAccountIdentity({ ...TOKEN, ...claims });

      assert.deepEqual([account.accountId, account.display], [accountId, display]);
    });

  const subjects: readonly (readonly [Record<string, string>, string])[] = [
    [{ tid: 'tenant', oid: 'Object', preferred_username: 'ada@contoso.com' }, 'oid:tenant/object'],
    [{ tid: 'tenant', oid: 'object', preferred_username: 'renamed@contoso.com' }, 'oid:tenant/object'],
    [{ tid: 'tenant', preferred_username: 'ada@contoso.com' }, `sub:pairwise ${TOKEN.iss}`],
    [{ oid: 'object', preferred_username: 'ada@contoso.com' }, `sub:pairwise ${TOKEN.iss}`],
  ];
  for (const [claims, identity] of subjects)
    it(`identifies the Microsoft account with the claims ${JSON.stringify(claims)} as ${identity}`, () => {
      assert.equal(toAccountIdentity({ ...TOKEN, ...claims }).identity, identity);
    });
});

describe('Microsoft permissions', () => {
  const table: readonly (readonly [readonly string[], readonly boolean[]])[] = [
    [
      ['openid', 'profile', 'email', 'User.Read'],
      [false, false, false],
    ],
    [['Calendars.ReadBasic'], [true, false, false]],
    [['https://graph.microsoft.com/calendars.read'], [true, true, false]],
    [['Calendars.Read.Shared'], [true, true, false]],
    [['https://graph.microsoft.us/Calendars.ReadWrite'], [true, true, true]],
  ];
  for (const [granted, served] of table)
    it(`the Microsoft permission ${granted.at(-1)} covers ${served.filter(Boolean).length} of the three scopes`, () => {
      assert.deepEqual(
        (['free-busy', 'read', 'read-write'] as const).map((scope) => covers(granted, scope)),
        served,
      );
    });
});
