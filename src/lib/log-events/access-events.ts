/** Log events of access: of applications, users and their accounts. */
import type { LogEvent } from './log-event.ts';

const OF_ACCOUNT = ['clientId', 'userId', 'accountKey', 'provider', 'address', 'transactionId'] as const;
const OF_SIGN_IN = ['clientId', 'provider', 'kind', 'reason', 'at', 'err'] as const;
const OF_RENEWAL = ['accountKey', 'provider', 'kind', 'reason', 'err'] as const;

export const ACCESS_EVENTS = {
  account_linked: {
    level: 'info',
    when: 'an account was linked, or got new credentials; it is the user’s once its approval counts',
    fields: [...OF_ACCOUNT, 'calendarPermission'],
  },
  account_confirmed: {
    level: 'info',
    when: 'somebody signed in to a linked account and so proved that it is theirs',
    fields: [...OF_ACCOUNT, 'calendarPermission'],
  },
  proof_refused: {
    level: 'warn',
    when: 'a sign-in that was to prove an account did not: a wrong password, another account, or an account that proves nothing',
    act: 'Many for one account, or from one address, are an attempt at somebody else’s account',
    fields: [...OF_ACCOUNT, 'reason'],
  },
  account_not_linked: {
    level: 'info',
    when: 'an account was not linked, because its provider refused the password or could not be used',
    fields: ['clientId', 'provider', 'kind'],
  },
  access_allowed: {
    level: 'info',
    when: 'Allow was pressed',
    fields: ['clientId', 'userId', 'scope', 'accountKeys', 'address', 'transactionId'],
  },
  access_denied: {
    level: 'info',
    when: 'a flow was left by Cancel or Back',
    fields: ['clientId', 'userId', 'address', 'transactionId'],
  },
  approval_waits: {
    level: 'info',
    when: 'an approval waits, because the code of another one that it proves nothing of is still alive',
    fields: ['clientId', 'userId', 'address', 'transactionId'],
  },
  account_disconnected: {
    level: 'info',
    when: 'an account was disconnected by its user; by the application, `transactionId` is missing',
    fields: OF_ACCOUNT,
  },
  account_removed: {
    level: 'info',
    when: 'an account linked in a flow was removed again before it counted',
    fields: OF_ACCOUNT,
  },
  client_refused: {
    level: 'warn',
    when: 'a client secret was wrong; `clientId` is as it was sent, 200 characters at most',
    act: 'In numbers: tell the application’s owner, who may have rotated the secret; else somebody guesses',
    fields: ['clientId', 'method'],
  },
  code_refused: {
    level: 'warn',
    when: 'a code was refused at `/token`: unknown, expired, spent, or with a wrong verifier',
    act: 'In numbers: the application is mistaken (`reason` says in what), or somebody guesses codes',
    fields: ['clientId', 'reason'],
  },
  refresh_refused: {
    level: 'warn',
    when: 'a spent or revoked refresh token came back',
    act: 'In numbers: the application does not keep the newest token; or an old one was stolen, so revoke the user’s access',
    fields: ['clientId', 'familyId'],
  },
  refresh_replayed: {
    level: 'info',
    when: 'a spent refresh token came back within the application’s refresh replay window and got its successor again',
    fields: ['clientId', 'familyId'],
  },
  grants_revoked: {
    level: 'info',
    when: 'a token was revoked at `/revoke`; `grants` is how many grants ended',
    fields: ['clientId', 'grants'],
  },
  users_forgotten: {
    level: 'info',
    when: 'a user was deleted by `DELETE /users/{user_id}`',
    fields: ['clientId', 'userId'],
  },
  user_not_created: {
    level: 'error',
    when: 'a flow could not begin, because its user could not be created or read',
    act: 'Look at `err`: mostly the database',
    fields: ['clientId', 'err'],
  },
  step_not_counted: {
    level: 'error',
    when: 'a step of a flow, or a refused sign-in to the dashboard (`sign_in_refused`), could not be counted; nothing else failed',
    act: 'Look at `err`: usually the database',
    fields: ['clientId', 'step', 'err'],
  },
  sign_in_refused: {
    level: 'info',
    when: 'a provider refused a sign-in, or its user did',
    fields: OF_SIGN_IN,
  },
  sign_in_unchecked: {
    level: 'warn',
    when: 'what a provider answered to a sign-in did not pass its checks',
    act: 'In numbers: look whether the provider’s addresses in the settings are right',
    fields: OF_SIGN_IN,
  },
  sign_in_failed: {
    level: 'error',
    when: 'a sign-in at a provider failed in a way that no user can mend',
    act: 'Look at `reason`; `kalends setup` checks the app’s registration',
    fields: OF_SIGN_IN,
  },
  single_sign_on_failed: {
    level: 'warn',
    when: 'somebody could not come into the dashboard by single sign-on',
    act: 'Look at `reason`: the registration at the identity provider, or its claims',
    fields: ['kind', 'reason', 'error', 'requestId'],
  },
  dashboard_sign_in_refused: {
    level: 'warn',
    when: 'a sign-in to the dashboard was refused, or a member failed to confirm a session; at most one line a minute per network',
    act: 'If `count` is high, somebody guesses passwords: block `network` in your proxy. `personId` is the member whose login was used',
    fields: ['way', 'reason', 'personId', 'network', 'count'],
  },
  access_renewed: {
    level: 'debug',
    when: 'an access token of Google’s or Microsoft’s was renewed',
    fields: ['accountKey', 'provider'],
  },
  renewal_failed: {
    level: 'warn',
    when: 'an access token could not be renewed: the user took the access back, or the provider is away',
    fields: OF_RENEWAL,
  },
  renewal_misconfigured: {
    level: 'error',
    when: 'no access token can be renewed, because the provider refuses our app',
    act: 'Mend the app at the provider, or its secret in the settings; `kalends doctor` checks both',
    fields: OF_RENEWAL,
  },
  renewal_fault: {
    level: 'error',
    when: 'the renewal of an access token met a fault of our own',
    act: 'Report it with `err`',
    fields: OF_RENEWAL,
  },
  renewal_not_stored: {
    level: 'error',
    when: 'a renewed access token could not be stored; it is tried again',
    act: 'Look at the database. A refresh token that is lost has its user sign in again',
    fields: ['accountKey', 'attempt', 'err'],
  },
  access_ended: {
    level: 'info',
    when: 'the access to an account that was disconnected was ended at its provider',
    fields: ['clientId', 'provider'],
  },
  access_not_ended: {
    level: 'warn',
    when: 'access could not be ended at the provider for days, and was given up',
    act: 'Nothing is left here. The user can take it back in the provider’s own settings',
    fields: ['clientId', 'provider', 'err'],
  },
  access_unendable: {
    level: 'warn',
    when: 'access cannot be ended at the provider, because the app it was given to is no longer set up',
    act: 'As before',
    fields: ['clientId', 'provider'],
  },
  unlinked_access_not_ended: {
    level: 'error',
    when: 'access that a sign-in gave, and that was not linked, could not be ended at the provider',
    act: 'As before',
    fields: ['clientId', 'provider', 'err'],
  },
} as const satisfies Readonly<Record<string, LogEvent>>;
