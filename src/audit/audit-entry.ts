/** The vocabulary of the audit log. Entries never contain secrets, tokens, account addresses, titles or user ids. */

/** All audited actions. A stored action stays in this list for as long as entries are kept. */
export const AUDIT_ACTIONS = [
  'client.created',
  'client.updated',
  'client.secret_rotated',
  'client.deleted',
  'branding.updated',
  'verification.submitted',
  'verification.approved',
  'verification.changes_requested',
  'verification.cancelled',
  'verification.edited',
  'verification.withdrawn',
  'provider_app.set',
  'provider_app.removed',
  'user.revoked',
  'user.exported',
  'user.deleted',
  'account.disconnected',
  'account.sync_requested',
  'account.reconnect_link_created',
  'endpoint.created',
  'endpoint.updated',
  'endpoint.secret_created',
  'endpoint.secret_rotated',
  'endpoint.paused',
  'endpoint.resumed',
  'endpoint.deleted',
  'delivery.shown',
  'delivery.replayed',
  'playground.connected',
  'playground.called',
  'signing_keys.rotated',
  'webhook_keys.rotated',
  'webhook_keys.switched',
  'master_key.rotated',
  'system.checked',
  'backup.made',
  'backup.restored',
  'person.invited',
  'person.invitation_withdrawn',
  'person.registered',
  'person.signed_in',
  'person.sign_in_refused',
  'person.signed_out_everywhere',
  'person.password_set',
  'person.passkey_added',
  'person.passkey_removed',
  'person.passkey_refused',
  'person.identity_set',
  'person.identity_removed',
  'person.role_changed',
  'person.reset',
  'person.removed',
  'admin_key.created',
  'admin_key.rotated',
  'admin_key.revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The actor of a change; `name` is the name of the person, key or operating system user at that time. */
export type AuditActor =
  | { readonly kind: 'command_line'; readonly name: string }
  | { readonly kind: 'person'; readonly id: string; readonly name: string }
  | { readonly kind: 'admin_key'; readonly id: string; readonly name: string }
  | { readonly kind: 'system' };

export const ACTOR_KINDS = [
  'command_line',
  'person',
  'admin_key',
  'system',
] as const satisfies readonly AuditActor['kind'][];

export type Caller = {
  readonly actor: AuditActor;
  /** The requester, if the actor is the system; `after` of the entry has it. */
  readonly requestedBy?: 'application';
  /** Undefined if the request did not come over the network. */
  readonly address: string | undefined;
  readonly now: () => number;
  /** The claim of a repeatable request: its changes are made only while the claim is held, and mark the request. */
  readonly claim?: RequestClaim | undefined;
  /** The holder of the lease `apply`: its changes are made only while it holds the lease, and extend it. */
  readonly applyHolder?: string | undefined;
};

export type RequestClaim = { readonly keyId: string; readonly keyHash: string; readonly holder: string };

/** The caller of an audited change. Without a caller the change is not an operator's and gets no entry. */
export type By = { readonly by: Caller | undefined };
/** `now` is epoch milliseconds. */
export type ChangeTerms = By & { readonly now: number };

/** Changed fields by name, with their values before or after; the names are those of the command line's documents. */
export type AuditFields = Readonly<Record<string, AuditValue>>;
export type AuditValue = string | number | boolean | null | readonly string[];

/** A change to audit. If both are given, `before` and `after` have the fields that differ. */
export type AuditedChange = {
  readonly action: AuditAction;
  readonly clientId?: string | undefined;
  /** The changed object, such as the id of an endpoint or of a person; the hash of a user. */
  readonly subject?: string | undefined;
  readonly before?: AuditFields | undefined;
  readonly after?: AuditFields | undefined;
};

/** An entry to write. `at` is epoch milliseconds. */
export type NewAuditEntry = AuditedChange & Pick<Caller, 'actor' | 'address'> & { readonly at: number };

/** A stored entry. Numbers increase in the order in which changes were committed. */
export type AuditEntry = NewAuditEntry & { readonly number: number };
