/** Fields of events in deliveries (docs/wire.md 2.5 and 2.7): each kind of event, at each provider, for each scope. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { PROVIDER_KINDS, type ProviderKind } from '../../src/calendars/provider-facts.ts';
import { CANARY, dayText, type EventKind, type ShownAt, type Told, tellOfAll } from './shown-events.ts';

const SCOPES: readonly ShownAt[] = [
  { name: 'read-write', scope: 'read-write' },
  { name: 'read', scope: 'read' },
  { name: 'free-busy', scope: 'free-busy' },
  { name: 'free-busy, once it was tried with scope read', scope: 'read', narrowedTo: 'free-busy' },
];

type Shown = Readonly<Record<string, unknown>>;

/** Fields that scope `free-busy` sees of every event. */
const BUSY_MEMBERS = [
  ...['provider', 'id', 'calendarId', 'title', 'start', 'end', 'allDay', 'availability', 'status'],
  ...['changeType', 'changedFields', 'own'],
];

const title = `Title ${CANARY}`;
const words = { title, description: `Description ${CANARY}`, location: `Location ${CANARY}` };
const guest = { email: `guest-${CANARY}@example.com`, name: `Guest ${CANARY}` };
const conference = `https://meet.example.com/${CANARY}`;
const custom = { [`name ${CANARY}`]: { list: [1, `value ${CANARY}`] } };
const busy = { availability: 'busy', status: 'confirmed', allDay: false };

const KINDS: Readonly<
  Record<
    string,
    EventKind & {
      /** Some fields that scope `read` sees, and `free-busy` if they are in `BUSY_MEMBERS`. */
      readonly shows: Shown;
      /** Only there: elsewhere they are refused. */
      readonly at?: readonly ProviderKind[];
    }
  >
> = {
  'a single event': { day: 1, shows: { ...words, ...busy, changeType: 'created' } },
  'an all-day event': {
    day: 2,
    draft: { start: { date: dayText(2) }, end: { date: dayText(3) } },
    shows: {
      ...{ ...words, ...busy, allDay: true, changeType: 'created' },
      ...{ start: `${dayText(2)}T00:00:00.000Z`, end: `${dayText(3)}T00:00:00.000Z` },
      ...{ startDate: dayText(2), endDate: dayText(3) },
    },
  },
  'a series': {
    day: 4,
    draft: { recurrence: { frequency: 'weekly', count: 3 } },
    shows: { ...words, changeType: 'created', recurrence: { frequency: 'WEEKLY', interval: 1, count: 3 } },
  },
  'a series with an instance that was moved': {
    day: 5,
    draft: { recurrence: { frequency: 'weekly', count: 3 } },
    later: 'changeOccurrence',
    shows: { ...words, changeType: 'updated', changedFields: ['overrides'] },
  },
  'a private event': {
    day: 6,
    draft: { privacy: 'private' },
    shows: { ...words, ...busy, privacy: 'private', changeType: 'created' },
  },
  'an event that does not block': {
    day: 7,
    draft: { availability: 'free' },
    shows: { ...words, ...busy, availability: 'free', changeType: 'created' },
  },
  'an event with guests': {
    day: 8,
    draft: { attendees: [guest] },
    shows: { ...words, changeType: 'created' },
  },
  'an event with a conference': {
    day: 9,
    posted: { conference },
    shows: { title, own: true, conference, changeType: 'created' },
  },
  'an event with a conference of its provider': {
    day: 10,
    posted: { conferenceData: { autoGenerate: true } },
    at: ['google', 'microsoft'],
    shows: { title, own: true, changeType: 'created' },
  },
  'an event with custom fields': {
    day: 11,
    posted: { custom },
    shows: { title, own: true, custom, changeType: 'created' },
  },
  'an event that was deleted': { day: 3, later: 'delete', shows: { title, ...busy, changeType: 'deleted' } },
};

