import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Account } from '../../calendars/account-store.ts';
import type { Scope } from '../../oauth/scope.ts';
import {
  type AccountGroup,
  type ApprovalTerms,
  decideApproval,
  type GroupsOfUser,
  isGiven,
  isSameAccount,
  standingsOf,
} from './account-groups.ts';

const NOW = 1_790_000_000_000;
const LATER = NOW + 60_000;

/** An account; its identity is its name unless `change` says otherwise. */
const account = (name: string, change: Partial<Account> = {}): Account => ({
  accountKey: `key of ${name}`,
  clientId: 'acme',
  userId: 'ada',
  provider: 'caldav',
  accountId: name,
  identity: name,
  provesOwner: true,
  display: name,
  grantedScopes: [],
  calendarPermission: undefined,
  health: { state: 'active', reason: undefined, message: undefined, since: NOW },
  linkedAt: NOW,
  timesLinked: 1,
  syncStateAt: undefined,
  addressesReadAt: undefined,
  ...change,
});

/** Returns a group of the user with one account of the same name, connected in another browser. */
const group = (groupKey: string, change: Partial<AccountGroup> = {}): AccountGroup => ({
  groupKey,
  unfinished: undefined,
  isOfThisBrowser: false,
  givenScope: 'read',
  accounts: [account(groupKey)],
  ...change,
});

/** Returns a group that was linked in a transaction. The tests decide about `t1`. */
const linkedIn = (transactionId: string, accounts: Account[], change: Partial<AccountGroup> = {}) =>
  group(`of ${transactionId}`, {
    unfinished: { transactionId, isApproved: false, expiresAt: LATER },
    givenScope: undefined,
    accounts,
    ...change,
  });
const allowedIn = (transactionId: string, accounts: Account[], change: Partial<AccountGroup> = {}) =>
  linkedIn(transactionId, accounts, {
    unfinished: { transactionId, isApproved: true, expiresAt: LATER },
    ...change,
  });

type Asked = {
  scope?: Scope;
  isVouched?: boolean;
  codeChallenge?: string;
  returningUsers?: ApprovalTerms['returningUsers'];
  codeFormat?: ApprovalTerms['codeFormat'];
};

const buildRequestFacts = ({ scope = 'read', isVouched = false, codeChallenge }: Asked) => ({
  transactionId: 't1',
  scope,
  isVouched,
  codeChallenge,
});
const buildTerms = ({ returningUsers = 'prove', codeFormat = 'user-id' }: Asked) => ({
  ...{ returningUsers, codeFormat },
  now: NOW,
});

function standings(groups: readonly AccountGroup[], asked: Asked = {}): Record<string, string> {
  const { proved, vouched, foreign, covered } = standingsOf(
    buildRequestFacts(asked),
    { groups },
    buildTerms(asked),
  );
  const findCoveredScope = (one: AccountGroup) => covered.find((each) => each.group === one)?.scope;
  assert.equal(covered.length, proved.length + vouched.length);
  return Object.fromEntries([
    ...proved.map((one) => [one.groupKey, `proved ${findCoveredScope(one)}`]),
    ...vouched.map(({ group: one }) => [one.groupKey, `vouched ${findCoveredScope(one)}`]),
    ...foreign.map((one) => [one.groupKey, `foreign ${findCoveredScope(one) ?? ''}`.trim()]),
  ]);
}

function decide(
  groups: readonly AccountGroup[],
  pending: Partial<GroupsOfUser['pending'][number]>[] = [],
  asked: Asked = {},
) {
  const all = pending.map((one) => ({ approvalId: 't0', codeChallenge: undefined, groupKeys: [], ...one }));
  return decideApproval(buildRequestFacts(asked), { groups, pending: all }, buildTerms(asked));
}

