/** The schemas of results in the administration API. Members are those of the operations and of the document tables. */
import { ADMIN_KEY } from '../administration/documents/admin-key.ts';
import { APPLICATION } from '../administration/documents/application.ts';
import { AUDIT_ENTRY } from '../administration/documents/audit-entry.ts';
import { CALENDAR } from '../administration/documents/calendar.ts';
import { DELIVERY } from '../administration/documents/delivery.ts';
import { ENDPOINT } from '../administration/documents/endpoint.ts';
import { INVITATION, PASSKEY, PERSON, SESSION } from '../administration/documents/person.ts';
import { REQUEST } from '../administration/documents/request.ts';
import { REVIEW } from '../administration/documents/review.ts';
import { FOUND_USER, GRANT, UNHEALTHY_ACCOUNT } from '../administration/documents/user.ts';
import type { AdminOperation } from '../administration/operations/operation.ts';
import type { Schema } from '../http/fields.ts';
import { SWITCH_KEYS, SWITCHES, type Switch, switchField } from '../oauth/switches.ts';

const OBJECTS: Schema = { type: 'array', items: { type: 'object' } };
const TYPES: Readonly<Record<string, Schema>> = {
  text: { type: 'string' },
  int: { type: 'integer' },
  flag: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  texts: { type: 'array', items: { type: 'string' } },
  object: { type: 'object' },
  objects: OBJECTS,
};

const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const component = (
  id: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema => ({ $id: id, ...object(properties, optional) });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: Schema): Schema => ({ type: 'array', items });

/** Reads members such as `name title? bytes:int seen_at:time?`: a text unless the type follows; with `?`, it can be null. */
const members = (words: string): Record<string, Schema> =>
  Object.fromEntries(
    words.split(/\s+/).map((word) => {
      const [, name = '', type = 'text', isNullable] = /^(\w+?)(?::(\w+))?(\?)?$/.exec(word) ?? [];
      const schema = TYPES[type];
      if (schema === undefined) throw new Error(`No type of ${word}`);
      return [name, isNullable ? orNull(schema) : schema];
    }),
  );

const SWITCH_SCHEMAS = Object.fromEntries(
  SWITCH_KEYS.map((key) => {
    const row: Switch = SWITCHES[key];
    return [switchField(key), 'values' in row ? { enum: [...row.values] } : { type: 'integer' }];
  }),
);

/** The members of results and of rows in lists, where a name has one meaning. */
const BY_NAME = {
  ...SWITCH_SCHEMAS,
  ...members(
    `client_id name display_name? webhook_url? application_url? support_email? support_url? privacy_url? terms_url?
   redirect_uri redirect_uris:texts providers:texts? returning_users created_at:time own_webhook_keys:flag
   google_client_id? microsoft_client_id? live_secrets:int user_count:int client_secret webhook_secret
   old_secret_expires_at:time overlap_until:time? app_client_id? provider
   enabled:flag logo_url? dark_logo_url? primary_color? theme hide_footer:flag
   verified:flag verified_at:time? review_status submission? submitted_at:time? reviewer_note? missing:texts
   endpoint_id url? hears:texts private_network:flag is_webhook_url:flag state paused_reason? paused_at:time?
   failures:int failing_since:time? last_fault? waiting:int expires_at:time? secret ok:flag fault? status:int
   id clientId endpointId userId calendarId sequence:int changeType eventCount:int reason attempts:int createdAt:time
   nextAttemptAt:time settledAt:time count:int more:flag
   request_id at:time method route? duration_ms:int user? network? body:object? repeated:int claimed:flag
   user_id account? account_count:int grant_count:int ailing_count:int last_seen_at:time? scope ended_grants:int
   key title primary:flag left_out:flag event_count:int synced_at:time? next_at:time? pushed_until:time? failure?
   display message? since:time turn? mends? off_disk:flag access_to_end:int
   key_id prefix role created_by? last_used_at:time? old_key_expires_at:time client_ids:texts kid algorithm
   previous_retires_at:time person_id email? has_password:flag passkey_id address? browser invitation_id purpose
   mailed:flag mail_error ended:int deleted:flag removed:flag revoked:flag withdrawn:flag disconnected:flag
   number:int action subject? before:object? after:object? next? version node engine database_bytes:int
   last_backup_at:time? folder bytes:int scheduled:flag addresses_to_register:texts
   verdict kalends_user_export:int exported_at:time jwks:object? jwks_uri? met:flag living_grants:int`,
  ),
};

