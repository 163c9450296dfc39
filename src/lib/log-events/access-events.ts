/** Log events of access: of applications, users and their accounts. */
import type { LogEvent } from './log-event.ts';

const OF_ACCOUNT = ['clientId', 'userId', 'accountKey', 'provider', 'address', 'transactionId'] as const;
const OF_SIGN_IN = ['clientId', 'provider', 'kind', 'reason', 'at', 'err'] as const;
const OF_RENEWAL = ['accountKey', 'provider', 'kind', 'reason', 'err'] as const;

export const ACCESS_EVENTS = {
  account_linked: {
    level: 'info',
    when: 'an account was connected, or got new credentials; it belongs to the user once its consent takes effect',
    fields: [...OF_ACCOUNT, 'calendarPermission'],
  },
  account_confirmed: {
    level: 'info',
    when: 'a person signed in to a connected account and so proved that it is theirs',
    fields: [...OF_ACCOUNT, 'calendarPermission'],
  },
  account_reconnected: {
    level: 'info',
    when: 'a reconnect link was used: an account has new credentials',
    fields: OF_ACCOUNT,
  },
  proof_refused: {
    level: 'warn',
    when: 'a sign-in did not prove that an account is the person’s: a wrong password, another account, or an account that proves nothing',
    act: 'Many for one account, or from one address, are an attempt to get into another person’s account',
    fields: [...OF_ACCOUNT, 'reason'],
  },
  account_not_linked: {
    level: 'info',
    when: 'an account was not connected, because its provider refused the password or could not be used',
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
    when: 'a consent waits, because the code of an earlier consent, with accounts that this one did not prove, is still valid',
    fields: ['clientId', 'userId', 'address', 'transactionId'],
  },
  account_disconnected: {
    level: 'info',
    when: 'an account was disconnected by its user; by the application, `transactionId` is missing',
    fields: OF_ACCOUNT,
  },
  account_removed: {
    level: 'info',
    when: 'an account connected in a flow was removed before it took effect',
    fields: OF_ACCOUNT,
  },
  client_refused: {
    level: 'warn',
    when: 'a client secret or an assertion was refused; `clientId` is as it was sent, 200 characters at most, and `reason` names the wrong claim of an assertion',
    act: 'If frequent: ask the application’s owner whether the secret was rotated; otherwise somebody is guessing secrets',
    fields: ['clientId', 'method', 'reason'],
  },
  client_keys_not_read: {
    level: 'warn',
    when: 'the keys of an application could not be read from its `jwks_uri`; at most once a minute per application. Keys that were read in the last 24 hours remain valid',
    act: 'Tell the owner of the application the `reason`: without keys, its requests fail with 503',
    fields: ['clientId', 'reason'],
  },
  admin_key_refused: {
    level: 'warn',
    when: 'requests to the administration API had no valid key: it is unknown, expired or revoked, or its creator is no longer valid; at most once a minute, with their `count` and the last `address`',
    act: 'If frequent: replace the key of a program that still uses an old one; otherwise somebody is guessing keys',
    fields: ['address', 'count'],
  },
  code_refused: {
    level: 'warn',
    when: 'a code was refused at `/token`: unknown, expired, already used, or with a wrong verifier',
    act: 'If frequent: the application has a mistake (`reason` names it), or somebody is guessing codes',
    fields: ['clientId', 'reason'],
  },
  code_replayed: {
    level: 'warn',
    when: 'an opaque code was redeemed a second time by its application; the grant of the first redemption was ended',
    act: 'Revoke nothing: the grant has ended. If frequent: the application redeems its callbacks twice, or codes are stolen',
    fields: ['clientId', 'familyId', 'userId'],
  },
  refresh_refused: {
    level: 'warn',
    when: 'a rotated or revoked refresh token was presented',
    act: 'If frequent: the application does not store the newest token; or an old one was stolen, then revoke the user’s access',
    fields: ['clientId', 'familyId'],
  },
  refresh_replayed: {
    level: 'info',
    when: 'a rotated refresh token was presented within the application’s refresh replay window; its successor was returned again',
    fields: ['clientId', 'familyId'],
  },
  refresh_reused: {
    level: 'warn',
    when: 'a rotated refresh token was presented outside the replay window of an application with refresh reuse `end-grant`, and its grant was ended',
    act: 'A refresh token was stolen, or the application uses old tokens: find out where its tokens are stored; the user must authorize again',
    fields: ['clientId', 'user'],
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
    when: 'a flow could not start, because its user could not be created or read',
    act: 'Check `err`: usually the database',
    fields: ['clientId', 'err'],
  },
  step_not_counted: {
    level: 'error',
    when: 'a step of a flow, or a refused sign-in to the dashboard (`sign_in_refused`), could not be counted; nothing else failed',
    act: 'Check `err`: usually the database',
    fields: ['clientId', 'step', 'err'],
  },
  sign_in_refused: {
    level: 'info',
    when: 'a provider refused a sign-in, or its user did',
    fields: OF_SIGN_IN,
  },
  sign_in_unchecked: {
    level: 'warn',
    when: 'a provider’s response to a sign-in failed the checks',
    act: 'If frequent: check the provider’s URLs in the settings',
    fields: OF_SIGN_IN,
  },
  sign_in_failed: {
    level: 'error',
    when: 'a sign-in at a provider failed for a reason that users cannot fix',
    act: 'Check `reason`; `kalends setup` checks the provider app',
    fields: OF_SIGN_IN,
  },
  single_sign_on_failed: {
    level: 'warn',
    when: 'a single sign-on to the dashboard was refused',
    act: 'Check `reason`: the registration at the identity provider, or its claims',
    fields: ['kind', 'reason', 'error', 'requestId'],
  },
  dashboard_sign_in_refused: {
    level: 'warn',
    when: 'a sign-in to the dashboard was refused, or a member failed to confirm a session; at most one line a minute per network',
    act: 'If `count` is high, somebody is guessing passwords: block `network` in your proxy. `personId` is the member whose login was used',
    fields: ['way', 'reason', 'personId', 'network', 'count'],
  },
  access_renewed: {
    level: 'debug',
    when: 'an access token of Google’s or Microsoft’s was renewed',
    fields: ['accountKey', 'provider'],
  },
  renewal_failed: {
    level: 'warn',
    when: 'an access token could not be renewed: the user revoked the access, or the provider is unavailable',
    fields: OF_RENEWAL,
  },
  renewal_misconfigured: {
    level: 'error',
    when: 'no access token can be renewed, because the provider rejects the provider app',
    act: 'Fix the provider app at the provider, or its secret in the settings; `kalends doctor` checks both',
    fields: OF_RENEWAL,
  },
  renewal_fault: {
    level: 'error',
    when: 'the renewal of an access token failed with an internal error',
    act: 'Report it with `err`',
    fields: OF_RENEWAL,
  },
  renewal_not_stored: {
    level: 'error',
    when: 'a renewed access token could not be stored; it is tried again',
    act: 'Check the database. If the refresh token is lost, the user must sign in again',
    fields: ['accountKey', 'attempt', 'err'],
  },
  access_ended: {
    level: 'info',
    when: 'access to a disconnected account was revoked at its provider',
    fields: ['clientId', 'provider'],
  },
  access_not_ended: {
    level: 'warn',
    when: 'access could not be revoked at the provider for days, and Kalends gave up',
    act: 'Kalends has deleted the credentials. The user can revoke the access in the provider’s settings',
    fields: ['clientId', 'provider', 'err'],
  },
  access_unendable: {
    level: 'warn',
    when: 'access cannot be revoked at the provider, because its provider app is no longer set up',
    act: 'The user can revoke the access in the provider’s settings',
    fields: ['clientId', 'provider'],
  },
  unlinked_access_not_ended: {
    level: 'error',
    when: 'access from a sign-in whose account was not connected could not be revoked at the provider',
    act: 'The user can revoke the access in the provider’s settings',
    fields: ['clientId', 'provider', 'err'],
  },
} as const satisfies Readonly<Record<string, LogEvent>>;
