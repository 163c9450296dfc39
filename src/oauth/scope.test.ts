import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { narrowerScope, parseScope, SCOPES, scopeCovers } from './scope.ts';

describe('a requested scope', () => {
  const parsed: Readonly<Record<string, string | undefined>> = {
    ...{ '': 'read-write', ' , ': 'read-write', 'free-busy': 'free-busy', read: 'read' },
    ...{ 'free-busy read': 'read', 'read,free-busy': 'read', 'read-write free-busy': 'read-write' },
    ...{ calendar: 'read-write', 'calendar.readonly': 'read', 'calendar.read free-busy': 'read' },
    ...{ Read: undefined, 'read write': undefined, application: undefined, toString: undefined },
  };
  for (const [text, scope] of Object.entries(parsed))
    it(`"${text}" is ${scope ?? 'unknown'}`, () => assert.equal(parseScope(text), scope));

  it('that is absent is the widest', () => assert.equal(parseScope(undefined), 'read-write'));
});

it('a scope covers itself and the narrower ones, and the narrower of two is covered by both', () => {
  const covered = SCOPES.map((granted) => SCOPES.filter((needed) => scopeCovers(granted, needed)));

  assert.deepEqual(covered, [['free-busy'], ['free-busy', 'read'], ['free-busy', 'read', 'read-write']]);
  for (const [i, one] of SCOPES.entries())
    for (const [j, other] of SCOPES.entries())
      assert.equal(narrowerScope(one, other), SCOPES[Math.min(i, j)]);
});
