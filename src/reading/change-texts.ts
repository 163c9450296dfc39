/** Renders the entries of GET /events/changes. */
import {
  type Piece,
  type RenderedObject,
  renderList,
  renderMember,
  renderObject,
  toRenderedMembers,
} from '../lib/rendered-json.ts';
import type { EventName } from './change-feed.ts';
import { inPieces, mainThreadTurn } from './event-pieces.ts';
import type { EventReader, MirroredAccount, SinglesAndSeries, WholeSeries } from './event-reader.ts';
import { type EventOwner, type EventText, eventText } from './event-text.ts';
import type { Owned } from './freshness.ts';
import { fitting } from './list-events.ts';
import { effectiveTimes, instanceOfOverride, listedMaster } from './whole-series.ts';

/** An entry of a response. If its event exists, the event is read during rendering. */
export type Change =
  | (EventName & { readonly changeType: 'created' | 'updated' })
  | (EventName & { readonly changeType: 'deleted'; readonly event: RenderedObject });

export type SizedChange = Change & { readonly size: number };

export type Owners<Owner extends EventOwner = Owned> = ReadonlyMap<string, Owner>;

export const mapOwners = (accounts: readonly MirroredAccount[]): Owners =>
  new Map(
    accounts.flatMap((account) =>
      account.calendars.map((calendar) => [calendar.calendarKey, { calendar, account }] as const),
    ),
  );

type Reader = { readonly events: Pick<EventReader, 'sizesById' | 'eventsById'> };

/** The bytes of an entry besides the stored size of its event. */
const SIZE_OF_REST = 400;

/** Returns the changes that fit into a response, and their approximate size in bytes. */
export async function fittingChanges(
  all: readonly Change[],
  owners: Owners,
  read: Reader,
): Promise<{ readonly changes: readonly SizedChange[]; readonly size: number }> {
  const sizes = await readSizes(all, owners, read);
  const sized = all.map((change) => ({
    ...change,
    size: (sizes.get(toEventKey(change)) ?? 0) + SIZE_OF_REST,
  }));
  const { count, size } = fitting(sized.map((change) => change.size));
  return { changes: sized.slice(0, count), size };
}

async function readSizes(
  changes: readonly Change[],
  owners: Owners,
  { events }: Reader,
): Promise<ReadonlyMap<string, number>> {
  const { keys, ids } = listNamesToRead(changes, owners);
  if (keys.length === 0) return new Map();
  return new Map(
    (await events.sizesById(keys, ids)).map(({ size, rows, original, ...name }) => [
      toEventKey(name),
      size + rows * SIZE_OF_REST + Math.min(MOST_INHERITED, (rows - 1) * original),
    ]),
  );
}

function listNamesToRead(changes: readonly Change[], owners: Owners) {
  const existing = changes.filter(({ changeType }) => changeType !== 'deleted');
  const keys = new Set(existing.map(({ calendarKey }) => calendarKey).filter((key) => owners.has(key)));
  return { keys: [...keys], ids: [...new Set(existing.map(({ id }) => id))] };
}

/** Renders the entries in pieces, without events that were deleted meanwhile. */
export function changeTexts(
  { changes, owners }: { readonly changes: readonly SizedChange[]; readonly owners: Owners },
  read: Reader,
): Piece<readonly RenderedObject[]>[] {
  const pieces = [...inPieces(changes)];
  return pieces.map((piece) => async () => {
    if (pieces.length > 1) await mainThreadTurn();
    const texts = await readTexts(piece, owners, read);
    return piece.flatMap((change) => {
      const event = change.changeType === 'deleted' ? change.event : texts.get(toEventKey(change));
      return changeText(change.changeType, event);
    });
  });
}

/** Returns nothing for a missing event: it was deleted meanwhile, and has a later entry. */
const changeText = (
  changeType: 'created' | 'updated' | 'deleted',
  event: RenderedObject | undefined,
): RenderedObject[] =>
  event === undefined ? [] : [renderObject({ changeType }, renderMember('event', event))];

export const toEventKey = ({ calendarKey, id }: EventName): string => `${calendarKey} ${id}`;

async function readTexts(
  changes: readonly Change[],
  owners: Owners,
  { events }: Reader,
): Promise<ReadonlyMap<string, RenderedObject>> {
  const { keys, ids } = listNamesToRead(changes, owners);
  return keys.length === 0 ? new Map() : entryTexts(await events.eventsById(keys, ids), owners);
}

/** Renders single events and whole series under the keys of their names. Skips calendars without an owner. */
export function entryTexts(
  { singles, series }: SinglesAndSeries,
  owners: Owners<EventOwner>,
): ReadonlyMap<string, RenderedObject> {
  const texts = new Map<string, RenderedObject>();
  const toText = eventText();
  for (const single of singles) {
    const owner = owners.get(single.calendarKey);
    if (owner) texts.set(toEventKey(single), toText(single, owner));
  }
  for (const row of series) {
    const owner = owners.get(row.calendarKey);
    if (owner) texts.set(toEventKey(row), seriesText(row, owner, toText));
  }
  return texts;
}

/** The maximum bytes of provider objects that a series' overrides show from their master; others are omitted. */
const MOST_INHERITED = 1_000_000;

/** Renders the master with `overrides` (changed instances) and `cancelledInstances` (ids). */
function seriesText(one: WholeSeries, owner: EventOwner, toText: EventText): RenderedObject {
  const zone = owner.calendar.timeZone;
  const times = effectiveTimes(one, zone);
  const instances = times.overrides.map((override) => ({
    ...override,
    event: instanceOfOverride(one, override, { times, zone }),
  }));
  const cancelled = instances.filter((instance) => instance.cancelled);
  let inherited = 0;
  const overrides = instances
    .filter((instance) => !instance.cancelled)
    .map(({ event, thisAndFuture, payload: row }) => {
      if (one.rows[row]?.hasOriginal === false) inherited += event.original?.length ?? 0;
      const visible = inherited > MOST_INHERITED ? { ...event, original: undefined } : event;
      return renderObject(
        toRenderedMembers(toText(visible, owner)),
        thisAndFuture ? { thisAndFuture } : undefined,
      );
    });
  return renderObject(
    toRenderedMembers(toText(listedMaster(one, times, zone), owner)),
    renderMember('overrides', renderList(overrides)),
    { cancelledInstances: cancelled.map(({ event }) => event.id) },
  );
}
