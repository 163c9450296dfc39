import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { claimRules } from '../config/dashboard-sign-in.ts';
import { nameOfClaims, roleOfClaims, verifiedEmail } from './claims.ts';

const RULES = claimRules(
  'groups=admins:owner; groups=builders:developer(acme); team=7:developer(other); email_domain=example.com:viewer; email=eve@other.example:developer',
);
const ADDRESS = { email: 'Ada@Example.com', email_verified: true };

describe('the role that claims give', () => {
  for (const [rule, claims, expected] of [
    ['the highest of all that match', { groups: ['builders', 'admins'], ...ADDRESS }, 'owner'],
    ['one value, or one of a list', { groups: 'builders' }, 'developer'],
    ['a verified address’s domain', ADDRESS, 'viewer'],
    ['no unverified address', { ...ADDRESS, email_verified: false }, undefined],
    ['no address of which nothing is said', { email: 'ada@example.com' }, undefined],
    ['no address that is verified in words only', { ...ADDRESS, email_verified: 'true' }, undefined],
    ['no longer domain', { ...ADDRESS, email: 'ada@evil-example.com' }, undefined],
    ['no domain before another @', { ...ADDRESS, email: 'ada@example.com@evil.example' }, undefined],
    ['one address as a whole', { email: 'eve@other.example', email_verified: true }, 'developer'],
    ['no claim called as a rule is', { email_domain: 'example.com' }, undefined],
    ['a value letter by letter', { groups: ['Admins', 'admins '] }, undefined],
    ['nothing in a deeper place', { groups: [['admins'], { admins: true }] }, undefined],
  ] as const)
    it(rule, () => {
      assert.equal(roleOfClaims(claims, RULES)?.role, expected);
    });

  it('gives a developer the applications of all matching rules, or leaves them to an owner', () => {
    const both = roleOfClaims({ groups: ['builders'], team: 7 }, RULES);
    assert.deepEqual(both?.clientIds, ['acme', 'other']);
    assert.equal(
      roleOfClaims({ email: 'eve@other.example', email_verified: true }, RULES)?.clientIds,
      undefined,
    );
  });
});

describe('the name and address from claims', () => {
  it('ignores a name that is unsafe to show', () => {
    assert.equal(nameOfClaims({ name: '\u202eadA', preferred_username: ' ada ' }), 'ada');
    assert.equal(nameOfClaims({ name: 'A'.repeat(201) }), undefined);
    assert.equal(nameOfClaims({ name: 7 }), undefined);
  });

  it('lower-cases a verified address', () => {
    assert.equal(verifiedEmail(ADDRESS), 'ada@example.com');
    assert.equal(verifiedEmail({ email: 'none', email_verified: true }), undefined);
  });
});
