/** Series at random, as text with much that Kalends does not know, and what takes place of them. */
import { DAY } from '../../src/lib/recurrence/civil.ts';
import type { Pick } from '../providers/random-changes.ts';
import { calendarObject } from './icalendar.ts';
import { ACME_ZONE, ALARM, FOREIGN, text } from './odd-series.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Local midnight of the first day. No zone here changes its clocks from then to the end of the longest series. */
const FIRST = Date.UTC(2026, 10, 2);

/** How the times of a series are written. `offset`: milliseconds east of UTC. */
type Clock = {
  readonly parameter: string;
  readonly suffix: string;
  readonly offset: number;
  readonly zone: string;
};

const PARIS_ZONE = text(
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Paris',
  'BEGIN:STANDARD',
  'DTSTART:19961027T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19960331T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
);
const CLOCKS: readonly Clock[] = [
  { parameter: ';TZID=Acme HQ Custom', suffix: '', offset: 2.75 * HOUR, zone: ACME_ZONE },
  { parameter: ';TZID=Europe/Paris', suffix: '', offset: HOUR, zone: PARIS_ZONE },
  { parameter: '', suffix: 'Z', offset: 0, zone: '' },
];

/** One instance; times are epoch milliseconds. */
export type ModelInstance = {
  readonly index: number;
  readonly title: string;
  readonly start: number;
  readonly end: number;
  /** It does not take place when its series does. */
  readonly isMoved: boolean;
};

export type RandomSeries = { readonly icalendar: string; readonly instances: readonly ModelInstance[] };

const COUNT = 10;

/** Ten instances, of which some are changed, moved or cancelled; the first is none of these. `leastLength`: milliseconds. */
export function randomSeries(uid: string, pick: Pick, leastLength = 0): RandomSeries {
  const clock = CLOCKS[pick(CLOCKS.length)] ?? assertNever();
  const step = [DAY, 2 * DAY, 7 * DAY][pick(3)] ?? DAY;
  const length = Math.max(leastLength, [0, 30 * MINUTE, HOUR, 26 * HOUR][pick(4)] ?? HOUR);
  const first = FIRST + 8 * HOUR + pick(8) * 30 * MINUTE - clock.offset;
  const time = (name: string, at: number) =>
    `${name}${clock.parameter}:${basic(at + clock.offset)}${clock.suffix}`;
  const ends = (start: number, lasting: number) =>
    lasting === 0 ? [] : [pick(2) === 0 ? time('DTEND', start + lasting) : `DURATION:PT${lasting / MINUTE}M`];
  const parts: string[] = [];
  const exdates: string[] = [];
  const instances: ModelInstance[] = [];
  for (let index = 0; index < COUNT; index += 1) {
    const usual = first + index * step;
    const kind = index === 0 ? 'usual' : KINDS[pick(KINDS.length)];
    if (kind === 'cancelled') {
      exdates.push(time('EXDATE', usual));
      continue;
    }
    const isMoved = kind === 'moved';
    const start = isMoved ? usual + (1 + pick(3)) * 30 * MINUTE : usual;
    const lasting = isMoved ? 45 * MINUTE : length;
    const title = kind === 'renamed' ? `Own ${index}` : 'Series';
    instances.push({ index, title, start, end: start + lasting, isMoved });
    if (kind === 'usual') continue;
    const times = [time('RECURRENCE-ID', usual), time('DTSTART', start), ...ends(start, lasting)];
    parts.push(event(uid, [...times, `SUMMARY:${title}`, ...foreign(pick), `X-TEST-INDEX:${index}`]));
  }
  const frequency = step === 7 * DAY ? 'FREQ=WEEKLY' : `FREQ=DAILY;INTERVAL=${step / DAY}`;
  const last = basic(first + (COUNT - 1) * step);
  const rule = `RRULE:${frequency};${pick(2) === 0 ? `COUNT=${COUNT}` : `UNTIL=${last}Z`}`;
  const times = [time('DTSTART', first), ...ends(first, length), rule, ...exdates];
  const master = event(uid, [...times, 'SUMMARY:Series', 'X-TEST-INDEX:-1', ...foreign(pick)]);
  return { icalendar: calendarObject(clock.zone, master, ...parts), instances };
}

const KINDS = ['usual', 'usual', 'usual', 'cancelled', 'moved', 'renamed', 'foreign'] as const;

/** Properties that a new event sets itself, and that Cyrus splits at each escaped comma. */
const NOT_KEPT = /^(CREATED|X-UNKNOWN)\b/;

/** Some of what Kalends does not know. */
function foreign(pick: Pick): string[] {
  const chosen = FOREIGN.filter((line) => pick(2) === 0 && !NOT_KEPT.test(line));
  return [
    ...chosen,
    `X-RANDOM;X-AS="${pick(1000)},${pick(1000)}":${pick(1000)}`,
    ...(pick(2) === 0 ? [ALARM] : []),
  ];
}

/** Alarms come after all properties. */
function event(uid: string, lines: readonly string[]): string {
  const sorted = [...lines].sort((a, b) => Number(a === ALARM) - Number(b === ALARM));
  return text('BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...sorted, 'END:VEVENT');
}

const basic = (local: number): string => new Date(local).toISOString().slice(0, 19).replace(/[-:]/g, '');

function assertNever(): never {
  throw new Error('There is no such clock');
}