/** Members that some results leave out. */
const OPTIONAL = new Set(
  `client_secret webhook_secret live_secrets user_count own_webhook_keys google_client_id microsoft_client_id activity waiting
   nextAttemptAt calendarId reason settledAt off_disk access_to_end receipt grants accounts reasons next mends keys url
   mailed mail_error jwks jwks_uri client_secret`.split(/\s+/),
);

/** The components that are also results, by the names of their members. */
const COMPONENTS = new Map<string, Schema>();
const memberNames = ({ properties }: Schema): string => Object.keys(properties as object).join(' '); // of an object

/** Returns a list of the component `id`, whose members are the fields of a table. `nested` has those that are no plain values. */
const rows = (
  id: string,
  fields: readonly { readonly name: string }[],
  nested: Readonly<Record<string, Schema>> = {},
): Schema => {
  const members = fields.map(({ name }) => [name, nested[name] ?? plain(name)]);
  const row = component(id, Object.fromEntries(members), [...OPTIONAL]);
  COMPONENTS.set(memberNames(row), row);
  return list(row);
};

function plain(name: string): Schema {
  const schema = BY_NAME[name];
  if (schema !== undefined) return schema;
  throw new Error(`No schema of "${name}"`);
}

const VALUES = component(
  'ReviewedValues',
  members('application_url? dark_logo_url? display_name? logo_url? support_email? support_url?'),
);
const BRANDING = component(
  'Branding',
  members('enabled:flag logo_url? dark_logo_url? primary_color? theme hide_footer:flag'),
);
const APPROVED = orNull(VALUES);
const ACTIVITY = list(
  component('ReviewActivity', members('number:int at:time kind actor? note? fields:texts'), ['fields']),
);
const CHECK = component('Check', members('name status message since:time'));
const UNHEALTHY = rows('UnhealthyAccount', UNHEALTHY_ACCOUNT);
const ACTOR = object(members('kind id? name?'), ['id', 'name']);

/** The members that are objects or lists of them. */
const NESTED: Readonly<Record<string, Schema>> = {
  branding: BRANDING,
  present: VALUES,
  approved: APPROVED,
  activity: ACTIVITY,
  attemptLog: list(
    component('Attempt', members('number:int startedAt:time durationMs:int status:int answer fault'), [
      'status',
      'answer',
      'fault',
    ]),
  ),
  receipt: component(
    'DeletionReceipt',
    members('deleted_at:time accounts:int calendars:int events:int grants:int changes:int deliveries:int'),
  ),
  single_sign_on: orNull(object(members('issuer subject role_source'))),
  accounts: UNHEALTHY,
  reasons: list(
    component('ReasonGroup', { ...members('reason count:int has_more:flag mends'), accounts: UNHEALTHY }),
  ),
  clients: rows('Application', APPLICATION, { branding: BRANDING }),
  endpoints: rows('Endpoint', ENDPOINT),
  deliveries: rows('Delivery', DELIVERY),
  requests: rows('Request', REQUEST, members('client_id?')),
  users: rows('FoundUser', FOUND_USER),
  calendars: rows('AccountCalendar', CALENDAR),
  grants: rows('Grant', GRANT),
  keys: rows('AdminKey', ADMIN_KEY),
  people: rows('Member', PERSON),
  invitations: rows('Invitation', INVITATION),
  passkeys: rows('Passkey', PASSKEY),
  sessions: rows('Session', SESSION),
  entries: rows('AuditEntry', AUDIT_ENTRY, { actor: ACTOR, ...members('client_id?') }),
  alerts: list(
    component(
      'Alert',
      members('id kind severity summary action client_id? subject url? opened_at:time resolved_at:time?'),
    ),
  ),
  requirements: list(component('Requirement', members('name requirement missing?'))),
  signatures: list(component('CheckedSignature', members('scheme? by? signature'))),
  results: list(component('AlertTest', members('channel recipient sent:flag problem?'))),
  settings: list(component('Setting', members('name value? from secret:flag'))),
  metrics: list(component('Metric', members('name help type samples:objects'))),
  checks: list(CHECK),
  backups: list(component('Backup', members('name bytes:int created_at:time scheduled:flag'))),
  instances: list(
    component('Instance', members('instance_id host version role started_at:time seen_at:time')),
  ),
  jobs: list(component('JobCount', members('kind waiting:int running:int late:int oldest_due_at:time?'))),
};

