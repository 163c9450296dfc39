/** The operations on keys of the administration API. */
import { oneOf, required, text } from '../../http/fields.ts';
import {
  createAdminKey,
  listAdminKeys,
  type RotatedAdminKey,
  revokeAdminKey,
  rotateAdminKey,
} from '../../people/admin-keys.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import { ROLES } from '../../people/person.ts';
import { ADMIN_KEY } from '../documents/admin-key.ts';
import { toDocument, toTime } from '../documents/field.ts';
import {
  DRY_RUN,
  fractionalNumber,
  lists,
  operation,
  overlapField,
  overlapMsOf,
  PAGE,
  texts,
  toPage,
} from './operation.ts';

const KEY = { key_id: required(text({ max: 100, doc: 'The id of the key.', example: 'ak_b0VtQ2xhd0Jr' })) };
const NAMES = ADMIN_KEY.map(({ name }) => name);
const DAY_MS = 24 * 3_600_000;

/** The lifetime of a key in days, unless another one is given. */
export const KEY_DAYS = 365;
const MOST_DAYS = 36_500;

export const listKeys = operation({
  ...{ id: 'listAdminKeys', method: 'get', path: '/keys', group: 'Keys', summary: 'List the admin keys' },
  permission: 'people.manage',
  ...{ pathFields: {}, fields: PAGE, command: 'admin key list', ...lists('keys', ADMIN_KEY) },
  async run(page, deps) {
    return toPage(await listAdminKeys(deps.actor, deps), ({ keyId }) => keyId, page);
  },
});

export const createKey = operation({
  ...{ id: 'createAdminKey', method: 'post', path: '/keys', group: 'Keys', status: 201 },
  summary: 'Create an admin key',
  description: 'Only this response has `key`. The key ends when the key that created it ends.',
  permission: 'people.manage',
  pathFields: {},
  fields: {
    name: required(text({ max: 200, doc: 'The name in lists and in the audit log.', example: 'Deployment' })),
    role: required(oneOf(ROLES, { doc: 'The role, which decides what the key may do.', example: 'owner' })),
    client_ids: texts('The applications of a developer.'),
    expires_days: fractionalNumber({
      ...{ min: 0, max: MOST_DAYS },
      doc: `The days after which the key expires; ${KEY_DAYS} by default, 0 for a key that does not expire.`,
    }),
  },
  ...{ command: 'admin key create', result: [...NAMES, 'key'] },
  async run({ name, role, client_ids: clientIds = [], expires_days: days = KEY_DAYS }, deps) {
    const lifetimeMs = days === 0 ? undefined : Math.round(days * DAY_MS);
    const { key, secret } = await createAdminKey(deps.actor, { name, role, clientIds, lifetimeMs }, deps);
    const creator = deps.by?.actor.kind === 'admin_key' ? deps.by.actor.name : undefined;
    return { key: { ...key, state: 'valid' as const, creator, usedAt: undefined }, secret };
  },
  toDocument: ({ key, secret }) => ({ ...toDocument(ADMIN_KEY, key), key: secret }),
});

export const rotateKey = operation({
  ...{ id: 'rotateAdminKey', method: 'post', path: '/keys/{key_id}/rotate', group: 'Keys' },
  summary: 'Replace the text of an admin key',
  permission: 'people.manage',
  pathFields: KEY,
  fields: overlapField('text'),
  ...{ command: 'admin key rotate', result: ['key_id', 'key', 'old_key_expires_at'] },
  run({ key_id: keyId, overlap_hours: hours }, deps) {
    return rotateAdminKey(deps.actor, { keyId, overlapMs: overlapMsOf(hours) }, deps);
  },
  toDocument: ({ keyId, secret, previousUntil }: RotatedAdminKey) => ({
    ...{ key_id: keyId, key: secret, old_key_expires_at: toTime(previousUntil) },
  }),
});

export const revokeKey = operation({
  ...{ id: 'revokeAdminKey', method: 'delete', path: '/keys/{key_id}', group: 'Keys' },
  summary: 'Revoke an admin key, and the keys that it created',
  permission: 'people.manage',
  description: 'A dry run counts the working keys that it created, and those that they created.',
  ...{ pathFields: KEY, fields: DRY_RUN, command: 'admin key revoke', result: ['revoked', 'key_id'] },
  counted: 'keys',
  async count({ key_id: keyId }, deps) {
    const keys = await listAdminKeys(deps.actor, deps);
    if (!keys.some((key) => key.keyId === keyId)) throw new PeopleRefusal('not_there');
    const working = Map.groupBy(
      keys.filter(({ state }) => state === 'valid'),
      ({ creatorId }) => creatorId,
    );
    const ended = [...(working.get(keyId) ?? [])];
    for (const key of ended) ended.push(...(working.get(key.keyId) ?? []));
    return ended.length;
  },
  async run({ key_id: keyId }, deps) {
    await revokeAdminKey(deps.actor, keyId, deps);
    return keyId;
  },
  toDocument: (keyId) => ({ revoked: true, key_id: keyId }),
});
