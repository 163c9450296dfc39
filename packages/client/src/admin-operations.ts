/** The administration API, from docs/admin-openapi.json, written by `npm run docs`. */

export type AccountCalendar = {
  readonly key: string;
  readonly title: string;
  readonly primary: boolean;
  readonly left_out: boolean;
  readonly event_count: number;
  readonly synced_at: string | null;
  readonly next_at: string | null;
  readonly pushed_until: string | null;
  readonly failure: string | null;
};

export type AdminKey = {
  readonly key_id: string;
  readonly name: string;
  readonly role: string;
  readonly client_ids: readonly string[];
  readonly prefix: string;
  readonly state: string;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
};

export type Alert = {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly summary: string;
  readonly action: string;
  readonly client_id: string | null;
  readonly subject: string;
  readonly url: string | null;
  readonly opened_at: string;
  readonly resolved_at: string | null;
};

export type AlertTest = {
  readonly channel: string;
  readonly recipient: string;
  readonly sent: boolean;
  readonly problem: string | null;
};

export type Application = {
  readonly client_id: string;
  readonly name: string;
  readonly display_name: string | null;
  readonly webhook_url: string | null;
  readonly redirect_uris: readonly string[];
  readonly returning_users: string;
  readonly providers: readonly string[] | null;
  readonly profile: 'default' | 'fapi2';
  readonly pushed_requests: 'accepted' | 'required';
  readonly pkce: 'accepted' | 'required';
  readonly code_format: 'user-id' | 'opaque';
  readonly code_lifetime: number;
  readonly issuer_in_callback: 'off' | 'on';
  readonly refresh_rotation: 'always' | 'never';
  readonly refresh_reuse: 'refuse' | 'end-grant';
  readonly refresh_replay_window: number;
  readonly refresh_idle_lifetime: number;
  readonly refresh_lifetime: number;
  readonly sender_constraint: 'off' | 'accepted' | 'required';
  readonly dpop_nonce: 'off' | 'on';
  readonly client_authentication: 'secret' | 'private_key_jwt' | 'none';
  readonly revocation: 'open' | 'authenticated';
  readonly resource_indicators: 'off' | 'on';
  readonly redirect_uri: string;
  readonly created_at: string;
  readonly own_webhook_keys?: boolean;
  readonly branding: Branding;
  readonly application_url: string | null;
  readonly support_email: string | null;
  readonly support_url: string | null;
  readonly privacy_url: string | null;
  readonly terms_url: string | null;
  readonly verified: boolean;
  readonly verified_at: string | null;
  readonly review_status: string;
  readonly google_client_id?: string | null;
  readonly microsoft_client_id?: string | null;
  readonly jwks_uri?: string | null;
  readonly jwks?: Readonly<Record<string, unknown>> | null;
  readonly live_secrets?: number;
  readonly user_count?: number;
};

export type ApplicationLoad = {
  readonly client_id: string;
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly call_ms: number;
  readonly failures: number;
  readonly syncs: number;
  readonly sync_ms: number;
  readonly deliveries: number;
};

export type Attempt = {
  readonly number: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status?: number;
  readonly answer?: string;
  readonly fault?: string;
};

export type AuditEntry = {
  readonly number: number;
  readonly at: string;
  readonly actor: {
    readonly kind: string;
    readonly id?: string | null;
    readonly name?: string | null;
  };
  readonly address: string | null;
  readonly action: string;
  readonly client_id: string | null;
  readonly subject: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

export type Backup = {
  readonly name: string;
  readonly bytes: number;
  readonly created_at: string;
  readonly scheduled: boolean;
};

export type Branding = {
  readonly enabled: boolean;
  readonly logo_url: string | null;
  readonly dark_logo_url: string | null;
  readonly primary_color: string | null;
  readonly theme: string;
  readonly hide_footer: boolean;
};

export type Check = {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly since: string;
};

export type CheckedSignature = {
  readonly scheme: string | null;
  readonly by: string | null;
  readonly signature: string;
};

export type DeletionReceipt = {
  readonly deleted_at: string;
  readonly accounts: number;
  readonly calendars: number;
  readonly events: number;
  readonly grants: number;
  readonly changes: number;
  readonly deliveries: number;
};

export type Delivery = {
  readonly id: string;
  readonly clientId: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly provider: string;
  readonly calendarId?: string;
  readonly sequence: number;
  readonly changeType: string;
  readonly eventCount: number;
  readonly state: string;
  readonly reason?: string;
  readonly attempts: number;
  readonly createdAt: string;
  readonly nextAttemptAt?: string;
  readonly settledAt?: string;
};

export type Endpoint = {
  readonly endpoint_id: string;
  readonly client_id: string;
  readonly url?: string | null;
  readonly private_network: boolean;
  readonly is_webhook_url: boolean;
  readonly hears: readonly string[];
  readonly state: string;
  readonly paused_reason: string | null;
  readonly paused_at: string | null;
  readonly failures: number;
  readonly failing_since: string | null;
  readonly last_fault: string | null;
  readonly waiting?: number;
  readonly created_at: string;
  readonly expires_at: string | null;
};

export type FoundUser = {
  readonly client_id: string;
  readonly user_id: string;
  readonly account: string | null;
  readonly account_count: number;
  readonly ailing_count: number;
  readonly grant_count: number;
  readonly created_at: string;
  readonly last_seen_at: string | null;
};

export type Grant = {
  readonly scope: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
};

export type Instance = {
  readonly instance_id: string;
  readonly host: string;
  readonly version: string;
  readonly role: string;
  readonly started_at: string;
  readonly seen_at: string;
};

export type Invitation = {
  readonly invitation_id: string;
  readonly purpose: string;
  readonly email: string | null;
  readonly role: string;
  readonly created_by: string | null;
  readonly expires_at: string | null;
};

export type JobCount = {
  readonly kind: string;
  readonly waiting: number;
  readonly running: number;
  readonly late: number;
  readonly oldest_due_at: string | null;
};

export type LinkedAccount = {
  readonly provider: string;
  readonly key: string;
  readonly id: string;
  readonly display: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string | null;
  readonly since: string;
  readonly turn: string | null;
  readonly mends: string | null;
  readonly linked_at: string;
  readonly synced_at: string | null;
  readonly first_sync: {
    readonly calendars: number;
    readonly calendars_read: number;
    readonly events: number;
    readonly events_expected: number | null;
  } | null;
  readonly updates: string;
  readonly history: readonly {
    readonly at: string;
    readonly happened: string;
    readonly reason: string | null;
    readonly message: string | null;
    readonly turn: string | null;
  }[];
};

export type ManifestStep = {
  readonly action: string;
  readonly path: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
};

export type Member = {
  readonly person_id: string;
  readonly email: string | null;
  readonly name: string;
  readonly role: string;
  readonly client_ids: readonly string[];
  readonly last_seen_at: string | null;
};

export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Readonly<Record<string, unknown>>[];
};

export type NewSecret = {
  readonly path: string;
  readonly client_id?: string;
  readonly endpoint_id?: string;
  readonly client_secret?: string;
  readonly webhook_secret?: string;
  readonly secret?: string;
  readonly url?: string;
};

export type Passkey = {
  readonly passkey_id: string;
  readonly name: string;
  readonly last_used_at: string | null;
};

export type ReasonGroup = {
  readonly reason: string;
  readonly count: number;
  readonly has_more: boolean;
  readonly mends: string;
  readonly accounts: readonly UnhealthyAccount[];
};

export type Request = {
  readonly request_id: string;
  readonly at: string;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly duration_ms: number;
  readonly client_id: string | null;
  readonly user: string | null;
  readonly network: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly repeated: number;
  readonly claimed: boolean;
};

