/**
 * Writes events to CalDAV calendars (RFC 4791 §5.3.2). Resources are written whole: a change is made in the current
 * text of the server, if it is the version that the caller saw, and put under its etag.
 */
import { createHash } from 'node:crypto';

import type { EventResource } from '../../calendars/event.ts';
import type {
  CopiedHalf,
  EventChange,
  EventDraft,
  EventWriting,
  LaterHalf,
  WriteResult,
  WriteTarget,
} from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { sameEtag } from '../../lib/etag.ts';
import { TooComplexError } from '../../lib/icalendar/resource-budget.ts';
import { renderObject } from '../../lib/rendered-json.ts';
import type { DavSession } from './dav/dav-client.ts';
import { findByUid } from './dav/find-by-uid.ts';
import { calendarUrl, urlWithin } from './dav/href.ts';
import { objectPath } from './dav/listed-object.ts';
import {
  createObject,
  deleteObject,
  getObject,
  replaceObject,
  type StoredObject,
} from './dav/stored-object.ts';
import { type UserAddresses, userAddresses } from './dav/user-addresses.ts';
import { answerInvitation } from './events/answer-invitation.ts';
import { type CalendarObject, type EventEdit, readObject, writeObject } from './events/calendar-object.ts';
import { changeEvent, removeOccurrence } from './events/edit-event.ts';
import { parseEventResource, withCrlf } from './events/event-resource.ts';
import { createLaterHalf, invitingEdits } from './events/later-half.ts';
import type { Editor } from './events/mark-changed.ts';
import { deriveUid, newObject } from './events/new-event.ts';

export type WritingInput = { readonly session: DavSession; readonly principal: URL };
export type WritingDeps = { readonly now: () => number };

export function eventWriting({ session, principal }: WritingInput, { now }: WritingDeps): EventWriting {
  const writer: Writer = { session, now, user: cacheAnswer(() => userAddresses(session, principal)) };

  return {
    create: (href, draft, key) => create(writer, calendarUrl(href), { draft, key }),
    copyLater: (href, target, later) => copyLater(writer, { collection: calendarUrl(href), target }, later),
    inviteLater: (href, name, invitations) =>
      inviteLater(writer, resolveObjectUrl(calendarUrl(href), name), {
        collection: calendarUrl(href),
        invitations,
      }),
    async findCreated(href, key) {
      const collection = calendarUrl(href);
      const uid = deriveUid(key, collection);
      const created = await findCreated(session, { collection, uid, url: urlOfUid(uid, collection) });
      return created && [created];
    },
    async update(href, target, change) {
      const place = {
        collection: calendarUrl(href),
        target,
        isInviting: invites(change),
      };
      const { instance } = target;
      const edit: Edit = (object, editor) => changeEvent(object, { instance, change }, editor);
      return (await editObject(writer, place, edit)) ?? failAsGone();
    },
    async respond(href, target, { response, comment }) {
      const place = { collection: calendarUrl(href), target };
      const answer = { instance: target.instance, participation: response.toUpperCase(), comment };
      const edit: Edit = (object, editor) => answerInvitation(object, answer, editor);
      return (await editObject(writer, place, edit)) ?? failAsGone();
    },
    async delete(href, target) {
      const place = { collection: calendarUrl(href), target };
      const { instance } = target;
      const edit: Edit = (object, editor) =>
        instance === undefined
          ? object.events.map((event) => ({ event, lines: undefined }))
          : removeOccurrence(object, instance, editor);
      return (await editObject(writer, place, edit)) ?? { changed: [], removed: [target.href] };
    },
    async read(href, eventHref) {
      const collection = calendarUrl(href);
      const object = await getObject(session, resolveObjectUrl(collection, eventHref));
      return object && [toResource(collection, object)];
    },
  };
}

type Writer = {
  readonly session: DavSession;
  readonly now: () => number;
  readonly user: () => Promise<UserAddresses>;
};

/** Remembers the first success. */
function cacheAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((failure: unknown) => {
      answer = undefined;
      throw failure;
    });
    return answer;
  };
}

