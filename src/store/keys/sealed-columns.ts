/**
 * A column that a new master key seals again. `context` is the field that values are bound to (sealedField), `row` the
 * columns that identify the row in it; by default those of `key`.
 */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  readonly context: string;
  /** The table's primary key, by which the column is read in parts. */
  readonly key: readonly string[];
  readonly row?: readonly string[];
};

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'signing_key', column: 'sealed', context: 'signing_key.sealed', key: ['kid'] },
  { table: 'webhook_key', column: 'sealed', context: 'webhook_key.sealed', key: ['key_id'] },
  {
    table: 'application_webhook_key',
    column: 'sealed',
    context: 'application_webhook_key.sealed',
    key: ['key_id'],
  },
  { table: 'derived_key', column: 'sealed', context: 'derived_key.sealed', key: ['purpose'] },
  {
    table: 'provider_app',
    column: 'app_client_secret',
    context: 'provider_app.secret',
    key: ['client_id', 'provider'],
  },
  { table: 'account', column: 'credentials', context: 'account.credentials', key: ['account_key'] },
  // Moved here as they are when their account is deleted.
  { table: 'ended_access', column: 'credentials', context: 'account.credentials', key: ['account_key'] },
  {
    table: 'authorization_request',
    column: 'form_token',
    context: 'authorization_request.form_token',
    key: ['transaction_id'],
  },
  {
    table: 'sign_in',
    column: 'kept',
    context: 'sign_in',
    key: ['transaction_id', 'provider'],
    row: ['transaction_id', 'provider', 'state_hash'],
  },
  {
    table: 'playground_user',
    column: 'verifier',
    context: 'playground_user.verifier',
    key: ['client_id', 'user_id'],
  },
  {
    table: 'playground_user',
    column: 'tokens',
    context: 'playground_user.tokens',
    key: ['client_id', 'user_id'],
  },
  {
    table: 'webhook_endpoint',
    column: 'secrets',
    context: 'webhook_endpoint.secrets',
    key: ['endpoint_id'],
  },
  { table: 'webhook_message', column: 'body', context: 'webhook_message.body', key: ['message_id'] },
  {
    table: 'webhook_attempt',
    column: 'answer',
    context: 'webhook_attempt.answer',
    key: ['message_id', 'number'],
    row: ['message_id'],
  },
  {
    table: 'admin_request',
    column: 'answer',
    context: 'admin_request.answer',
    key: ['key_id', 'key_hash'],
    row: ['key_id', 'key_hash', 'request_hash'],
  },
];