export type Requirement = {
  readonly name: string;
  readonly requirement: string;
  readonly missing: string | null;
};

export type Review = {
  readonly client_id: string;
  readonly verified: boolean;
  readonly verified_at: string | null;
  readonly review_status: string;
  readonly submission: string | null;
  readonly submitted_at: string | null;
  readonly reviewer_note: string | null;
  readonly redirect_uri: string;
  readonly redirect_uris: readonly string[];
  readonly missing: readonly string[];
  readonly present: ReviewedValues;
  readonly approved: ReviewedValues | null;
  readonly activity?: readonly ReviewActivity[];
};

export type ReviewActivity = {
  readonly number: number;
  readonly at: string;
  readonly kind: string;
  readonly actor: string | null;
  readonly note: string | null;
  readonly fields?: readonly string[];
};

export type ReviewedValues = {
  readonly application_url: string | null;
  readonly dark_logo_url: string | null;
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly support_email: string | null;
  readonly support_url: string | null;
};

export type Session = {
  readonly last_used_at: string | null;
  readonly address: string | null;
  readonly browser: string;
};

export type Setting = {
  readonly name: string;
  readonly value: string | null;
  readonly from: string;
  readonly secret: boolean;
};

export type UnhealthyAccount = {
  readonly client_id: string;
  readonly user_id: string;
  readonly key: string;
  readonly provider: string;
  readonly display: string;
  readonly state: string;
  readonly reason?: string;
  readonly message: string | null;
  readonly since: string;
  readonly turn: string | null;
};

/** Options of a call. */
export type CallOptions = {
  /** The `etag` of an earlier result: the change fails with `changed_meanwhile` if there is another version. */
  readonly ifMatch?: string | undefined;
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined;
};

