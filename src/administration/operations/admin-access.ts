/** Finds the admin key of a request, with its limits. The key is checked before the body is read. */
import { addressKey } from '../../http/address-key.ts';
import { type AttemptLimit, attemptLimit } from '../../http/attempt-limit.ts';
import { ANY_CALL, ApiError } from '../../http/refusal.ts';
import type { SlotListener } from '../../lib/fair-slots/slot-listener.ts';
import { SlotQueue } from '../../lib/fair-slots/slot-queue.ts';
import type { Log } from '../../lib/log.ts';
import { onceAMinute } from '../../lib/once-a-minute.ts';
import { type AdminKeysDeps, findPresentedKey, type PresentedKey } from '../../people/admin-keys.ts';
import { ADMINISTRATION } from './administration-error.ts';

const REFUSED_PER_MINUTE = 30;
const REQUESTS_PER_MINUTE = 1_200;
const SLOTS = { slots: 16, ofOwner: 4, waiting: 20, waitMs: 10_000 };

/** The state that all routes of an instance share. */
export type AdminAccess = {
  /** The value of KALENDS_ADMIN_KEY. */
  readonly adminKey: string | undefined;
  readonly refused: AttemptLimit;
  readonly requests: AttemptLimit;
  readonly slots: SlotQueue;
  readonly noteRefused: (address: string) => void;
};

type AccessOptions = {
  readonly adminKey: string | undefined;
  readonly log: Pick<Log, 'warn'>;
  readonly slots?: SlotListener;
};

export function openAdminAccess({ adminKey, log, slots }: AccessOptions): AdminAccess {
  return {
    adminKey,
    refused: attemptLimit(REFUSED_PER_MINUTE, 60),
    requests: attemptLimit(REQUESTS_PER_MINUTE, 60),
    slots: new SlotQueue('admin', SLOTS, slots),
    noteRefused: onceAMinute((address: string, count) =>
      log.warn(
        { event: 'admin_key_refused', address, count },
        'Requests to the administration API had no valid key',
      ),
    ),
  };
}

export type AdminAccessDeps = Pick<AdminKeysDeps, 'adminKeys' | 'now'> & {
  readonly adminAccess: AdminAccess;
};

type Credentials = { readonly authorization: string | undefined; readonly address: string };

/**
 * Returns the valid key of a request. Throws 401 for every other request, and 429 after too many of these from a network
 * or too many requests with the key. A valid key is never limited by wrong ones.
 */
export async function admitKey(
  { authorization = '', address }: Credentials,
  { adminAccess, ...deps }: AdminAccessDeps,
): Promise<PresentedKey> {
  const [, text = ''] = /^Bearer ([\x21-\x7e]{1,128})$/i.exec(authorization) ?? [];
  const key = await findPresentedKey(text, { ...deps, adminKey: adminAccess.adminKey });
  if (key === undefined) {
    adminAccess.noteRefused(address);
    refuseIfLimited(await adminAccess.refused(addressKey(address)));
    throw new ApiError(ADMINISTRATION.invalid_admin_key, { headers: { 'www-authenticate': 'Bearer' } });
  }
  refuseIfLimited(await adminAccess.requests(key.keyId));
  return key;
}

function refuseIfLimited(retryAfter: number | undefined): void {
  if (retryAfter !== undefined) throw new ApiError(ADMINISTRATION.too_many_requests, { retryAfter });
}

/** Runs `work` in a slot of the key. Throws 503 if too many of its requests wait, or the wait is too long. */
export async function inAdminSlot<T>(
  { keyId }: Pick<PresentedKey, 'keyId'>,
  work: () => Promise<T>,
  { slots }: Pick<AdminAccess, 'slots'>,
): Promise<T> {
  const leave = await slots.enter({ clientId: '', owner: keyId, host: '' });
  if (leave === undefined)
    throw new ApiError(ANY_CALL.temporarily_unavailable, 'Too many requests of this key are running already');
  try {
    return await work();
  } finally {
    leave();
  }
}
