/** The errors of the administration API, beside those that the domain throws. */
import { ApiError, type ErrorRow, errorTable } from '../../http/refusal.ts';
import { PeopleRefusal, type PeopleRefusalKind } from '../../people/people-refusal.ts';

export const ADMINISTRATION = errorTable({
  invalid_admin_key: {
    status: 401,
    message: 'The admin key is missing or not valid: send it as Authorization: Bearer kal_adm_…',
    when: 'The request has no admin key, or the key is unknown, expired or revoked, or its creator is no longer valid.',
    fix: 'Send a key that `kalends admin key list` shows as `valid`. `kalends admin key create` creates one.',
    headers: { 'WWW-Authenticate': 'The challenge of RFC 6750 §3.' },
  },
  not_allowed: {
    status: 403,
    message: 'The role of this key does not allow this operation',
    when: 'The role of the admin key does not allow the operation.',
    fix: 'Use a key with another role; the [list of operations](administration.md#operations) has the permissions.',
  },
  not_there: {
    status: 404,
    message: 'There is no such object, or this key may not read it',
    when: 'The path names an object that does not exist, or that the admin key may not read.',
    fix: 'Compare the ids with those of the list.',
  },
  apply_running: {
    status: 409,
    message: 'Another manifest is being applied: try again when it has ended',
    when: 'Another manifest is being applied, or a process that applied one ended less than a minute ago without its end.',
    fix: 'Wait a minute, then repeat the request.',
  },
  backups_elsewhere: {
    status: 409,
    message: 'Back up a PostgreSQL database with pg_dump',
    when: 'The database is PostgreSQL, which has its own backup tools.',
    fix: 'Use `pg_dump` ([how](operations.md#backup)).',
  },
  backup_refused: {
    status: 409,
    message: 'The folder has the maximum number of backups: move or delete old ones',
    when: 'The folder has the maximum number of backups, or the disk has too little space.',
    fix: '`message` gives the reason.',
  },
  no_recipients: {
    status: 409,
    message: 'No recipients: set KALENDS_ALERT_EMAIL or KALENDS_ALERT_WEBHOOK_URL.',
    when: 'A test of alerts was requested, and alerts have no recipients.',
    fix: 'Set `KALENDS_ALERT_EMAIL` or `KALENDS_ALERT_WEBHOOK_URL`.',
  },
  metrics_off: {
    status: 409,
    message: 'The server counts no metrics: set KALENDS_METRICS_ADDRESS or KALENDS_METRICS_TOKEN',
    when: 'The server counts no metrics.',
    fix: 'Set `KALENDS_METRICS_ADDRESS` or `KALENDS_METRICS_TOKEN`.',
  },
  too_many_requests: {
    status: 429,
    message: 'Too many requests: wait for the seconds in Retry-After',
    when: 'The admin key sent more than 1,200 requests in a minute, or a network more than 30 without a valid key.',
    fix: 'Wait for the seconds in `Retry-After`.',
    retryAfter: 60,
  },
});

/** The errors of operations on members and links. */
export const MEMBERS = errorTable({
  last_owner: {
    status: 409,
    message: 'This member is the only owner: invite another owner first ("kalends admin invite").',
    when: 'The only owner would be removed, or get another role.',
    fix: 'Make another member an owner first.',
  },
  last_way: {
    status: 409,
    message:
      'This is the only way in which the member can sign in. Use "kalends admin reset" to replace it, or "kalends admin remove" to remove the member.',
    when: 'The only sign-in method of a member would be removed.',
    fix: 'Create a reset link, or remove the member.',
  },
  login_taken: {
    status: 409,
    message: 'A member already has this address. "kalends admin reset" creates a reset link.',
    when: 'The address of an invitation belongs to a member.',
    fix: 'Create a reset link for this member.',
  },
  role_from_claims: {
    status: 409,
    message: 'The role of this member comes from single sign-on: change it there.',
    when: 'The role, or the only sign-in method, of a member comes from the claims of the identity provider.',
    fix: 'Change it at the identity provider.',
  },
  own_creator: {
    status: 409,
    message:
      "This key cannot keep itself, because the member created it or a key before it: use another owner's key.",
    when: '`keep_keys` names the creator of the admin key of the request, or of a key before it.',
    fix: "Use another owner's key, or the command line.",
  },
  dashboard_off: {
    status: 409,
    message: 'The dashboard is off, so the link would not work: set KALENDS_DASHBOARD to on.',
    when: 'A link for a member is created while the dashboard, to which it leads, is off.',
    fix: 'Switch the dashboard on with `KALENDS_DASHBOARD`.',
  },
});

/** The errors of operations on endpoints and the keys that sign deliveries. */
export const ENDPOINTS = errorTable({
  is_listener: {
    status: 409,
    message:
      'This endpoint is a listener: the client that created it sets its topics and polls for its deliveries.',
    when: 'The endpoint is a listener, which has no address, and whose topics its client sets.',
    fix: 'Use an endpoint with a URL.',
  },
  is_webhook_url: {
    status: 409,
    message:
      'This is the webhook URL of the application: "kalends client update --webhook-url" changes or removes it.',
    when: 'The endpoint is the webhook URL of its application, and would be moved or removed.',
    fix: 'Change `webhook_url` of the application.',
  },
  instance_keys: {
    status: 409,
    message: 'The application has no own keys: run "kalends webhook own-keys" first.',
    when: 'The deliveries of the application are signed with the keys of the deployment.',
    fix: 'Give the application its own keys first.',
  },
});

const OF_REFUSAL: Readonly<Record<string, ErrorRow>> = {
  ...{ ...ADMINISTRATION, ...MEMBERS, not_signed_in: ADMINISTRATION.invalid_admin_key },
  ...{ too_many: ADMINISTRATION.too_many_requests, too_many_for_login: ADMINISTRATION.too_many_requests },
};

/** Returns the error of a refusal. A refusal of a sign-in, which no operation causes, is `not_allowed`. */
export const errorOfRefusal = (kind: PeopleRefusalKind): ErrorRow =>
  OF_REFUSAL[kind] ?? ADMINISTRATION.not_allowed;

/** Returns the error of the API for a refusal of the domain, and every other error unchanged. */
export const toApiError = (reason: unknown): unknown =>
  reason instanceof PeopleRefusal
    ? new ApiError(errorOfRefusal(reason.kind), { cause: reason, retryAfter: reason.retryAfter })
    : reason;
