/**
 * Decides which accounts a transaction may change and allow (docs/security.md T3, T4). Accounts of a user that one
 * person linked or proved form a group. A group is proved by its browser, or by signing in again to one of its
 * accounts. An approval covers proved groups, and others only if the application vouches for its user.
 */
import type { Account, AccountLimits } from '../../calendars/account-store.ts';
import type { ClientSettings } from '../../oauth/client.ts';
import { narrowerScope, type Scope, scopeCovers } from '../../oauth/scope.ts';

export type AccountGroup = {
  readonly groupKey: string;
  /** The transaction of accounts that are not the user's yet; `undefined` once they are. */
  readonly unfinished:
    | { readonly transactionId: string; readonly isApproved: boolean; readonly expiresAt: number }
    | undefined;
  /** Whether the device cookie of this browser proves the group. */
  readonly isOfThisBrowser: boolean;
  /** The widest scope of the group's active grants. */
  readonly givenScope: Scope | undefined;
  readonly accounts: readonly Account[];
};

export type PendingApproval = {
  readonly approvalId: string;
  readonly codeChallenge: string | undefined;
  readonly groupKeys: readonly string[];
};

/** The groups and pending approvals of a user. The user's own groups come first, the oldest at the beginning. */
export type GroupsOfUser = {
  readonly groups: readonly AccountGroup[];
  readonly pending: readonly PendingApproval[];
};

export type Covered = { readonly group: AccountGroup; readonly scope: Scope };

export type GroupStandings = {
  /** Proved in this transaction; includes its own group. */
  readonly proved: readonly AccountGroup[];
  /** Not proved, but covered because the application vouches for its user. */
  readonly vouched: readonly Covered[];
  /** Groups of the user that this transaction may not change. */
  readonly foreign: readonly AccountGroup[];
  /** The proved and vouched groups, with the scope that an approval gives each. */
  readonly covered: readonly Covered[];
};

type RequestFacts = {
  readonly transactionId: string;
  readonly scope: Scope;
  readonly isVouched: boolean;
  readonly codeChallenge: string | undefined;
};

/** The application's rule for returning users without proof, and its codes. `now` is in epoch milliseconds. */
export type ApprovalTerms = Pick<ClientSettings, 'returningUsers' | 'codeFormat'> & { readonly now: number };

export function standingsOf(
  request: RequestFacts,
  { groups }: Pick<GroupsOfUser, 'groups'>,
  { returningUsers, now }: Omit<ApprovalTerms, 'codeFormat'>,
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
    if (!request.isVouched || givenScope === undefined) return [];
    return [{ group, scope: narrowerScope(givenScope, request.scope) }];
  });
  const foreign = others.filter((group) => !vouched.some((one) => one.group === group));
  const covered = [...proved.map((group) => ({ group, scope: request.scope })), ...vouched];
  return { proved, vouched, foreign, covered };
}

/** Returns whether a sign-in can prove the group. An open transaction of another browser stays private. */
const isKept = ({ unfinished }: AccountGroup): boolean => unfinished === undefined || unfinished.isApproved;

export const isSameAccount = (one: Account, other: Account): boolean =>
  one.identity !== undefined && one.provider === other.provider && one.identity === other.identity;

/** Returns the limit of accounts if it is reached. Unfinished groups of others and repeated sign-ins do not count. */
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

/** Returns whether an active grant has the group at that scope already, so that it needs no consent. */
export const isGiven = ({ group, scope }: Covered): boolean =>
  group.givenScope !== undefined && scopeCovers(group.givenScope, scope);

export type Approval = {
  readonly coverage: readonly { readonly groupKey: string; readonly scope: Scope }[];
  /** The proved groups `from` join `into`; `undefined` if none is proved. */
  readonly joined: { readonly into: string; readonly from: readonly string[] } | undefined;
  /** Whether the accounts become the user's only when the application redeems the code. */
  readonly isUnfinished: boolean;
};

/** `nothing`: there is no account to allow. `waits`: the approval of another person must be redeemed first. */
export type Decision = Approval | 'nothing' | 'waits';

/** Decides what Allow does. `user` is the state within the transaction that applies the decision. */
export function decideApproval(request: RequestFacts, user: GroupsOfUser, terms: ApprovalTerms): Decision {
  const { proved, vouched, covered } = standingsOf(request, user, terms);
  if (!covered.some(({ group }) => group.accounts.length > 0)) return 'nothing';
  // An opaque code replaces none.
  if (terms.codeFormat === 'user-id' && mustWait(request, user, { proved, vouched })) return 'waits';
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
 * Returns whether this approval would replace a pending code of another person that must be redeemed first. An approver
 * who proved no account of the user waits for any such code, others only for one that covers accounts of the user.
 */
function mustWait(
  request: RequestFacts,
  { groups, pending }: GroupsOfUser,
  { proved, vouched }: Pick<GroupStandings, 'proved' | 'vouched'>,
): boolean {
  const inTheWay = pending.find(({ codeChallenge }) => codeChallenge === request.codeChallenge);
  if (inTheWay === undefined || request.isVouched) return false;
  const coversAny = (some: readonly AccountGroup[]) =>
    inTheWay.groupKeys.some((key) => some.some(({ groupKey }) => groupKey === key));
  if (coversAny(proved) || coversAny(vouched.map(({ group }) => group))) return false;
  const ofUser = groups.filter(({ unfinished }) => unfinished === undefined);
  const isKnown = vouched.length > 0 || proved.some((group) => ofUser.includes(group));
  return !isKnown || coversAny(ofUser);
}

/** Returns whether `group` may join `into`: not if a grant of one would silently get more of the other. */
function joins(group: AccountGroup, into: AccountGroup, { scope }: RequestFacts): boolean {
  const given = [group.givenScope, into.givenScope].filter((one) => one !== undefined);
  return given.length < 2 || given[0] === given[1] || given.every((one) => scopeCovers(scope, one));
}