describe('the relation of a group to a transaction', () => {
  const claimed = account('eve', { accountId: 'a', display: 'a' });
  const doubtful = account('a', { provesOwner: false });
  const cases: readonly (readonly [string, readonly AccountGroup[], Record<string, string>, Asked?])[] = [
    ['nobody else’s group is proved by knowing the user’s id', [group('a')], { a: 'foreign' }],
    [
      'a group is proved by the browser that stands for it',
      [group('a', { isOfThisBrowser: true })],
      { a: 'proved read' },
    ],
    [
      'a group is proved at the scope that is asked for, wider than it was given',
      [group('a', { isOfThisBrowser: true, givenScope: 'free-busy' })],
      { a: 'proved read-write' },
      { scope: 'read-write' },
    ],
    [
      'a group is proved by signing in again to one of its accounts',
      [group('g', { accounts: [account('a'), account('b')] }), group('c'), linkedIn('t1', [account('b')])],
      { g: 'proved read', c: 'foreign', 'of t1': 'proved read' },
    ],
    [
      'a group is proved by none of its other accounts in turn',
      [
        group('g', { accounts: [account('a'), account('b')] }),
        group('h', { accounts: [account('b')] }),
        linkedIn('t1', [account('a')]),
      ],
      { g: 'proved read', h: 'foreign', 'of t1': 'proved read' },
    ],
    [
      'a group of this browser proves no other that has the same account, unless it signs in again',
      [
        group('g', { isOfThisBrowser: true, accounts: [account('a')] }),
        group('h', { accounts: [account('a')] }),
      ],
      { g: 'proved read', h: 'foreign' },
    ],
    [
      'a stranger’s account proves nothing by claiming the id of another',
      [group('a'), linkedIn('t1', [claimed])],
      { a: 'foreign', 'of t1': 'proved read' },
    ],
    [
      'an account of another provider proves nothing, whatever its identity is called',
      [group('a'), linkedIn('t1', [account('a', { provider: 'apple' })])],
      { a: 'foreign', 'of t1': 'proved read' },
    ],
    [
      'an account whose server takes any password proves nothing',
      [group('a'), linkedIn('t1', [doubtful])],
      { a: 'foreign', 'of t1': 'proved read' },
    ],
    [
      'an account without identity is proved by no sign-in and proves nothing',
      [
        group('a', { accounts: [account('a', { identity: undefined })] }),
        linkedIn('t1', [account('a', { identity: undefined })]),
      ],
      { a: 'foreign', 'of t1': 'proved read' },
    ],
    [
      'what another browser is linking at this moment is nobody else’s, even of the same account',
      [linkedIn('t1', [account('a')]), linkedIn('t2', [account('a')])],
      { 'of t1': 'proved read' },
    ],
    [
      'what this browser linked and did not finish is proved, allowed or not',
      [
        linkedIn('t2', [account('a')], { isOfThisBrowser: true }),
        allowedIn('t3', [account('b')], { isOfThisBrowser: true }),
      ],
      { 'of t2': 'proved read', 'of t3': 'proved read' },
    ],
    [
      'what another browser has allowed is proved by signing in to it, and is no one else’s',
      [linkedIn('t1', [account('a')]), allowedIn('t2', [account('a')]), allowedIn('t3', [account('b')])],
      { 'of t1': 'proved read', 'of t2': 'proved read' },
    ],
    [
      'what was not finished in time is gone for everybody',
      [
        linkedIn('t1', [account('a')], {
          unfinished: { transactionId: 't1', isApproved: false, expiresAt: NOW },
        }),
        allowedIn('t2', [account('b')], {
          isOfThisBrowser: true,
          unfinished: { transactionId: 't2', isApproved: true, expiresAt: NOW },
        }),
      ],
      {},
    ],
    [
      'a pushed request covers every group at what it was given, and never widens it',
      [group('a', { givenScope: 'free-busy' }), group('b', { givenScope: 'read-write' })],
      { a: 'vouched free-busy', b: 'vouched read' },
      { isVouched: true },
    ],
    [
      'a pushed request covers no group that no living grant has',
      [group('a', { givenScope: undefined })],
      { a: 'foreign' },
      { isVouched: true },
    ],
    [
      'a pushed request covers a proved group at the scope it asks for',
      [group('a', { givenScope: 'free-busy', isOfThisBrowser: true })],
      { a: 'proved read' },
      { isVouched: true },
    ],
    [
      'a pushed request does not reach what is not the user’s yet',
      [allowedIn('t2', [account('a')]), linkedIn('t3', [account('b')])],
      {},
      { isVouched: true },
    ],
    [
      'every group is covered at the scope that is asked for where the application lets users continue',
      [
        group('a', { givenScope: 'free-busy' }),
        group('b', { givenScope: undefined }),
        linkedIn('t2', [account('c')]),
      ],
      { a: 'vouched read-write', b: 'vouched read-write' },
      { scope: 'read-write', returningUsers: 'continue' },
    ],
  ];
  for (const [rule, groups, expected, asked] of cases) {
    it(rule, () => assert.deepEqual(standings(groups, asked), expected));
  }

  it('a group needs consent only for more than an active grant has', () => {
    const needs = (givenScope: Scope | undefined, scope: Scope) =>
      isGiven({ group: group('a', { givenScope }), scope });

    assert.deepEqual(
      [
        needs('read', 'read'),
        needs('read', 'free-busy'),
        needs('read', 'read-write'),
        needs(undefined, 'free-busy'),
      ],
      [true, true, false, false],
    );
  });

  it('two accounts are the same one by provider and identity alone', () => {
    const a = account('a');

    assert.equal(isSameAccount(a, account('x', { identity: 'a' })), true);
    assert.equal(isSameAccount(a, account('a', { identity: 'x' })), false);
    assert.equal(isSameAccount(a, account('a', { provider: 'google' })), false);
    const old = account('a', { identity: undefined });
    assert.equal(isSameAccount(old, old), false);
  });
});

