/**
 * Calendar object resources on their server: read, and written under the condition of the version that was read. The
 * caller holds the calendar's lease, so what this instance compares and then writes is not written by another of ours in
 * between.
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { bodyText, type DavCondition, type DavSession, davRequest, refusalOf } from './dav-client.ts';
import { comparableEtag } from './href.ts';
import { uidConflictOf, writeRefusalOf } from './write-refusal.ts';

/** A version of a resource. */
export type StoredObject = {
  readonly url: URL;
  readonly etag: string | undefined;
  readonly icalendar: string;
};

/** `undefined` when nothing is there. */
export async function getObject(session: DavSession, url: URL): Promise<StoredObject | undefined> {
  const answer = await davRequest(session, url, { method: 'GET' });
  if (answer.status === 404 || answer.status === 410) return undefined;
  if (answer.status !== 200) throw refusalOf(answer);
  return { url, etag: answer.header('etag'), icalendar: bodyText(answer) };
}

export type Creation =
  | { readonly outcome: 'created'; readonly etag: string | undefined }
  /** Something is at this address already. */
  | { readonly outcome: 'exists' }
  /** The calendar has the UID elsewhere: at `href`, where the server says so. */
  | { readonly outcome: 'uid taken'; readonly href: string | undefined };

/** Puts a new resource, and none over another (RFC 4791 §5.3.2). */
export async function createObject(session: DavSession, url: URL, icalendar: string): Promise<Creation> {
  const condition = { 'if-none-match': '*' } as const;
  const answer = await davRequest(session, url, { method: 'PUT', body: icalendar, condition });
  if (isSuccess(answer)) return { outcome: 'created', etag: answer.header('etag') };
  const conflict = uidConflictOf(answer);
  if (conflict !== undefined) return { outcome: 'uid taken', href: conflict.href };
  // Some say 409 to what RFC 9110 wants 412 for; whoever asks for the resource then sees which it was.
  if (answer.status === 412) return { outcome: 'exists' };
  if (answer.status === 409 && (await getObject(session, url)) !== undefined) return { outcome: 'exists' };
  throw writeRefusalOf(answer);
}

/** Replaces exactly `base`: fails as `precondition_failed` when it is another by now, `not_found` when it is gone. */
export async function replaceObject(
  session: DavSession,
  base: StoredObject,
  icalendar: string,
): Promise<{ readonly etag: string | undefined }> {
  const put = (condition: DavCondition | undefined) =>
    davRequest(session, base.url, { method: 'PUT', body: icalendar, ...(condition && { condition }) });
  const answer = await conditionally(session, base, put);
  if (answer === undefined) throw new ProviderError('not_found', 'The event is gone');
  if (!isSuccess(answer)) throw writeRefusalOf(answer);
  return { etag: answer.header('etag') };
}

/** Deletes exactly `base`; resolves when it is gone already. */
export async function deleteObject(session: DavSession, base: StoredObject): Promise<void> {
  const remove = (condition: DavCondition | undefined) =>
    davRequest(session, base.url, { method: 'DELETE', ...(condition && { condition }) });
  const answer = await conditionally(session, base, remove);
  if (answer === undefined || answer.status === 404 || answer.status === 410) return;
  if (!isSuccess(answer)) throw writeRefusalOf(answer);
}

/**
 * Sends it with If-Match. A server that refuses an etag it gave (weak ones compare with none, RFC 9110 §8.8.3.2; front
 * ends append to them) is asked with the etag as it was meant, and at last, when the resource is still the same to the
 * letter, without. `undefined` when the resource is gone.
 */
async function conditionally(
  session: DavSession,
  base: StoredObject,
  send: (condition: DavCondition | undefined) => Promise<EgressResponse>,
): Promise<EgressResponse | undefined> {
  for (const condition of conditionsFor(base.etag)) {
    const answer = await send(condition);
    if (answer.status !== 412 || condition === undefined) return answer;
    const now = await getObject(session, base.url);
    if (now === undefined) return undefined;
    if (now.icalendar !== base.icalendar)
      throw new ProviderError('precondition_failed', 'The event was changed meanwhile');
  }
  throw new ProviderError('precondition_failed', 'The event was changed meanwhile');
}

function conditionsFor(etag: string | undefined): (DavCondition | undefined)[] {
  if (etag === undefined) return [undefined];
  const spellings = new Set([etag, `"${comparableEtag(etag)}"`]);
  return [...[...spellings].map((spelling) => ({ 'if-match': spelling })), undefined];
}

const isSuccess = ({ status }: EgressResponse): boolean => status >= 200 && status < 300;
