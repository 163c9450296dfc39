/**
 * Whose accounts a transaction may touch and allow (docs/security.md T3, T4). Accounts of a user that one person linked
 * or proved form a group. A group is proved by the browser that stands for it, or by signing in again to one of its
 * accounts; an approval covers the groups proved then, and nothing else unless the application vouches for its user.
 */
import type { Account, AccountLimits } from '../../calendars/account-store.ts';
import type { ClientSettings } from '../../oauth/client.ts';
import { narrowerScope, type Scope, scopeCovers } from '../../oauth/scope.ts';

export type AccountGroup = {
  readonly groupKey: string;
  /** Of accounts that are not the user's yet: whose they are. `undefined` once they are. */
  readonly unfinished:
    | { readonly transactionId: string; readonly isApproved: boolean; readonly expiresAt: number }
    | undefined;
  /** Whether this browser stands for it. */
  readonly isOfThisBrowser: boolean;
  /** The widest scope that a living grant has for it. */
  readonly givenScope: Scope | undefined;
  readonly accounts: readonly Account[];
};

/** An approval that the application has not redeemed yet. */
export type PendingApproval = {
  readonly approvalId: string;
  readonly codeChallenge: string | undefined;
  readonly groupKeys: readonly string[];
};

/** All that is known of a user's accounts. The user's own groups come first, the oldest of them at the beginning. */
export type GroupsOfUser = {
  readonly groups: readonly AccountGroup[];
  /** Those that can still be redeemed. */
  readonly pending: readonly PendingApproval[];
};

/** A group that an approval covers, at most at this scope. */
export type Covered = { readonly group: AccountGroup; readonly scope: Scope };

/** How a user's groups stand to one transaction. */
export type GroupStandings = {
  /** Proved here, this transaction's own among them. */
  readonly proved: readonly AccountGroup[];
  /** Not proved, and covered all the same: the application says who its user is. */
  readonly vouched: readonly Covered[];
  /** The user's own, and not this transaction's to touch. */
  readonly foreign: readonly AccountGroup[];
  /** Proved ones and vouched ones, with what an approval gives of each. */
  readonly covered: readonly Covered[];
};

/** What counts of an authorization request here. */
type RequestFacts = {
  readonly transactionId: string;
  readonly scope: Scope;
  readonly isPushed: boolean;
  readonly codeChallenge: string | undefined;
};

/** What the application lets returning users do without proof, and when: epoch milliseconds. */
export type ApprovalTerms = Pick<ClientSettings, 'returningUsers'> & { readonly now: number };

export function standingsOf(
  request: RequestFacts,
  { groups }: Pick<GroupsOfUser, 'groups'>,
  { returningUsers, now }: ApprovalTerms,
): GroupStandings {
  const living = groups.filter(({ unfinished }) => unfinished === undefined || unfinished.expiresAt > now);
  const isOwn = ({ unfinished }: AccountGroup) => unfinished?.transactionId === request.transactionId;
  const ofBrowser = living.filter((group) => group.isOfThisBrowser || isOwn(group));
  const signedIn = ofBrowser.filter(({ unfinished }) => unfinished !== undefined).flatMap(provingIdentities);
  const isProved = (group: AccountGroup) =>
    ofBrowser.includes(group) ||
    (isKept(group) && identities(group).some((identity) => signedIn.includes(identity)));
  const proved = living.filter(isProved);
  const others = living.filter((group) => !isProved(group) && group.unfinished === undefined);
  const vouched = others.flatMap((group): Covered[] => {
    if (returningUsers === 'continue') return [{ group, scope: request.scope }];
    const { givenScope } = group;
    if (!request.isPushed || givenScope === undefined) return [];
    return [{ group, scope: narrowerScope(givenScope, request.scope) }];
  });
  const foreign = others.filter((group) => !vouched.some((one) => one.group === group));
  const covered = [...proved.map((group) => ({ group, scope: request.scope })), ...vouched];
  return { proved, vouched, foreign, covered };
}

/** The user's own, or allowed: another browser's open transaction is nobody else's business. */
const isKept = ({ unfinished }: AccountGroup): boolean => unfinished === undefined || unfinished.isApproved;

/** Whether two accounts are the same one at the provider. */
export const isSameAccount = (one: Account, other: Account): boolean =>
  one.identity !== undefined && one.provider === other.provider && one.identity === other.identity;

/**
 * How many accounts there can be, where there are so many that none can be added in the transaction; else `undefined`. Those
 * of others that are not the user's yet make room, and an account that was signed in to again is one.
 */