const UNKNOWN_USER: UserAddresses = { addresses: [], name: undefined };

/** Requests the user's addresses only if there are guests: before the change, or after it (`isInviting`). */
async function loadEditor({ user, now }: Writer, icalendar: string, isInviting = false): Promise<Editor> {
  const hasGuests = isInviting || /(?<=^|[\r\n])(ORGANIZER|ATTENDEE)\b/i.test(icalendar);
  return { user: hasGuests ? await user() : UNKNOWN_USER, now: now() };
}

type NewEvent = { readonly draft: EventDraft; readonly key: string };

async function create(writer: Writer, collection: URL, { draft, key }: NewEvent): Promise<WriteResult> {
  const uid = deriveUid(key, collection);
  const editor = await loadEditor(writer, '', invites(draft));
  return putNew(writer.session, { collection, uid, icalendar: newObject(draft, uid, editor) });
}

/** Creates the later half of a series in one request, so that it exists completely or not at all. */
async function copyLater(writer: Writer, place: Place, later: LaterHalf): Promise<CopiedHalf> {
  const { collection, target } = place;
  const base = (await versionSeen(writer.session, collection, target)) ?? failAsGone();
  const uid = deriveUid(later.key, collection);
  const editor = await loadEditor(writer, base.icalendar, invites(later.change));
  const { icalendar, invitations } = createLaterHalf(readObject(base.icalendar), later, { uid, editor });
  return { ...(await putNew(writer.session, { collection, uid, icalendar })), invitations };
}

async function inviteLater(
  writer: Writer,
  url: URL,
  { collection, invitations }: { readonly collection: URL; readonly invitations: unknown },
): Promise<WriteResult> {
  const base = await getObject(writer.session, url);
  const edit: Edit = (object, editor) => invitingEdits(object, invitations, editor);
  return base === undefined ? NOTHING : editVersion(writer, { collection, base }, edit);
}

const NOTHING: WriteResult = { changed: [], removed: [] };

const invites = ({ attendees }: EventChange): boolean => (attendees ?? []).length > 0;

const urlOfUid = (uid: string, collection: URL): URL => urlWithin(collection, `${uid}.ics`);

type NewObject = { readonly collection: URL; readonly uid: string; readonly icalendar: string };

async function putNew(session: DavSession, { collection, uid, icalendar }: NewObject): Promise<WriteResult> {
  const url = urlOfUid(uid, collection);
  const creation = await createObject(session, url, icalendar);
  if (creation.outcome === 'created') {
    const stored = await asStored(session, creation.object);
    return stored ? toWriteResult(collection, stored) : readCreated(session, { collection, uid, url: null });
  }
  const href = creation.outcome === 'uid taken' ? creation.href : undefined;
  return readCreated(session, { collection, uid, url: href === undefined ? url : URL.parse(href, url) });
}

type CreatedBefore = { readonly collection: URL; readonly uid: string; readonly url: URL | null };

/** Returns the event that this or an earlier creation with the same key created. */
async function readCreated(session: DavSession, before: CreatedBefore): Promise<WriteResult> {
  const resource = await findCreated(session, before);
  if (resource !== undefined) return { changed: [resource], removed: [] };
  throw new ProviderError('precondition_failed', 'The calendar has another object with this name');
}

/** Returns the object with this UID, wherever the server put it. */
async function findCreated(
  session: DavSession,
  { collection, uid, url }: CreatedBefore,
): Promise<EventResource | undefined> {
  const isInCalendar = url !== null && objectPath(url.href, collection) !== undefined;
  const stored = isInCalendar ? await getObject(session, url) : undefined;
  const elsewhere = stored === undefined ? await findByUid(session, collection, uid) : undefined;
  const object = stored ?? (elsewhere && (await getObject(session, elsewhere)));
  const resource = object && toResource(collection, object);
  return resource?.events.some((event) => event.uid === uid) ? resource : undefined;
}