for (const provider of PROVIDER_KINDS) {
  const kinds = Object.entries(KINDS).filter(([, { at = PROVIDER_KINDS }]) => at.includes(provider));
  for (const shownAt of SCOPES) {
    const isBusy = (shownAt.narrowedTo ?? shownAt.scope) === 'free-busy';
    describe(`deliveries of ${provider} for scope ${shownAt.name}`, () => {
      let told: Told;
      before(async () => {
        told = await tellOfAll(
          provider,
          kinds.map(([, kind]) => kind),
          shownAt,
        );
      });

      for (const [name, kind] of kinds) {
        it(`show ${name}`, () => {
          const event = told.events.get(kind.day);
          assert.ok(event !== undefined, 'it is told');
          const start = `${dayText(kind.day)}T09:00:00.000Z`;
          const shown = { start, end: start.replace('T09', 'T10'), ...kind.shows };

          assert.equal(event.provider, provider);
          assert.equal(event.calendarId, told.calendarId);
          checkForms(event);
          if (isBusy) checkBusy(event, shown);
          else assert.deepEqual(pick(event, Object.keys(shown)), shown);
        });
      }

      it('contain nothing else, and name the calendar and its provider', () => {
        for (const { body } of told.received) {
          assert.equal(body.provider, provider);
          assert.equal(body.calendarId, told.calendarId);
          assert.equal(body.userId, 'ada');
        }
        assert.equal(told.events.size, kinds.length);
      });

      if (isBusy)
        it('have no word of what is private in any of their bytes', () => {
          const bytes = told.received.map(({ raw }) => raw).join('\n');

          assert.ok(bytes.includes('"Busy"'));
          assert.ok(!bytes.toLowerCase().includes(CANARY), bytes);
          // Not even the ids of events at the provider or for readers are in it.
          for (const id of told.ids) assert.ok(!bytes.includes(id), id);
        });
      else
        it('show guests, conferences and overrides as the published clients read them', () =>
          checkParts(told, provider));
    });
  }
}

const pick = (event: Shown, names: readonly string[]): Shown =>
  Object.fromEntries(Object.entries(event).filter(([name]) => names.includes(name)));

/** Clients fail over other forms than these, and over `null`. */
function checkForms(event: Shown): void {
  for (const [name, value] of Object.entries(event)) assert.notEqual(value, null, name);
  for (const name of ['id', 'title']) assert.equal(typeof event[name], 'string', name);
  assert.notEqual(event.id, '');
  // Known of what was deleted too: the mirror had it.
  for (const name of ['start', 'end'])
    assert.match(String(event[name]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, name);
  for (const name of ['conference', 'description', 'location', 'color', 'link', 'etag', 'recurringEventId'])
    assert.ok(['string', 'undefined'].includes(typeof event[name]), name);
  for (const name of ['custom', 'conferenceData'])
    assert.ok(
      event[name] === undefined || (typeof event[name] === 'object' && !Array.isArray(event[name])),
      name,
    );
  for (const { email } of listOf(event.attendees)) assert.equal(typeof email, 'string');
  for (const name of ['original', 'originalTruncated']) assert.ok(!(name in event), name);
  for (const override of listOf(event.overrides)) checkForms(override);
}

function checkBusy(event: Shown, shown: Shown): void {
  const { changedFields: _, ...expected } = pick(shown, BUSY_MEMBERS);
  assert.deepEqual(
    Object.keys(event).filter((name) => !BUSY_MEMBERS.includes(name)),
    [],
  );
  assert.deepEqual(pick(event, Object.keys(expected)), { ...expected, title: 'Busy' });
}

function checkParts({ events }: Told, provider: ProviderKind): void {
  const of = (name: string): Shown => events.get(KINDS[name]?.day ?? 0) ?? {};

  const guests = listOf(of('an event with guests').attendees).filter(({ organizer }) => organizer !== true);
  assert.deepEqual(guests, [{ ...guest, status: 'none' }]);
  const { recurrence, overrides } = of('a series with an instance that was moved');
  assert.deepEqual(recurrence, { frequency: 'WEEKLY', interval: 1, count: 3 });
  const [override, ...others] = listOf(overrides);
  assert.equal(others.length, 0);
  assert.equal(override?.title, `Override ${CANARY}`);
  assert.equal(override?.start, `${dayText(12)}T14:00:00.000Z`);
  assert.equal(override?.end, `${dayText(12)}T15:00:00.000Z`);
  if (!KINDS['an event with a conference of its provider']?.at?.includes(provider)) return;
  const made = of('an event with a conference of its provider');
  assert.match(String(made.conference), /^https:/);
  assert.equal(typeof Object(made.conferenceData).provider, 'string');
}

const listOf = (value: unknown): readonly Shown[] => (Array.isArray(value) ? value : []);
