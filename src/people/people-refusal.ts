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
  | 'flow_ended';

/** `retryAfter` is in seconds. */
export class PeopleRefusal extends Error {
  readonly kind: PeopleRefusalKind;
  readonly retryAfter: number | undefined;
  constructor(kind: PeopleRefusalKind, { retryAfter }: { readonly retryAfter?: number } = {}) {
    super(kind);
    this.name = 'PeopleRefusal';
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}
