/** Why something in the dashboard is refused. */
export type PeopleRefusalKind =
  | 'not_signed_in'
  | 'not_fresh'
  | 'not_allowed'
  | 'not_there'
  | 'foreign_form'
  | 'link_ended'
  | 'wrong_login'
  | 'too_many'
  | 'last_owner'
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

/** `retryAfter` is in seconds. */
export class PeopleRefusal extends Error {
  readonly kind: PeopleRefusalKind;
  readonly retryAfter: number | undefined;
  /** `cause` is for the log alone. */
  constructor(
    kind: PeopleRefusalKind,
    { retryAfter, ...options }: { readonly retryAfter?: number; readonly cause?: unknown } = {},
  ) {
    super(kind, options);
    this.name = 'PeopleRefusal';
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}
