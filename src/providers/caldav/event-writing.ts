/**
 * Writing events to CalDAV calendars (RFC 4791 §5.3.2). A resource is written whole, so each change is made in the text
 * that the server has at that moment, provided it is the version the caller saw, and put back under its etag.
 */
import type { EventResource } from '../../calendars/event.ts';
import type { EventDraft, EventWriting, WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { answerInvitation } from './answer-invitation.ts';
import type { DavSession } from './dav-client.ts';
import { changeEvent, changeOccurrence, removeOccurrence } from './edit-event.ts';
import { type EditedObject, readObject, type WrittenEvent, writeObject } from './edited-object.ts';
import { eventResourceOf } from './event-resource.ts';
import { findByUid } from './find-by-uid.ts';
import { sameEtag } from './href.ts';
import { memberPath } from './member.ts';
import { newObject, uidOf } from './new-event.ts';
import { type OwnAddresses, ownAddresses } from './own-addresses.ts';
import type { Editing } from './revision.ts';
import { createObject, deleteObject, getObject, replaceObject, type StoredObject } from './stored-object.ts';

export type WritingInput = { readonly session: DavSession; readonly principal: URL };
export type WritingDeps = { readonly now: () => number };

export function eventWriting(input: WritingInput, { now }: WritingDeps): EventWriting {
  const { session } = input;
  const writer: Writer = { session, now, own: askedOnce(input) };

  return {
    create: (calendarHref, draft, key) => create(writer, collectionAt(calendarHref), draft, key),
    async update(calendarHref, target, change) {
      const { instance } = target;
      const isInviting = (change.attendees ?? []).length > 0;
      const edit: Edit = (object, by) =>
        instance === undefined
          ? changeEvent(object, change, by)
          : changeOccurrence(object, instance, change, by);
      return (await edited(writer, { calendarHref, target, isInviting }, edit)) ?? gone();
    },
    async respond(calendarHref, target, { response, comment }) {
      const answer = { participation: response.toUpperCase(), comment };
      const edit: Edit = (object, by) => answerInvitation(object, target.instance, answer, by);
      return (await edited(writer, { calendarHref, target }, edit)) ?? gone();
    },
    async delete(calendarHref, target) {
      const { instance } = target;
      const edit: Edit = (object, by) =>
        instance === undefined ? [] : removeOccurrence(object, instance, by);
      const result = await edited(writer, { calendarHref, target }, edit);
      return result ?? { changed: [], removed: [target.href] };
    },
    async read(calendarHref, href) {
      const collection = collectionAt(calendarHref);
      const found = await getObject(session, memberAt(collection, href));
      return found && [resourceAt(collection, found)];
    },
  };
}

type Writer = {
  readonly session: DavSession;
  readonly now: () => number;
  readonly own: () => Promise<OwnAddresses>;
};

/** A failure is asked again. */
function askedOnce({ session, principal }: WritingInput): () => Promise<OwnAddresses> {
  let asked: Promise<OwnAddresses> | undefined;
  return () => {
    asked ??= ownAddresses(session, principal).catch((failure: unknown) => {
      asked = undefined;
      throw failure;
    });
    return asked;
  };
}

/** Whose change it is; the account's addresses are asked for only where guests are involved. */
async function editingOf({ own, now }: Writer, icalendar: string, isInviting: boolean): Promise<Editing> {
  const isScheduled = isInviting || /^(ORGANIZER|ATTENDEE)\b/im.test(icalendar);
  return { own: isScheduled ? await own() : NOBODY, now: now() };
}

async function create(writer: Writer, collection: URL, draft: EventDraft, key: string): Promise<WriteResult> {
  const { session } = writer;
  const uid = uidOf(key, collection);
  const by = await editingOf(writer, '', (draft.attendees ?? []).length > 0);
  const icalendar = newObject(draft, { uid, ...by });
  const url = new URL(`${uid}.ics`, `${collection.href.replace(/\/$/, '')}/`);
  const creation = await createObject(session, url, icalendar);
  if (creation.outcome === 'created')
    return writtenAnywhere(session, { collection, uid, put: { url, etag: creation.etag, icalendar } });
  const href = creation.outcome === 'uid taken' ? creation.href : undefined;
  return adopted(session, { collection, uid, url: href === undefined ? url : URL.parse(href, url) });
}

/** What is to be in place of the object: no events when it is to go, `undefined` when it is right as it is. */
type Edit = (object: EditedObject, by: Editing) => readonly WrittenEvent[] | undefined;

type Place = { readonly calendarHref: string; readonly target: WriteTarget; readonly isInviting?: boolean };

/** Puts what `edit` makes of the version the caller saw; `undefined` when there is none any more. */
async function edited(writer: Writer, place: Place, edit: Edit): Promise<WriteResult | undefined> {
  const { session, now } = writer;
  const { calendarHref, target, isInviting = false } = place;
  const collection = collectionAt(calendarHref);
  const base = await versionSeen(session, collection, target);
  if (base === undefined) return undefined;
  const object = readObject(base.icalendar);
  const events = edit(object, await editingOf(writer, base.icalendar, isInviting));
  // An answer was lost, or somebody else did the same.
  if (events === undefined) return { changed: [resourceAt(collection, base)], removed: [] };
  if (events.length === 0) {
    await deleteObject(session, base);
    return { changed: [], removed: [target.href] };
  }
  const icalendar = writeObject(object, events, now());
  const { etag } = await replaceObject(session, base, icalendar);
  return written(session, collection, { url: base.url, etag, icalendar });
}

const NOBODY: OwnAddresses = { addresses: [], name: undefined };

function gone(): never {
  throw new ProviderError('not_found', 'The event is gone');
}

function collectionAt(calendarHref: string): URL {
  const collection = URL.parse(calendarHref);
  if (collection === null) throw new ProviderError('not_found', 'The calendar has no valid address');
  return collection;
}

function memberAt(collection: URL, href: string): URL {
  const url = URL.parse(href, collection);
  if (url === null || memberPath(href, collection) === undefined)
    throw new ProviderError('not_found', 'The event has no valid address');
  return url;
}

const resourceAt = (collection: URL, { url, etag, icalendar }: StoredObject): EventResource =>
  eventResourceOf({ href: memberPath(url.href, collection) ?? url.pathname, etag, icalendar });

/**
 * What the server has, if it is what the caller saw: by its etag, or to the letter, since front ends change etags.
 * `undefined` when it has nothing there; fails as `precondition_failed` for another version.
 */
async function versionSeen(
  session: DavSession,
  collection: URL,
  { href, etag, known }: WriteTarget,
): Promise<StoredObject | undefined> {
  const found = await getObject(session, memberAt(collection, href));
  if (found === undefined || sameEtag(found.etag, etag)) return found;
  if (known.some(({ original }) => original.icalendar === found.icalendar)) return found;
  throw new ProviderError('precondition_failed', 'The event was changed meanwhile');
}

/**
 * The resource as the server has it now: many rewrite what they are given. What was put stands in when the server cannot
 * say it at the moment, since it was put; the next sync brings the rest. `undefined` when nothing is there.
 */
async function stored(session: DavSession, put: StoredObject): Promise<StoredObject | undefined> {
  return getObject(session, put.url).catch((failure: unknown) => {
    if (failure instanceof ProviderError) return put;
    throw failure;
  });
}

async function written(session: DavSession, collection: URL, put: StoredObject): Promise<WriteResult> {
  const found = await stored(session, put);
  // Somebody else deleted it right after.
  if (found === undefined) return gone();
  return { changed: [resourceAt(collection, found)], removed: [] };
}

type Creation = { readonly collection: URL; readonly uid: string; readonly put: StoredObject };

/** What was created, wherever the server put it. */
async function writtenAnywhere(
  session: DavSession,
  { collection, uid, put }: Creation,
): Promise<WriteResult> {
  const found = await stored(session, put);
  if (found !== undefined) return { changed: [resourceAt(collection, found)], removed: [] };
  return adopted(session, { collection, uid, url: null });
}

type Adoption = { readonly collection: URL; readonly uid: string; readonly url: URL | null };

/** What a creation with this key left there, now or earlier, as it is by now. */
async function adopted(session: DavSession, { collection, uid, url }: Adoption): Promise<WriteResult> {
  const isMember = url !== null && memberPath(url.href, collection) !== undefined;
  const named = isMember ? await getObject(session, url) : undefined;
  const elsewhere = named === undefined ? await findByUid(session, collection, uid) : undefined;
  const found = named ?? (elsewhere && (await getObject(session, elsewhere)));
  const resource = found && resourceAt(collection, found);
  if (resource?.events.some((event) => event.uid === uid) === true)
    return { changed: [resource], removed: [] };
  throw new ProviderError('precondition_failed', 'The calendar has something else under this name');
}