const ACCOUNT = component('LinkedAccount', {
  ...members(
    'provider key id display state reason? message? since:time turn? mends? linked_at:time synced_at:time?',
  ),
  first_sync: orNull(object(members('calendars:int calendars_read:int events:int events_expected:int?'))),
  updates: { type: 'string' },
  history: list(object(members('at:time happened reason? message? turn?'))),
});
const LOAD = members(
  'client_id name requests:int errors:int call_ms:int failures:int syncs:int sync_ms:int deliveries:int',
);

const SECRET = members('path client_id endpoint_id client_secret webhook_secret secret url');
const STEP = {
  ...members('action path'),
  changes: list(object({ ...members('field'), before: {}, after: {} }, ['before', 'after'])),
};

/** The results in which a name has another meaning than elsewhere. */
const EXCEPT: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  exportUser: { pushed_requests: OBJECTS },
  showUser: { accounts: list(ACCOUNT) },
  deleteUser: members('accounts:int grants:int'),
  syncUser: members('accounts:int'),
  deleteApplication: members('users:int accounts:int endpoints:int'),
  removeMember: members('keys:int'),
  rotateWebhookKeys: members('client_id?'),
  showRequest: members('client_id?'),
  createReconnectLink: { account: object(members('provider key id')) },
  disconnectAccount: { account: object(members('provider key id')) },
  listReviews: {
    applications: rows('Review', REVIEW, { present: VALUES, approved: APPROVED, activity: ACTIVITY }),
  },
  applyManifest: {
    ...members('dry_run:flag'),
    steps: list(component('ManifestStep', STEP)),
    secrets: list(component('NewSecret', SECRET, Object.keys(SECRET).slice(1))),
    failure: orNull(object(members('path code message'))),
  },
  exportManifest: members('applications:object members:object'),
  checkProvider: {
    ...members('console settings:texts notice?'),
    scopes: list(object(members('scope for:texts'))),
    check: orNull(object(members('status message'))),
  },
  showLoad: { applications: list(component('ApplicationLoad', LOAD)) },
};

COMPONENTS.set(memberNames(BRANDING), BRANDING);

/** Returns the schema of an operation's result. */
export function resultSchema({
  id,
  result,
  counted,
}: Pick<AdminOperation, 'id' | 'result' | 'counted'>): Schema {
  const isExport = id === 'exportUser';
  const member = (name: string): Schema =>
    isExport && !(name in BY_NAME) ? OBJECTS : (EXCEPT[id]?.[name] ?? NESTED[name] ?? plain(name));
  // A change returns a secret if it created one, a rotation always.
  const optional = id === 'rotateApplicationSecret' ? [] : [...OPTIONAL];
  const document = object(Object.fromEntries(result.map((name) => [name, member(name)])), optional);
  const schema = COMPONENTS.get(memberNames(document)) ?? document;
  return counted === undefined ? schema : { anyOf: [schema, object({ [counted]: { type: 'integer' } })] };
}
