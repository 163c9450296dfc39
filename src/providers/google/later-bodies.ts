/** Builds the bodies for the later half of a series: the old event with the caller's changes. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { LaterException, LaterHalf } from '../../calendars/event-writing.ts';
import { withoutUndefined } from '../json-value.ts';
import { toGoogleTimePatch } from './body-times.ts';
import { buildConferencePatch, CONFERENCE_PROPERTY, copyConference } from './conference.ts';
import { copyMembers, ownMembers } from './copied-members.ts';
import { buildPatchBody, type EventBody } from './event-body.ts';
import { applyPatch } from './merge-patch.ts';
import { wouldPublish } from './privacy.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export type LaterEvent = {
  readonly id: string;
  /** The change of the whole later half. */
  readonly change: LaterHalf['change'];
  /** Whether Google creates Meets in this calendar. Then the event gets a separate Meet. */
  readonly makesMeets: boolean;
};

/** Builds the body of the new series, or of the single event that is left of it. */
export function buildLaterBody(
  master: GoogleEvent,
  { id, change, makesMeets }: LaterEvent,
): EventBody & { id: string } {
  const copied = copyMembers(master, makesMeets ? id : undefined);
  // Both have the members of an event, and the nulls of the patch are removed.
  const body = applyPatch({ ...copied }, { ...buildPatchBody(change, copied, id) }) as EventBody;
  return { ...body, id };
}

/** An exception of the old series, its master, and its times in the new series. */
export type OldException = Pick<LaterException, 'times'> & {
  readonly exception: GoogleEvent;
  readonly master: GoogleEvent;
};

/** Builds the differences from the new series: only times if it was more private. The conference is not yet a patch. */
export function buildExceptionBody(
  { exception, master, times }: OldException,
  { id, change, makesMeets }: LaterEvent,
): EventBody {
  const placed = withoutUndefined({
    start: times && toGoogleTimePatch(times.start, 'start'),
    end: times && toGoogleTimePatch(times.end, 'end'),
  });
  const isSingle = change.recurrence === null;
  const { privacy = master.visibility } = change;
  if (!isSingle && wouldPublish(exception, master, { visibility: privacy })) return placed;
  const { conferenceData, extendedProperties, ...differing } = ownMembers(exception, master);
  const inherited = new Set(Object.keys(change).map((name) => MEMBER_BY_FIELD.get(name)));
  const changed: EventBody = Object.fromEntries(
    Object.entries(differing).filter(([name]) => !inherited.has(name)),
  );
  const copied = conferenceData && copyConference(exception.conferenceData, makesMeets ? id : undefined);
  const conference = conferenceData === null ? null : copied;
  return withoutUndefined({
    ...changed,
    conferenceData: changesConference(change) ? undefined : conference,
    extendedProperties: ownProperties(extendedProperties, change),
    visibility: isSingle && change.privacy === undefined ? (exception.visibility ?? null) : undefined,
    ...placed,
  });
}

/** Builds the body of a single later event: `body` with the differences of the remaining occurrence. */
export function buildSingleBody(
  body: EventBody & { id: string },
  own: EventBody | undefined,
): EventBody & { id: string } {
  const patch = own && withConferencePatch(own, body);
  // Both have the members of an event, and the nulls of the patch are removed.
  const members = applyPatch({ ...body }, { ...patch }) as EventBody;
  return { ...members, id: body.id };
}

/** Adapts a patch to the conference of `former`. Google refuses a null for a member that does not exist. */
export function withConferencePatch(patch: EventBody, { conferenceData: former }: EventBody): EventBody {
  const { conferenceData, ...others } = patch;
  if (conferenceData === undefined) return patch;
  if (conferenceData === null) return former ? patch : others;
  return { ...patch, conferenceData: buildConferencePatch(conferenceData, former) };
}

/** Google's member for each field whose change in the series also changes its exceptions. */
const MEMBER_BY_FIELD: ReadonlyMap<string, string> = new Map([
  ['title', 'summary'],
  ['description', 'description'],
  ['location', 'location'],
  ['color', 'colorId'],
  ['status', 'status'],
  ['availability', 'transparency'],
  ['attendees', 'attendees'],
]);

const changesConference = ({ conference, autoConference }: LaterEvent['change']): boolean =>
  conference !== undefined || autoConference === true;

/** Returns the properties that stay. Our link among them belongs to the conference, the others to `custom`. */
function ownProperties(
  properties: EventBody['extendedProperties'],
  change: LaterEvent['change'],
): EventBody['extendedProperties'] {
  const isKept = (name: string) =>
    name === CONFERENCE_PROPERTY ? !changesConference(change) : change.custom === undefined;
  const selectKept = (texts: Readonly<Record<string, string | null>> | undefined) => {
    const entries = Object.entries(texts ?? {}).filter(([name]) => isKept(name));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  const [shared, ofThisCopy] = [selectKept(properties?.shared), selectKept(properties?.private)];
  if (shared === undefined && ofThisCopy === undefined) return undefined;
  return withoutUndefined({ shared, private: ofThisCopy });
}