export function reachedLimit(
  { groups }: Pick<GroupsOfUser, 'groups'>,
  { proved }: Pick<GroupStandings, 'proved'>,
  { ofPerson, ofUser }: AccountLimits,
): number | undefined {
  const linked = proved.flatMap(({ accounts }) => accounts);
  const ofThisPerson = linked.filter(
    (account, index) => !linked.slice(0, index).some((earlier) => isSameAccount(earlier, account)),
  );
  if (ofThisPerson.length >= ofPerson) return ofPerson;
  const staying = groups.filter((group) => group.unfinished === undefined || proved.includes(group));
  return staying.flatMap(({ accounts }) => accounts).length >= ofUser ? ofUser : undefined;
}

const toIdentityName = ({ provider, identity }: Account): string[] =>
  identity === undefined ? [] : [`${provider} ${identity}`];

const identities = ({ accounts }: AccountGroup): string[] => accounts.flatMap(toIdentityName);

const provingIdentities = ({ accounts }: AccountGroup): string[] =>
  accounts.filter(({ provesOwner }) => provesOwner).flatMap(toIdentityName);

/** Whether a living grant has all of it already, at that scope: then nothing of it needs consent. */
export const isGiven = ({ group, scope }: Covered): boolean =>
  group.givenScope !== undefined && scopeCovers(group.givenScope, scope);

/** What an approval does. */
export type Approval = {
  readonly coverage: readonly { readonly groupKey: string; readonly scope: Scope }[];
  /** The proved groups become this one; `undefined` when none was proved. */
  readonly joined: { readonly into: string; readonly from: readonly string[] } | undefined;
  /** Whether the accounts become the user's only when the application redeems the code. */
  readonly isUnfinished: boolean;
};

/** `nothing`: there is no account to allow. `waits`: another approval, of somebody else, is still to be redeemed. */
export type Decision = Approval | 'nothing' | 'waits';

/** Decides what Allow does, on the state that it will be done on. */
export function decideApproval(request: RequestFacts, user: GroupsOfUser, terms: ApprovalTerms): Decision {
  const { proved, vouched, covered } = standingsOf(request, user, terms);
  if (!covered.some(({ group }) => group.accounts.length > 0)) return 'nothing';
  if (mustWait(request, user, { proved, vouched })) return 'waits';
  const into = proved.find(({ unfinished }) => unfinished === undefined) ?? proved[0];
  const joining =
    into === undefined ? [] : proved.filter((group) => group !== into && joins(group, into, request));
  const apart = proved.filter((group) => group !== into && !joining.includes(group));
  return {
    coverage: [
      ...[...(into ? [into] : []), ...apart].map(({ groupKey }) => ({ groupKey, scope: request.scope })),
      ...vouched.map(({ group, scope }) => ({ groupKey: group.groupKey, scope })),
    ],
    joined: into && { into: into.groupKey, from: joining.map(({ groupKey }) => groupKey) },
    isUnfinished: into?.unfinished !== undefined,
  };
}

/**
 * Whether somebody else's code is in the way. Whoever proves nothing of it must not change what it gives: not of a code
 * for accounts that are the user's, and of no code at all without proving any account of the user.
 */
function mustWait(
  request: RequestFacts,
  { groups, pending }: GroupsOfUser,
  { proved, vouched }: Pick<GroupStandings, 'proved' | 'vouched'>,
): boolean {
  const inTheWay = pending.find(
    ({ approvalId, codeChallenge }) =>
      approvalId !== request.transactionId && codeChallenge === request.codeChallenge,
  );
  if (inTheWay === undefined || request.isPushed) return false;
  const isOneOf = (some: readonly AccountGroup[]) =>
    inTheWay.groupKeys.some((key) => some.some(({ groupKey }) => groupKey === key));
  if (isOneOf(proved) || isOneOf(vouched.map(({ group }) => group))) return false;
  const ofUser = groups.filter(({ unfinished }) => unfinished === undefined);
  const isKnown = vouched.length > 0 || proved.some((group) => ofUser.includes(group));
  return !isKnown || isOneOf(ofUser);
}

/** Whether a group becomes part of another: not where a grant of one would silently get more of the other. */
function joins(group: AccountGroup, into: AccountGroup, { scope }: RequestFacts): boolean {
  const given = [group.givenScope, into.givenScope].filter((one) => one !== undefined);
  return given.length < 2 || given[0] === given[1] || given.every((one) => scopeCovers(scope, one));
}