/** The operations. The input has the fields of the path, the query and the body. All fail with KalendsError. */
export type AdminOperations = {
  /** List the applications that the key may read. */
  listApplications(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly clients: readonly Application[];
    readonly next?: string | null;
  }>;
  /** Create an application. */
  createApplication(
    input: {
      /** The name that operators see. */
      readonly name: string;
      /** The default redirect URI: where browsers return with the authorization code. */
      readonly redirect_uri?: string;
      /** All redirect URIs, at most 20, the default first. With several, a request can name one of them. */
      readonly redirect_uris?: readonly string[];
      /** The name on the Connect pages. */
      readonly display_name?: string;
      /** The URL that receives deliveries. */
      readonly webhook_url?: string;
      /** `true`: its webhooks are signed with keys of its own. */
      readonly own_webhook_keys?: boolean;
      /** `fapi2`: the FAPI 2.0 Security Profile, which makes other switches stricter and needs `jwks` or `jwks_uri`. `default` restores the switches from before the profile. */
      readonly profile?: 'default' | 'fapi2';
      /** `accepted`, the default: `/authorize` takes its parameters from the URL or from a request pushed to `/par`. `required`: only from a pushed request (RFC 9126). */
      readonly pushed_requests?: 'accepted' | 'required';
      /** `required`: every authorization request needs a `code_challenge` with the method S256 (RFC 7636). */
      readonly pkce?: 'accepted' | 'required';
      /** `user-id`, the default: the authorization code is the user id. `opaque`: it is a random value that works once, and a second redemption ends the grant of the first. */
      readonly code_format?: 'user-id' | 'opaque';
      /** Seconds for which an authorization code can be redeemed: 10 to 600; 600 by default. */
      readonly code_lifetime?: number;
      /** `on`: the redirect to the application has the parameter `iss` (RFC 9207). */
      readonly issuer_in_callback?: 'off' | 'on';
      /** `always`, the default: each refresh returns a new refresh token. `never`: it returns the same one. Allowed with client authentication `private_key_jwt` or sender constraint `required`. */
      readonly refresh_rotation?: 'always' | 'never';
      /** `end-grant`: a rotated refresh token that is presented outside the replay window ends its grant (RFC 9700). Needs a refresh replay window of at least 10 seconds unless rotation is `never`. */
      readonly refresh_reuse?: 'refuse' | 'end-grant';
      /** Seconds after a refresh for which the rotated refresh token still returns its successor, until the successor is used: 0 (off, the default) to 120. A client whose response was lost can then repeat the request. */
      readonly refresh_replay_window?: number;
      /** How long after the last refresh a refresh token expires: 1h to 3650d, or `none`, the default. In seconds; 0 means `none`. */
      readonly refresh_idle_lifetime?: 0 | unknown;
      /** How long after the approval the refresh tokens of the grant expire: 1h to 3650d, or `none`, the default. In seconds; 0 means `none`. */
      readonly refresh_lifetime?: 0 | unknown;
      /** `accepted`: a DPoP proof binds codes and tokens to its key (RFC 9449). `required`: unbound tokens are refused. `off` is the default. */
      readonly sender_constraint?: 'off' | 'accepted' | 'required';
      /** `on`: DPoP proofs need a nonce of the server (RFC 9449 §8). */
      readonly dpop_nonce?: 'off' | 'on';
      /** `secret`, the default: the client secret. `private_key_jwt`: an assertion that a registered key signed (RFC 7523); all secrets end. `none`: the application is public. */
      readonly client_authentication?: 'secret' | 'private_key_jwt' | 'none';
      /** `open`, the default: anyone who has a token can revoke it. `authenticated`: `/revoke` also requires the client authentication of its application. */
      readonly revocation?: 'open' | 'authenticated';
      /** `on`: the parameter `resource` sets the audience of access tokens (RFC 8707). */
      readonly resource_indicators?: 'off' | 'on';
      /** The public keys for `client_authentication` `private_key_jwt`: a JWK Set of 1 to 10 keys for ES256, PS256 or Ed25519. They replace all earlier keys. An empty text removes them. */
      readonly jwks?: Readonly<Record<string, unknown>> | '';
      /** The https URL of such a set instead, which is read again after 5 minutes to 24 hours. An empty text removes all keys. */
      readonly jwks_uri?: string;
      /** Whether returning users prove their accounts. */
      readonly returning_users?: 'prove' | 'continue';
      /** The providers that it offers. An empty list means all providers of the deployment. */
      readonly providers?: readonly ('google' | 'microsoft' | 'apple' | 'caldav')[];
      /** `true`: the webhook URL may be one that another application uses. Only owners can set it. */
      readonly share_address?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_secret?: string;
    readonly webhook_secret?: string;
    readonly client_id: string;
    readonly name: string;
    readonly display_name: string | null;
    readonly webhook_url: string | null;
    readonly redirect_uris: readonly string[];
    readonly returning_users: string;
    readonly providers: readonly string[] | null;
    readonly profile: 'default' | 'fapi2';
    readonly pushed_requests: 'accepted' | 'required';
    readonly pkce: 'accepted' | 'required';
    readonly code_format: 'user-id' | 'opaque';
    readonly code_lifetime: number;
    readonly issuer_in_callback: 'off' | 'on';
    readonly refresh_rotation: 'always' | 'never';
    readonly refresh_reuse: 'refuse' | 'end-grant';
    readonly refresh_replay_window: number;
    readonly refresh_idle_lifetime: number;
    readonly refresh_lifetime: number;
    readonly sender_constraint: 'off' | 'accepted' | 'required';
    readonly dpop_nonce: 'off' | 'on';
    readonly client_authentication: 'secret' | 'private_key_jwt' | 'none';
    readonly revocation: 'open' | 'authenticated';
    readonly resource_indicators: 'off' | 'on';
    readonly redirect_uri: string;
    readonly created_at: string;
    readonly own_webhook_keys?: boolean;
    readonly branding: Branding;
    readonly application_url: string | null;
    readonly support_email: string | null;
    readonly support_url: string | null;
    readonly privacy_url: string | null;
    readonly terms_url: string | null;
    readonly verified: boolean;
    readonly verified_at: string | null;
    readonly review_status: string;
    readonly google_client_id?: string | null;
    readonly microsoft_client_id?: string | null;
    readonly jwks_uri?: string | null;
    readonly jwks?: Readonly<Record<string, unknown>> | null;
    readonly live_secrets?: number;
    readonly user_count?: number;
  }>;
  /** Show an application. */
  showApplication(
    input: {
      /** The id of the application. */
      readonly client_id: string;
    },
    options?: CallOptions,
  ): Promise<Application & { readonly etag?: string }>;
  /** Change an application. */
  updateApplication(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The name that operators see. */
      readonly name?: string;
      /** The default redirect URI: where browsers return with the authorization code. */
      readonly redirect_uri?: string;
      /** All redirect URIs, at most 20, the default first. With several, a request can name one of them. */
      readonly redirect_uris?: readonly string[];
      /** Redirect URIs to add at the end. */
      readonly add_redirect_uris?: readonly string[];
      /** Redirect URIs to remove. The others keep their order. */
      readonly remove_redirect_uris?: readonly string[];
      /** The name on the Connect pages. An empty text removes it. */
      readonly display_name?: string;
      /** The URL that receives deliveries. An empty text removes it. */
      readonly webhook_url?: string;
      /** The website of the application. An empty text removes it. */
      readonly application_url?: string;
      /** The contact that users see. An empty text removes it. */
      readonly support_email?: string;
      /** The support page. An empty text removes it. */
      readonly support_url?: string;
      /** The privacy policy. An empty text removes it. */
      readonly privacy_url?: string;
      /** The terms of service. An empty text removes it. */
      readonly terms_url?: string;
      /** `fapi2`: the FAPI 2.0 Security Profile, which makes other switches stricter and needs `jwks` or `jwks_uri`. `default` restores the switches from before the profile. */
      readonly profile?: 'default' | 'fapi2';
      /** `accepted`, the default: `/authorize` takes its parameters from the URL or from a request pushed to `/par`. `required`: only from a pushed request (RFC 9126). */
      readonly pushed_requests?: 'accepted' | 'required';
      /** `required`: every authorization request needs a `code_challenge` with the method S256 (RFC 7636). */
      readonly pkce?: 'accepted' | 'required';
      /** `user-id`, the default: the authorization code is the user id. `opaque`: it is a random value that works once, and a second redemption ends the grant of the first. */
      readonly code_format?: 'user-id' | 'opaque';
      /** Seconds for which an authorization code can be redeemed: 10 to 600; 600 by default. */
      readonly code_lifetime?: number;
      /** `on`: the redirect to the application has the parameter `iss` (RFC 9207). */
      readonly issuer_in_callback?: 'off' | 'on';
      /** `always`, the default: each refresh returns a new refresh token. `never`: it returns the same one. Allowed with client authentication `private_key_jwt` or sender constraint `required`. */
      readonly refresh_rotation?: 'always' | 'never';
      /** `end-grant`: a rotated refresh token that is presented outside the replay window ends its grant (RFC 9700). Needs a refresh replay window of at least 10 seconds unless rotation is `never`. */
      readonly refresh_reuse?: 'refuse' | 'end-grant';
      /** Seconds after a refresh for which the rotated refresh token still returns its successor, until the successor is used: 0 (off, the default) to 120. A client whose response was lost can then repeat the request. */
      readonly refresh_replay_window?: number;
      /** How long after the last refresh a refresh token expires: 1h to 3650d, or `none`, the default. In seconds; 0 means `none`. */
      readonly refresh_idle_lifetime?: 0 | unknown;
      /** How long after the approval the refresh tokens of the grant expire: 1h to 3650d, or `none`, the default. In seconds; 0 means `none`. */
      readonly refresh_lifetime?: 0 | unknown;
      /** `accepted`: a DPoP proof binds codes and tokens to its key (RFC 9449). `required`: unbound tokens are refused. `off` is the default. */
      readonly sender_constraint?: 'off' | 'accepted' | 'required';
      /** `on`: DPoP proofs need a nonce of the server (RFC 9449 §8). */
      readonly dpop_nonce?: 'off' | 'on';
      /** `secret`, the default: the client secret. `private_key_jwt`: an assertion that a registered key signed (RFC 7523); all secrets end. `none`: the application is public. */
      readonly client_authentication?: 'secret' | 'private_key_jwt' | 'none';
      /** `open`, the default: anyone who has a token can revoke it. `authenticated`: `/revoke` also requires the client authentication of its application. */
      readonly revocation?: 'open' | 'authenticated';
      /** `on`: the parameter `resource` sets the audience of access tokens (RFC 8707). */
      readonly resource_indicators?: 'off' | 'on';
      /** The public keys for `client_authentication` `private_key_jwt`: a JWK Set of 1 to 10 keys for ES256, PS256 or Ed25519. They replace all earlier keys. An empty text removes them. */
      readonly jwks?: Readonly<Record<string, unknown>> | '';
      /** The https URL of such a set instead, which is read again after 5 minutes to 24 hours. An empty text removes all keys. */
      readonly jwks_uri?: string;
      /** Whether returning users prove their accounts. */
      readonly returning_users?: 'prove' | 'continue';
      /** The providers that it offers. An empty list means all providers of the deployment. */
      readonly providers?: readonly ('google' | 'microsoft' | 'apple' | 'caldav')[];
      /** `true`: the webhook URL may be one that another application uses. Only owners can set it. */
      readonly share_address?: boolean;
    },
    options?: CallOptions,
  ): Promise<
    {
      readonly client_id: string;
      readonly name: string;
      readonly display_name: string | null;
      readonly webhook_url: string | null;
      readonly redirect_uris: readonly string[];
      readonly returning_users: string;
      readonly providers: readonly string[] | null;
      readonly profile: 'default' | 'fapi2';
      readonly pushed_requests: 'accepted' | 'required';
      readonly pkce: 'accepted' | 'required';
      readonly code_format: 'user-id' | 'opaque';
      readonly code_lifetime: number;
      readonly issuer_in_callback: 'off' | 'on';
      readonly refresh_rotation: 'always' | 'never';
      readonly refresh_reuse: 'refuse' | 'end-grant';
      readonly refresh_replay_window: number;
      readonly refresh_idle_lifetime: number;
      readonly refresh_lifetime: number;
      readonly sender_constraint: 'off' | 'accepted' | 'required';
      readonly dpop_nonce: 'off' | 'on';
      readonly client_authentication: 'secret' | 'private_key_jwt' | 'none';
      readonly revocation: 'open' | 'authenticated';
      readonly resource_indicators: 'off' | 'on';
      readonly redirect_uri: string;
      readonly created_at: string;
      readonly own_webhook_keys?: boolean;
      readonly branding: Branding;
      readonly application_url: string | null;
      readonly support_email: string | null;
      readonly support_url: string | null;
      readonly privacy_url: string | null;
      readonly terms_url: string | null;
      readonly verified: boolean;
      readonly verified_at: string | null;
      readonly review_status: string;
      readonly google_client_id?: string | null;
      readonly microsoft_client_id?: string | null;
      readonly jwks_uri?: string | null;
      readonly jwks?: Readonly<Record<string, unknown>> | null;
      readonly live_secrets?: number;
      readonly user_count?: number;
      readonly client_secret?: string;
      readonly webhook_secret?: string;
    } & { readonly etag?: string }
  >;
  /** Delete an application with its users, their grants and their accounts. */
  deleteApplication(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly deleted: boolean;
    readonly client_id: string;
    readonly users: number;
    readonly accounts?: number;
    readonly endpoints: number;
  }>;
  /** Replace the secret of an application. */
  rotateApplicationSecret(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The hours for which the previous secret stays valid; 24 by default. */
      readonly overlap_hours?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly client_secret: string;
    readonly old_secret_expires_at: string;
  }>;
  /** Check what an application lacks for a profile. */
  checkApplication(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The profile, by default that of the application. */
      readonly profile?: 'default' | 'fapi2';
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly profile: 'default' | 'fapi2';
    readonly met: boolean;
    readonly living_grants: number;
    readonly requirements: readonly Requirement[];
  }>;
  /** Show the branding of an application. */
  showBranding(
    input: {
      /** The id of the application. */
      readonly client_id: string;
    },
    options?: CallOptions,
  ): Promise<Branding & { readonly etag?: string }>;
  /** Change the branding of an application. */
  updateBranding(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** `false`: pages have the default appearance. All settings stay. */
      readonly enabled?: boolean;
      /** The color of buttons and links, `#rrggbb`. An empty text removes it. */
      readonly primary_color?: string;
      /** `auto` follows the user's choice or device. */
      readonly theme?: 'auto' | 'light' | 'dark';
      /** `true`: pages do not mention Kalends in the footer. */
      readonly hide_footer?: boolean;
    },
    options?: CallOptions,
  ): Promise<Branding & { readonly etag?: string }>;
  /** Set a logo of an application. */
  setLogo(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The pages that show the logo. */
      readonly scheme: 'light' | 'dark';
      /** The picture in Base64, at most 4 MB. */
      readonly picture?: string;
      /** An https URL from which the picture is downloaded now; at most 2 MB. */
      readonly url?: string;
    },
    options?: CallOptions,
  ): Promise<Branding & { readonly etag?: string }>;
  /** Remove a logo of an application. */
  removeLogo(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The pages that show the logo. */
      readonly scheme: 'light' | 'dark';
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<Branding & { readonly etag?: string }>;
  /** The counts of a dry run, which removes nothing. */
  removeLogo(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The pages that show the logo. */
      readonly scheme: 'light' | 'dark';
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly logos: number;
  }>;
  /** Show an application's own app at a provider. */
  showProviderApp(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The provider of the app. */
      readonly provider: 'google' | 'microsoft';
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly provider: string;
    readonly app_client_id: string | null;
  }>;
  /** Set an application's own app at a provider. */
  setProviderApp(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The provider of the app. */
      readonly provider: 'google' | 'microsoft';
      /** The id of the app; the present one by default. */
      readonly app_client_id?: string;
      /** The secret of the app. It can be absent if the id stays. */
      readonly client_secret?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly provider: string;
    readonly app_client_id: string | null;
  }>;
  /** Remove an application's own app at a provider. */
  removeProviderApp(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The provider of the app. */
      readonly provider: 'google' | 'microsoft';
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly provider: string;
    readonly app_client_id: string | null;
  }>;
  /** The counts of a dry run, which removes nothing. */
  removeProviderApp(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The provider of the app. */
      readonly provider: 'google' | 'microsoft';
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly provider_apps: number;
  }>;
  /** Check an application's own app at its provider. */
  checkProviderApp(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The provider of the app. */
      readonly provider: 'google' | 'microsoft';
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly provider: string;
    readonly verdict: string;
  }>;
  /** Show the review of an application, its submission and its activity. */
  showReview(
    input: {
      /** The id of the application. */
      readonly client_id: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** Submit an application for review. */
  submitForReview(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** A note for the activity log, at most 2,000 characters. */
      readonly note?: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** Cancel a submission. */
  cancelReview(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** A note for the activity log, at most 2,000 characters. */
      readonly note?: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** Approve a submission: users see its values from now on. */
  approveSubmission(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** A note for the activity log, at most 2,000 characters. */
      readonly note?: string;
      /** The `submission` that was reviewed, the present one by default. The operation fails if another one is under review. */
      readonly submission?: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** Reject a submission and request changes, with a note. */
  requestChanges(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** A note for the activity log, at most 2,000 characters. */
      readonly note?: string;
      /** The `submission` that was reviewed, the present one by default. The operation fails if another one is under review. */
      readonly submission?: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** Withdraw a verification, with a note. */
  withdrawVerification(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** A note for the activity log, at most 2,000 characters. */
      readonly note?: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** Approve the present values of an application without a submission. */
  verifyApplication(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** A note for the activity log, at most 2,000 characters. */
      readonly note?: string;
    },
    options?: CallOptions,
  ): Promise<Review>;
  /** List the applications under review, earliest submission first. */
  listReviews(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly applications: readonly Review[];
    readonly next?: string | null;
  }>;
  /** List the webhook endpoints of an application. */
  listEndpoints(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoints: readonly Endpoint[];
    readonly next?: string | null;
  }>;
  /** Add a webhook endpoint to an application. */
  addEndpoint(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The https URL that receives deliveries. */
      readonly url: string;
      /** The topics: at least one of events, calendars, connections. With `own`, it also receives changes that the application made itself. */
      readonly hears?: readonly ('events' | 'calendars' | 'connections' | 'own')[];
      /** `true`: the URL may be one that another application uses. Only owners can set it. */
      readonly share_address?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoint_id: string;
    readonly secret: string;
  }>;
  /** List the webhook endpoints of all applications that the key may read. */
  listAllEndpoints(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoints: readonly Endpoint[];
    readonly next?: string | null;
  }>;
  /** Show a webhook endpoint. */
  showEndpoint(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
    },
    options?: CallOptions,
  ): Promise<Endpoint>;
  /** Change the topics or the URL of a webhook endpoint. */
  updateEndpoint(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
      /** The https URL that receives deliveries. */
      readonly url?: string;
      /** The topics: at least one of events, calendars, connections. With `own`, it also receives changes that the application made itself. */
      readonly hears?: readonly ('events' | 'calendars' | 'connections' | 'own')[];
      /** `true`: the URL may be one that another application uses. Only owners can set it. */
      readonly share_address?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoint_id: string;
    readonly url?: string | null;
    readonly hears: readonly string[];
  }>;
  /** Remove an added webhook endpoint with its waiting deliveries and its log. */
  removeEndpoint(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly removed: boolean;
    readonly endpoint_id: string;
    readonly waiting?: number;
  }>;
  /** Pause deliveries to a webhook endpoint. */
  pauseEndpoint(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoint_id: string;
    readonly state: string;
  }>;
  /** Resume deliveries to a paused webhook endpoint. */
  resumeEndpoint(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoint_id: string;
    readonly state: string;
  }>;
  /** Send a signed test delivery to a webhook endpoint now. */
  testEndpoint(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoint_id: string;
    readonly url?: string | null;
    readonly ok: boolean;
    readonly status: number;
    readonly fault: string | null;
    readonly duration_ms: number;
  }>;
  /** Replace the secret of a webhook endpoint. */
  rotateEndpointSecret(
    input: {
      /** The id of the endpoint. */
      readonly endpoint_id: string;
      /** The hours for which the previous secret stays valid; 24 by default. */
      readonly overlap_hours?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly endpoint_id: string;
    readonly secret: string;
  }>;
  /** List the deliveries of the last 30 days, newest first. */
  listDeliveries(
    input?: {
      /** The application; all that the key may read by default. */
      readonly client_id?: string;
      /** Deliveries in this state. `pending` includes `retrying`, which had an attempt. */
      readonly state?: 'pending' | 'retrying' | 'delivered' | 'dead' | 'withheld';
      /** Deliveries about this user. */
      readonly user_id?: string;
      /** Deliveries about this provider. */
      readonly provider?: 'google' | 'microsoft' | 'apple' | 'caldav';
      /** Deliveries about this calendar. */
      readonly calendar_id?: string;
      /** Deliveries to this endpoint. */
      readonly endpoint_id?: string;
      /** Deliveries created at or after this time. */
      readonly from?: string;
      /** Deliveries created before this time. */
      readonly to?: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly deliveries: readonly Delivery[];
    readonly next?: string | null;
  }>;
  /** Show a delivery with its attempts, without its body. */
  showDelivery(
    input: {
      /** The id of the delivery. */
      readonly delivery_id: string;
      /** The application; all that the key may read by default. */
      readonly client_id?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly id: string;
    readonly clientId: string;
    readonly endpointId: string;
    readonly userId: string;
    readonly provider: string;
    readonly calendarId?: string;
    readonly sequence: number;
    readonly changeType: string;
    readonly eventCount: number;
    readonly state: string;
    readonly reason?: string;
    readonly attempts: number;
    readonly createdAt: string;
    readonly nextAttemptAt?: string;
    readonly settledAt?: string;
    readonly attemptLog: readonly Attempt[];
  }>;
  /** Show a delivery with its attempts and its body. */
  openDelivery(
    input: {
      /** The id of the delivery. */
      readonly delivery_id: string;
      /** The application; all that the key may read by default. */
      readonly client_id?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly id: string;
    readonly clientId: string;
    readonly endpointId: string;
    readonly userId: string;
    readonly provider: string;
    readonly calendarId?: string;
    readonly sequence: number;
    readonly changeType: string;
    readonly eventCount: number;
    readonly state: string;
    readonly reason?: string;
    readonly attempts: number;
    readonly createdAt: string;
    readonly nextAttemptAt?: string;
    readonly settledAt?: string;
    readonly attemptLog: readonly Attempt[];
    readonly body: Readonly<Record<string, unknown>> | null;
  }>;
  /** Check which key or secret made the signatures that a receiver got. */
  checkDeliverySignature(
    input: {
      /** The id of the delivery. */
      readonly delivery_id: string;
      /** The application; all that the key may read by default. */
      readonly client_id?: string;
      /** The received `webhook-timestamp`. */
      readonly timestamp: string;
      /** The received `webhook-signature`. */
      readonly signature: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly signatures: readonly CheckedSignature[];
  }>;
  /** Resend a delivery. */
  replayDelivery(
    input: {
      /** The id of the delivery. */
      readonly delivery_id: string;
      /** The application; all that the key may read by default. */
      readonly client_id?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly count: number;
    readonly more: boolean;
  }>;
  /** Resend the deliveries of a period, at most 10,000, oldest first. */
  replayDeliveries(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** Deliveries in this state. `pending` includes `retrying`, which had an attempt. */
      readonly state?: 'pending' | 'retrying' | 'delivered' | 'dead' | 'withheld';
      /** Deliveries about this user. */
      readonly user_id?: string;
      /** Deliveries about this provider. */
      readonly provider?: 'google' | 'microsoft' | 'apple' | 'caldav';
      /** Deliveries about this calendar. */
      readonly calendar_id?: string;
      /** Deliveries to this endpoint. */
      readonly endpoint_id?: string;
      /** Deliveries created at or after this time. */
      readonly from: string;
      /** Deliveries created before this time. */
      readonly to: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly count: number;
    readonly more: boolean;
  }>;
  /** List requests of applications, newest first: errors and a sample of successes. */
  listRequests(
    input?: {
      /** By this application; by all that the key may read by default. */
      readonly client_id?: string;
      /** For this user of the application. */
      readonly user_id?: string;
      /** With this status, such as `429`, of this class, such as `4xx`, or `errors`. */
      readonly status?: string;
      /** To this route, such as `/events/:id`. */
      readonly route?: string;
      /** The request whose response had this X-Request-Id. */
      readonly request_id?: string;
      /** At this time or later. */
      readonly from?: string;
      /** Before this time. */
      readonly to?: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly requests: readonly Request[];
    readonly next?: string | null;
  }>;
  /** Show a request of the log. */
  showRequest(
    input: {
      /** The request whose response had this X-Request-Id. */
      readonly request_id: string;
    },
    options?: CallOptions,
  ): Promise<Request>;
  /** List the users of an application, in the order of their ids. */
  listUsers(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** Users whose id, or whose account's name or address, starts with this text. Viewers find whole names only. */
      readonly search?: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly users: readonly FoundUser[];
    readonly next?: string | null;
  }>;
  /** Show a user with the accounts and their history. */
  showUser(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly user_id: string;
    readonly account_count: number;
    readonly grant_count: number;
    readonly created_at: string;
    readonly last_seen_at: string | null;
    readonly accounts?: readonly LinkedAccount[];
    readonly grants?: readonly Grant[];
  }>;
  /** Delete a user with its grants, connected accounts and mirrored calendars. */
  deleteUser(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly deleted: boolean;
    readonly client_id: string;
    readonly user_id: string;
    readonly receipt?: DeletionReceipt;
    readonly access_to_end?: number;
    readonly off_disk?: boolean;
    readonly accounts?: number;
    readonly grants?: number;
  }>;
  /** Revoke every grant of a user: its tokens stop working at once. */
  revokeUser(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly user_id: string;
    readonly ended_grants: number;
  }>;
  /** Sync the accounts of a user now, or one. */
  syncUser(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
      /** The key of one account; all accounts by default. */
      readonly account_key?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly user_id: string;
    readonly accounts?: number;
  }>;
  /** Export all stored data of a user. */
  exportUser(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly kalends_user_export: number;
    readonly exported_at: string;
    readonly client_id: string;
    readonly user_id: string;
    readonly users: readonly Readonly<Record<string, unknown>>[];
    readonly authorization_requests: readonly Readonly<Record<string, unknown>>[];
    readonly pushed_requests: readonly Readonly<Record<string, unknown>>[];
    readonly sign_ins: readonly Readonly<Record<string, unknown>>[];
    readonly codes: readonly Readonly<Record<string, unknown>>[];
    readonly grants?: readonly Readonly<Record<string, unknown>>[];
    readonly groups: readonly Readonly<Record<string, unknown>>[];
    readonly coverage: readonly Readonly<Record<string, unknown>>[];
    readonly accounts?: readonly Readonly<Record<string, unknown>>[];
    readonly account_history: readonly Readonly<Record<string, unknown>>[];
    readonly refused_operations: readonly Readonly<Record<string, unknown>>[];
    readonly calendars: readonly Readonly<Record<string, unknown>>[];
    readonly events: readonly Readonly<Record<string, unknown>>[];
    readonly changes: readonly Readonly<Record<string, unknown>>[];
    readonly notes: readonly Readonly<Record<string, unknown>>[];
    readonly writes: readonly Readonly<Record<string, unknown>>[];
    readonly splits: readonly Readonly<Record<string, unknown>>[];
    readonly watches: readonly Readonly<Record<string, unknown>>[];
    readonly subscriptions: readonly Readonly<Record<string, unknown>>[];
    readonly streams: readonly Readonly<Record<string, unknown>>[];
    readonly deliveries: readonly Readonly<Record<string, unknown>>[];
    readonly delivery_attempts: readonly Readonly<Record<string, unknown>>[];
    readonly requests: readonly Readonly<Record<string, unknown>>[];
    readonly audit: readonly Readonly<Record<string, unknown>>[];
  }>;
  /** Create a link that reconnects an account. */
  createReconnectLink(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
      /** The `key` of the account. */
      readonly account_key: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly user_id: string;
    readonly account: {
      readonly provider: string;
      readonly key: string;
      readonly id: string;
    };
    readonly url?: string | null;
    readonly expires_at: string | null;
  }>;
  /** Disconnect an account of a user: its calendars and credentials are deleted. */
  disconnectAccount(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
      /** The `key` of the account. */
      readonly account_key: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly disconnected: boolean;
    readonly client_id: string;
    readonly user_id: string;
    readonly account: {
      readonly provider: string;
      readonly key: string;
      readonly id: string;
    };
  }>;
  /** The counts of a dry run, which removes nothing. */
  disconnectAccount(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
      /** The `key` of the account. */
      readonly account_key: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly calendars: number;
  }>;
  /** List the calendars of an account, with their syncs and watches. */
  listAccountCalendars(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The user's id, as the application assigned it. */
      readonly user_id: string;
      /** The `key` of the account. */
      readonly account_key: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly calendars: readonly AccountCalendar[];
    readonly next?: string | null;
  }>;
  /** List the users of all applications that the key may read, in the order of their ids. */
  searchUsers(
    input?: {
      /** Users whose id, or whose account's name or address, starts with this text. Viewers find whole names only. */
      readonly search?: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly users: readonly FoundUser[];
    readonly next?: string | null;
  }>;
  /** List accounts with problems by reason, or the accounts with a reason or state page by page. */
  listConnections(
    input?: {
      /** Accounts with this reason. */
      readonly reason?:
        | 'password_refused'
        | 'access_revoked'
        | 'google_testing_expired'
        | 'reauthentication_demanded'
        | 'app_replaced'
        | 'admin_consent_required'
        | 'calendar_permission_missing'
        | 'app_credentials_refused'
        | 'app_secret_expired'
        | 'provider_not_set_up'
        | 'quota_exhausted'
        | 'user_quota_exhausted'
        | 'provider_unavailable'
        | 'provider_answer_unreadable'
        | 'address_forbidden'
        | 'calendar_gone'
        | 'event_too_complex'
        | 'event_unreadable'
        | 'calendar_too_large'
        | 'too_many_calendars'
        | 'calendar_set_aside'
        | 'internal_fault';
      /** Accounts in this state; `connected` means all. It and `active` exclude `reason`, `provider` and `turn`. */
      readonly state?: 'connected' | 'active' | 'degraded' | 'reauth_required';
      /** Accounts with a problem at this provider. */
      readonly provider?: 'google' | 'microsoft' | 'apple' | 'caldav';
      /** Accounts with a problem that this party has to fix. */
      readonly turn?: 'user' | 'operator' | 'administrator' | 'provider' | 'application';
      /** The application; by default, all that the key may read. */
      readonly client_id?: string;
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly reasons?: readonly ReasonGroup[];
    readonly reason?: string;
    readonly mends?: string | null;
    readonly accounts?: readonly UnhealthyAccount[];
    readonly next?: string | null;
  }>;
  /** List the members, by name. */
  listMembers(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly people: readonly Member[];
    readonly next?: string | null;
  }>;
  /** Show how a member signs in, and the sessions. */
  showMember(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly person_id: string;
    readonly email: string | null;
    readonly name: string;
    readonly role: string;
    readonly client_ids: readonly string[];
    readonly has_password: boolean;
    readonly passkeys: readonly Passkey[];
    readonly single_sign_on: {
      readonly issuer: string;
      readonly subject: string;
      readonly role_source: string;
    } | null;
    readonly sessions: readonly Session[];
  }>;
  /** Change the role or the applications of a member. */
  updateMember(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** The new role. */
      readonly role?: 'owner' | 'developer' | 'viewer';
      /** The applications of a developer, which replace the previous ones. */
      readonly client_ids?: readonly string[];
    },
    options?: CallOptions,
  ): Promise<{
    readonly person_id: string;
    readonly email: string | null;
    readonly role: string;
  }>;
  /** Remove a member and end all their sessions. */
  removeMember(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: boolean;
      /** `true`: the caller becomes the creator of the admin keys of the member, which otherwise end. */
      readonly keep_keys?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly removed: boolean;
    readonly person_id: string;
    readonly email: string | null;
    readonly keys?: number;
  }>;
  /** End all sessions of a member. */
  endMemberSessions(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly person_id: string;
    readonly email: string | null;
    readonly ended: number;
  }>;
  /** The counts of a dry run, which removes nothing. */
  endMemberSessions(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly sessions: number;
  }>;
  /** Remove a passkey of a member. */
  removeMemberPasskey(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** The id of the passkey. */
      readonly passkey_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly removed: boolean;
    readonly person_id: string;
    readonly passkey_id: string;
  }>;
  /** The counts of a dry run, which removes nothing. */
  removeMemberPasskey(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** The id of the passkey. */
      readonly passkey_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly passkeys: number;
  }>;
  /** Disconnect the single sign-on of a member who can sign in otherwise. */
  disconnectMemberIdentity(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly disconnected: boolean;
    readonly person_id: string;
  }>;
  /** The counts of a dry run, which removes nothing. */
  disconnectMemberIdentity(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly identities: number;
  }>;
  /** Create a reset link, with which a member sets a new password. */
  createResetLink(
    input: {
      /** The id or the e-mail address of the member. */
      readonly person_id: string;
      /** `true`: the response has the link, and nothing is mailed. */
      readonly link?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly mailed?: boolean;
    readonly url?: string | null;
    readonly role: string;
    readonly email: string | null;
    readonly expires_at: string | null;
    readonly mail_error?: string;
  }>;
  /** List open invitations and reset links, and their creators. */
  listInvitations(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly invitations: readonly Invitation[];
    readonly next?: string | null;
  }>;
  /** Create an invitation link for the dashboard. */
  createInvitation(
    input: {
      /** The role of the new member. */
      readonly role: 'owner' | 'developer' | 'viewer';
      /** The e-mail address; by default, the new member enters it. */
      readonly email?: string;
      /** The applications of a developer. */
      readonly client_ids?: readonly string[];
      /** `true`: the response has the link, and nothing is mailed. */
      readonly link?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly mailed?: boolean;
    readonly url?: string | null;
    readonly role: string;
    readonly email: string | null;
    readonly expires_at: string | null;
    readonly mail_error?: string;
  }>;
  /** Withdraw an invitation or a reset link: it no longer works. */
  withdrawInvitation(
    input: {
      /** The id of the link. */
      readonly invitation_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly withdrawn: boolean;
    readonly invitation_id: string;
  }>;
  /** The counts of a dry run, which removes nothing. */
  withdrawInvitation(
    input: {
      /** The id of the link. */
      readonly invitation_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly invitations: number;
  }>;
  /** List the admin keys. */
  listAdminKeys(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly keys?: readonly AdminKey[];
    readonly next?: string | null;
  }>;
  /** Create an admin key. */
  createAdminKey(
    input: {
      /** The name in lists and in the audit log. */
      readonly name: string;
      /** The role, which decides what the key may do. */
      readonly role: 'owner' | 'developer' | 'viewer';
      /** The applications of a developer. */
      readonly client_ids?: readonly string[];
      /** The days after which the key expires; 365 by default, 0 for a key that does not expire. */
      readonly expires_days?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly key_id: string;
    readonly name: string;
    readonly role: string;
    readonly client_ids: readonly string[];
    readonly prefix: string;
    readonly state: string;
    readonly created_by: string | null;
    readonly created_at: string;
    readonly expires_at: string | null;
    readonly last_used_at: string | null;
    readonly key: string;
  }>;
  /** Replace the text of an admin key. */
  rotateAdminKey(
    input: {
      /** The id of the key. */
      readonly key_id: string;
      /** The hours for which the previous text stays valid; 24 by default. */
      readonly overlap_hours?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly key_id: string;
    readonly key: string;
    readonly old_key_expires_at: string;
  }>;
  /** Revoke an admin key, and the keys that it created. */
  revokeAdminKey(
    input: {
      /** The id of the key. */
      readonly key_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run?: false;
    },
    options?: CallOptions,
  ): Promise<{
    readonly revoked: boolean;
    readonly key_id: string;
  }>;
  /** The counts of a dry run, which removes nothing. */
  revokeAdminKey(
    input: {
      /** The id of the key. */
      readonly key_id: string;
      /** `true`: nothing is deleted, and the response only has counts. */
      readonly dry_run: true;
    },
    options?: CallOptions,
  ): Promise<{
    readonly keys: number;
  }>;
  /** Sign the deliveries of an application with its own keys, or with those of the deployment. */
  setWebhookKeys(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** `true`: its own keys. `false`: the keys of the deployment. */
      readonly own_webhook_keys: boolean;
      /** The hours for which the previous key stays valid; 168 by default. */
      readonly overlap_hours?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly client_id: string;
    readonly own_webhook_keys?: boolean;
    readonly overlap_until: string | null;
  }>;
  /** Sign the deliveries of an application that has its own keys with a new one. */
  rotateApplicationWebhookKeys(
    input: {
      /** The id of the application. */
      readonly client_id: string;
      /** The hours for which the previous key stays valid; 168 by default. */
      readonly overlap_hours?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly id: string;
    readonly client_id: string;
    readonly previous_retires_at: string;
  }>;
  /** Sign the deliveries of all applications without own keys with a new key. */
  rotateWebhookKeys(
    input?: {
      /** The hours for which the previous key stays valid; 168 by default. */
      readonly overlap_hours?: number;
    },
    options?: CallOptions,
  ): Promise<{
    readonly id: string;
    readonly client_id: string | null;
    readonly previous_retires_at: string;
  }>;
  /** Sign tokens with a new key. */
  rotateSigningKeys(
    input?: Readonly<Record<string, never>>,
    options?: CallOptions,
  ): Promise<{
    readonly kid: string;
    readonly algorithm: string;
  }>;
  /** Create and change applications and members as a manifest says. */
  applyManifest(
    input: {
      /** The [manifest](apply.md#the-manifest). */
      readonly manifest: Readonly<Record<string, unknown>>;
      /** `true`: nothing is changed, and the response only has the steps. */
      readonly dry_run?: boolean;
      /** `true`: what an earlier manifest created and this one does not list is deleted. */
      readonly prune?: boolean;
    },
    options?: CallOptions,
  ): Promise<{
    readonly dry_run: boolean;
    readonly steps: readonly ManifestStep[];
    readonly secrets: readonly NewSecret[];
    readonly failure: {
      readonly path: string;
      readonly code: string;
      readonly message: string;
    } | null;
  }>;
  /** Show applications and members as a manifest. */
  exportManifest(
    input?: Readonly<Record<string, never>>,
    options?: CallOptions,
  ): Promise<{
    readonly applications: Readonly<Record<string, unknown>>;
    readonly members: Readonly<Record<string, unknown>>;
  }>;
  /** List changes and their authors, newest first. */
  listAuditEntries(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
      /** The changed application, also if it was deleted since. */
      readonly client_id?: string;
      /** The action. */
      readonly action?:
        | 'client.created'
        | 'client.updated'
        | 'client.secret_rotated'
        | 'client.deleted'
        | 'branding.updated'
        | 'verification.submitted'
        | 'verification.approved'
        | 'verification.changes_requested'
        | 'verification.cancelled'
        | 'verification.edited'
        | 'verification.withdrawn'
        | 'provider_app.set'
        | 'provider_app.removed'
        | 'user.revoked'
        | 'user.exported'
        | 'user.deleted'
        | 'account.disconnected'
        | 'account.sync_requested'
        | 'account.reconnect_link_created'
        | 'endpoint.created'
        | 'endpoint.updated'
        | 'endpoint.secret_created'
        | 'endpoint.secret_rotated'
        | 'endpoint.paused'
        | 'endpoint.resumed'
        | 'endpoint.deleted'
        | 'delivery.shown'
        | 'delivery.replayed'
        | 'playground.connected'
        | 'playground.called'
        | 'signing_keys.rotated'
        | 'webhook_keys.rotated'
        | 'webhook_keys.switched'
        | 'master_key.rotated'
        | 'system.checked'
        | 'backup.made'
        | 'backup.restored'
        | 'person.invited'
        | 'person.invitation_withdrawn'
        | 'person.registered'
        | 'person.signed_in'
        | 'person.sign_in_refused'
        | 'person.signed_out_everywhere'
        | 'person.password_set'
        | 'person.passkey_added'
        | 'person.passkey_removed'
        | 'person.passkey_refused'
        | 'person.identity_set'
        | 'person.identity_removed'
        | 'person.role_changed'
        | 'person.reset'
        | 'person.removed'
        | 'admin_key.created'
        | 'admin_key.rotated'
        | 'admin_key.revoked';
      /** The changed object, such as the id of an endpoint or a member. */
      readonly subject?: string;
      /** The time of the oldest entry. */
      readonly from?: string;
      /** The time before which the entries were made. */
      readonly to?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly entries: readonly AuditEntry[];
    readonly next?: string | null;
  }>;
  /** List all changes, oldest first. */
  exportAuditEntries(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
      /** The time of the oldest entry. */
      readonly from?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly entries: readonly AuditEntry[];
    readonly next?: string | null;
  }>;
  /** List open alerts, then resolved ones of the last 90 days. */
  listAlerts(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly alerts: readonly Alert[];
    readonly next?: string | null;
  }>;
  /** Send a test to each recipient of alerts. */
  testAlerts(
    input?: Readonly<Record<string, never>>,
    options?: CallOptions,
  ): Promise<{
    readonly results: readonly AlertTest[];
  }>;
  /** List the 20 applications that cause the most load. */
  showLoad(
    input?: {
      /** The whole hours until now; 24h by default. */
      readonly period?: '1h' | '24h' | '7d';
      /** The order, the most first; requests by default. */
      readonly by?: 'requests' | 'errors' | 'time' | 'syncs' | 'deliveries';
    },
    options?: CallOptions,
  ): Promise<{
    readonly since: string;
    readonly applications: readonly ApplicationLoad[];
  }>;
  /** Show the metrics of the instance that responds. */
  showMetrics(
    input?: Readonly<Record<string, never>>,
    options?: CallOptions,
  ): Promise<{
    readonly metrics: readonly Metric[];
  }>;
  /** Show the version, the instances, the waiting jobs and the size of the database. */
  showSystem(
    input?: Readonly<Record<string, never>>,
    options?: CallOptions,
  ): Promise<{
    readonly version: string;
    readonly node: string;
    readonly engine: string;
    readonly database_bytes: number;
    readonly last_backup_at: string | null;
    readonly instances: readonly Instance[];
    readonly jobs: readonly JobCount[];
  }>;
  /** List the settings of the instance that responds. */
  listSettings(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly settings: readonly Setting[];
    readonly next?: string | null;
  }>;
  /** Run the checks of `doctor` on the server. */
  runChecks(
    input?: {
      /** The name of one check; all by default. */
      readonly name?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly ok: boolean;
    readonly checks: readonly Check[];
    readonly addresses_to_register: readonly string[];
  }>;
  /** Show how to register an app at a provider, and check it. */
  checkProvider(
    input: {
      /** The provider of the app. */
      readonly provider: 'google' | 'microsoft';
      /** The id of the app to check; by default the configured one. */
      readonly app_client_id?: string;
      /** The secret of the app in `app_client_id`. */
      readonly client_secret?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly provider: string;
    readonly console: string;
    readonly redirect_uri: string;
    readonly scopes: readonly {
      readonly scope: string;
      readonly for: readonly string[];
    }[];
    readonly settings: readonly string[];
    readonly notice: string | null;
    readonly check: {
      readonly status: string;
      readonly message: string;
    } | null;
  }>;
  /** List the backups in the folder of the server. */
  listBackups(
    input?: {
      /** The page size; 50 by default. */
      readonly limit?: number;
      /** The `next` of the previous page. */
      readonly after?: string;
    },
    options?: CallOptions,
  ): Promise<{
    readonly folder: string;
    readonly backups: readonly Backup[];
    readonly next?: string | null;
  }>;
  /** Copy the SQLite database into the folder of backups on the server. */
  createBackup(
    input?: Readonly<Record<string, never>>,
    options?: CallOptions,
  ): Promise<{
    readonly name: string;
    readonly bytes: number;
    readonly created_at: string;
    readonly scheduled: boolean;
  }>;
};

/** The method and the path of each operation below `/admin/v1`. */
export const OPERATIONS = {
  listApplications: ['GET', '/applications'],
  createApplication: ['POST', '/applications'],
  showApplication: ['GET', '/applications/{client_id}'],
  updateApplication: ['PATCH', '/applications/{client_id}'],
  deleteApplication: ['DELETE', '/applications/{client_id}'],
  rotateApplicationSecret: ['POST', '/applications/{client_id}/secrets/rotate'],
  checkApplication: ['GET', '/applications/{client_id}/check'],
  showBranding: ['GET', '/applications/{client_id}/branding'],
  updateBranding: ['PATCH', '/applications/{client_id}/branding'],
  setLogo: ['POST', '/applications/{client_id}/logos/{scheme}'],
  removeLogo: ['DELETE', '/applications/{client_id}/logos/{scheme}'],
  showProviderApp: ['GET', '/applications/{client_id}/provider-apps/{provider}'],
  setProviderApp: ['POST', '/applications/{client_id}/provider-apps/{provider}'],
  removeProviderApp: ['DELETE', '/applications/{client_id}/provider-apps/{provider}'],
  checkProviderApp: ['POST', '/applications/{client_id}/provider-apps/{provider}/check'],
  showReview: ['GET', '/applications/{client_id}/verification'],
  submitForReview: ['POST', '/applications/{client_id}/verification/submit'],
  cancelReview: ['POST', '/applications/{client_id}/verification/cancel'],
  approveSubmission: ['POST', '/applications/{client_id}/verification/approve'],
  requestChanges: ['POST', '/applications/{client_id}/verification/request-changes'],
  withdrawVerification: ['POST', '/applications/{client_id}/verification/withdraw'],
  verifyApplication: ['POST', '/applications/{client_id}/verification/verify'],
  listReviews: ['GET', '/reviews'],
  listEndpoints: ['GET', '/applications/{client_id}/endpoints'],
  addEndpoint: ['POST', '/applications/{client_id}/endpoints'],
  listAllEndpoints: ['GET', '/endpoints'],
  showEndpoint: ['GET', '/endpoints/{endpoint_id}'],
  updateEndpoint: ['PATCH', '/endpoints/{endpoint_id}'],
  removeEndpoint: ['DELETE', '/endpoints/{endpoint_id}'],
  pauseEndpoint: ['POST', '/endpoints/{endpoint_id}/pause'],
  resumeEndpoint: ['POST', '/endpoints/{endpoint_id}/resume'],
  testEndpoint: ['POST', '/endpoints/{endpoint_id}/test'],
  rotateEndpointSecret: ['POST', '/endpoints/{endpoint_id}/secrets/rotate'],
  listDeliveries: ['GET', '/deliveries'],
  showDelivery: ['GET', '/deliveries/{delivery_id}'],
  openDelivery: ['GET', '/deliveries/{delivery_id}/body'],
  checkDeliverySignature: ['POST', '/deliveries/{delivery_id}/signature'],
  replayDelivery: ['POST', '/deliveries/{delivery_id}/replay'],
  replayDeliveries: ['POST', '/deliveries/replay'],
  listRequests: ['GET', '/requests'],
  showRequest: ['GET', '/requests/{request_id}'],
  listUsers: ['GET', '/applications/{client_id}/users'],
  showUser: ['GET', '/applications/{client_id}/users/{user_id}'],
  deleteUser: ['DELETE', '/applications/{client_id}/users/{user_id}'],
  revokeUser: ['POST', '/applications/{client_id}/users/{user_id}/revoke'],
  syncUser: ['POST', '/applications/{client_id}/users/{user_id}/sync'],
  exportUser: ['GET', '/applications/{client_id}/users/{user_id}/export'],
  createReconnectLink: ['POST', '/applications/{client_id}/users/{user_id}/reconnect-links'],
  disconnectAccount: ['DELETE', '/applications/{client_id}/users/{user_id}/accounts/{account_key}'],
  listAccountCalendars: ['GET', '/applications/{client_id}/users/{user_id}/accounts/{account_key}/calendars'],
  searchUsers: ['GET', '/users'],
  listConnections: ['GET', '/connections'],
  listMembers: ['GET', '/members'],
  showMember: ['GET', '/members/{person_id}'],
  updateMember: ['PATCH', '/members/{person_id}'],
  removeMember: ['DELETE', '/members/{person_id}'],
  endMemberSessions: ['DELETE', '/members/{person_id}/sessions'],
  removeMemberPasskey: ['DELETE', '/members/{person_id}/passkeys/{passkey_id}'],
  disconnectMemberIdentity: ['DELETE', '/members/{person_id}/identity'],
  createResetLink: ['POST', '/members/{person_id}/reset-links'],
  listInvitations: ['GET', '/invitations'],
  createInvitation: ['POST', '/invitations'],
  withdrawInvitation: ['DELETE', '/invitations/{invitation_id}'],
  listAdminKeys: ['GET', '/keys'],
  createAdminKey: ['POST', '/keys'],
  rotateAdminKey: ['POST', '/keys/{key_id}/rotate'],
  revokeAdminKey: ['DELETE', '/keys/{key_id}'],
  setWebhookKeys: ['PATCH', '/applications/{client_id}/webhook-keys'],
  rotateApplicationWebhookKeys: ['POST', '/applications/{client_id}/webhook-keys/rotate'],
  rotateWebhookKeys: ['POST', '/webhook-keys/rotate'],
  rotateSigningKeys: ['POST', '/signing-keys/rotate'],
  applyManifest: ['POST', '/apply'],
  exportManifest: ['GET', '/manifest'],
  listAuditEntries: ['GET', '/audit'],
  exportAuditEntries: ['GET', '/audit/export'],
  listAlerts: ['GET', '/alerts'],
  testAlerts: ['POST', '/alerts/test'],
  showLoad: ['GET', '/load'],
  showMetrics: ['GET', '/metrics'],
  showSystem: ['GET', '/system'],
  listSettings: ['GET', '/settings'],
  runChecks: ['POST', '/checks'],
  checkProvider: ['POST', '/providers/{provider}/check'],
  listBackups: ['GET', '/backups'],
  createBackup: ['POST', '/backups'],
} as const;