type Edit = (object: CalendarObject, editor: Editor) => readonly EventEdit[];

type Place = {
  readonly collection: URL;
  readonly target: WriteTarget;
  readonly isInviting?: boolean | undefined;
};

/** Edits the version that the caller saw, and deletes it if no event is left. `undefined` if it no longer exists. */
async function editObject(writer: Writer, place: Place, edit: Edit): Promise<WriteResult | undefined> {
  const { collection, target, isInviting } = place;
  const base = await versionSeen(writer.session, collection, target);
  return base && editVersion(writer, { collection, base, href: target.href, isInviting }, edit);
}

type Version = Pick<Place, 'collection' | 'isInviting'> & {
  readonly base: StoredObject;
  readonly href?: string;
};

async function editVersion(writer: Writer, version: Version, edit: Edit): Promise<WriteResult> {
  const { session, now } = writer;
  const { collection, base, href = base.url.pathname, isInviting } = version;
  const object = readObject(base.icalendar);
  const edits = edit(object, await loadEditor(writer, base.icalendar, isInviting));
  // An earlier response was lost, or somebody else did the same.
  if (edits.length === 0) return toWriteResult(collection, base);
  const icalendar = writeObject(object, edits, now());
  if (icalendar === undefined) {
    await deleteObject(session, base);
    return { changed: [], removed: [href] };
  }
  const stored = await asStored(session, await replaceObject(session, base, icalendar));
  return stored ? toWriteResult(collection, stored) : failAsGone();
}

function failAsGone(): never {
  throw new ProviderError('not_found', 'The event was deleted');
}

function resolveObjectUrl(collection: URL, href: string): URL {
  const url = URL.parse(href, collection);
  if (url === null || objectPath(href, collection) === undefined)
    throw new ProviderError('not_found', 'The event has no valid address');
  return url;
}

/** Fails as `invalid_response` if the object is unreadable or over the budget of a resource. */
function toResource(collection: URL, { url, etag, icalendar }: StoredObject): EventResource {
  try {
    return parseEventResource({ href: objectPath(url.href, collection) ?? url.pathname, etag, icalendar });
  } catch (failure) {
    if (!(failure instanceof TooComplexError)) throw failure;
    const message = `The event is too complex: ${failure.message}`;
    throw new ProviderError('invalid_response', message, { cause: failure, reason: 'event_too_complex' });
  }
}

const toWriteResult = (collection: URL, object: StoredObject): WriteResult => ({
  changed: [toResource(collection, object)],
  removed: [],
});

/**
 * Returns the object if it is the version that the caller saw, by its etag or, since proxies change etags, by its text.
 * `undefined` if there is none. Fails as `precondition_failed` for another version.
 */
async function versionSeen(
  session: DavSession,
  collection: URL,
  { href, etag, stored }: WriteTarget,
): Promise<StoredObject | undefined> {
  const object = await getObject(session, resolveObjectUrl(collection, href));
  if (object === undefined || sameEtag(object.etag, etag)) return object;
  if (stored.some((known) => hasText(known, object.icalendar))) return object;
  throw new ProviderError('precondition_failed', 'The event was changed in the meantime');
}

/** Ignores line ends. For a long text, the mirror has only the digest of the JSON of `original`. */
function hasText({ original, originalDigest }: EventResource, icalendar: string): boolean {
  const withLineFeeds = (text: string) => text.replace(/[\r\n]+/g, '\n');
  if (originalDigest === undefined)
    return withLineFeeds(String(original.icalendar)) === withLineFeeds(icalendar);
  const json = renderObject({ icalendar: withCrlf(icalendar) });
  return originalDigest === createHash('sha256').update(json).digest('hex');
}

/** Returns the object as the server stored it, or if that cannot be read, as it was put; `undefined` if deleted. */
const asStored = (session: DavSession, put: StoredObject): Promise<StoredObject | undefined> =>
  getObject(session, put.url).catch((failure: unknown) => {
    if (failure instanceof ProviderError) return put;
    throw failure;
  });