describe('the decision on Allow', () => {
  const mine = linkedIn('t1', [account('e')]);

  it('a new group becomes the user’s when the application redeems the code, and is all that is covered', () => {
    assert.deepEqual(decide([group('a'), mine]), {
      coverage: [{ groupKey: 'of t1', scope: 'read' }],
      joined: { into: 'of t1', from: [] },
      isUnfinished: true,
    });
  });

  it('linked accounts join the oldest proved group of the user at once, and so do other proved groups', () => {
    const inThisBrowser = { isOfThisBrowser: true };

    assert.deepEqual(
      decide([group('a', inThisBrowser), group('b', inThisBrowser), group('c'), mine], [], {
        scope: 'read-write',
      }),
      {
        coverage: [{ groupKey: 'a', scope: 'read-write' }],
        joined: { into: 'a', from: ['b', 'of t1'] },
        isUnfinished: false,
      },
    );
  });

  it('a vouched group is covered but not joined', () => {
    assert.deepEqual(decide([group('a', { givenScope: 'free-busy' }), mine], [], { isVouched: true }), {
      coverage: [
        { groupKey: 'of t1', scope: 'read' },
        { groupKey: 'a', scope: 'free-busy' },
      ],
      joined: { into: 'of t1', from: [] },
      isUnfinished: true,
    });
    assert.deepEqual(decide([group('a', { givenScope: 'free-busy' })], [], { isVouched: true }), {
      coverage: [{ groupKey: 'a', scope: 'free-busy' }],
      joined: undefined,
      isUnfinished: false,
    });
  });

  const empty = { isOfThisBrowser: true, accounts: [] };
  const nothing: readonly (readonly [string, readonly AccountGroup[]])[] = [
    ['there is no group', []],
    ['only others have accounts', [group('a'), allowedIn('t2', [account('b')])]],
    ['the proved group has no account left', [group('a', empty), group('b')]],
  ];
  for (const [when, groups] of nothing) {
    it(`allows nothing if ${when}`, () => assert.equal(decide(groups), 'nothing'));
  }

  const theirs = allowedIn('t0', [account('a')]);
  const pendingTheirs = { groupKeys: ['of t0'] };
  const ownGroup = group('o', { isOfThisBrowser: true });
  const CHALLENGE = 'c'.repeat(43);
  const pending: readonly (readonly [
    string,
    'waits' | 'goes on',
    readonly AccountGroup[],
    Parameters<typeof decide>[1],
    Asked?,
  ])[] = [
    ['whoever proves nothing of what is pending', 'waits', [theirs, mine], [pendingTheirs]],
    ['whoever proves nothing of a pending code that covers nothing', 'waits', [mine], [{}]],
    [
      'whoever proves nothing, with the same challenge as what is pending,',
      'waits',
      [theirs, mine],
      [{ ...pendingTheirs, codeChallenge: CHALLENGE }],
      { codeChallenge: CHALLENGE },
    ],
    [
      'whoever has another challenge than what is pending',
      'goes on',
      [theirs, mine],
      [{ ...pendingTheirs, codeChallenge: CHALLENGE }],
      { codeChallenge: 'd'.repeat(43) },
    ],
    [
      'whoever has a challenge where what is pending has none',
      'goes on',
      [theirs, mine],
      [pendingTheirs],
      { codeChallenge: CHALLENGE },
    ],
    [
      'whoever has the browser that allowed what is pending',
      'goes on',
      [{ ...theirs, isOfThisBrowser: true }, mine],
      [pendingTheirs],
    ],
    [
      'whoever signs in to an account of what is pending',
      'goes on',
      [theirs, linkedIn('t1', [account('a')])],
      [pendingTheirs],
    ],
    ['whoever proves a group of the user', 'goes on', [ownGroup, theirs], [pendingTheirs]],
    ['the user of a pushed request', 'goes on', [theirs, mine], [pendingTheirs], { isVouched: true }],
    [
      'everybody, where the application lets users continue and has a group,',
      'goes on',
      [group('a'), theirs, mine],
      [pendingTheirs],
      { returningUsers: 'continue' },
    ],
    [
      'a stranger, where the application lets users continue and nothing is the user’s yet,',
      'waits',
      [theirs, mine],
      [pendingTheirs],
      { returningUsers: 'continue' },
    ],
    ['whoever gets an opaque code', 'goes on', [theirs, mine], [pendingTheirs], { codeFormat: 'opaque' }],
    ['whoever finds nothing pending', 'goes on', [group('a'), mine], []],
  ];
  for (const [who, outcome, groups, codes, asked] of pending) {
    it(`${who} ${outcome}`, () => {
      const decision = decide(groups, codes, asked);

      assert.equal(typeof decision === 'string' ? decision : 'goes on', outcome);
    });
  }

  it('a second Allow in one browser includes what the first left unfinished, and is unfinished itself', () => {
    const before = allowedIn('t0', [account('a')], { isOfThisBrowser: true });

    assert.deepEqual(decide([before, mine], [pendingTheirs]), {
      coverage: [{ groupKey: 'of t0', scope: 'read' }],
      joined: { into: 'of t0', from: ['of t1'] },
      isUnfinished: true,
    });
  });
});
