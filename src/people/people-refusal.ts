/** The reasons for which the dashboard refuses something. */
export type PeopleRefusalKind =
  | 'not_signed_in'
  | 'not_fresh'
  | 'not_allowed'
  | 'not_there'
  | 'foreign_form'
  | 'link_ended'
  | 'wrong_login'
  | 'too_many'
  | 'too_many_for_login'
  | 'last_owner'
  | 'own_creator'
  | 'login_taken'
  | 'no_passkeys'
  | 'challenge_ended'
  | 'wrong_passkey'
  | 'passkey_taken'
  | 'last_way'
  | 'flow_ended'
  | 'way_off'
  | 'identity_taken'
  | 'role_from_claims'
  | 'issuer_unavailable'
  | 'sign_in_cancelled'
  | 'sign_in_ended'
  | 'sign_in_failed'
  | 'not_invited'
  | 'other_person'
  | 'not_fresh_there';

/** The member that a sign-in names, if any, and whether they signed in with this browser before. */
export type SignInTarget = { readonly personId: string | undefined; readonly isKnownBrowser: boolean };

type Facts = { readonly retryAfter?: number; readonly target?: SignInTarget; readonly cause?: unknown };

/** `retryAfter` is in seconds. */
export class PeopleRefusal extends Error {
  readonly kind: PeopleRefusalKind;
  readonly retryAfter: number | undefined;
  readonly target: SignInTarget | undefined;
  /** `cause` and `target` are for the logs alone: a response that depended on them would show which members exist. */
  constructor(kind: PeopleRefusalKind, { retryAfter, target, ...options }: Facts = {}) {
    super(kind, options);
    this.name = 'PeopleRefusal';
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.target = target;
  }
}
