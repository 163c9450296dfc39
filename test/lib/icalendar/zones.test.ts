/** The VTIMEZONEs we write, read by ical.js and compared with the system's own time zones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import ICAL from 'ical.js';

import { buildVtimezone } from '../../../src/lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../../src/lib/icalendar/write-lines.ts';

const ZONES = [
  'UTC',
  'Asia/Kolkata',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Jerusalem',
  'Africa/Casablanca',
  'Pacific/Auckland',
  'America/Mexico_City',
  'America/Vancouver',
];
const FROM = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;

describe('a VTIMEZONE', () => {
  for (const name of ZONES)
    for (const [from, now, zone] of [
      [FROM, FROM, 'for eight years'],
      [Date.UTC(1995, 5, 1), FROM, 'since 1995, whatever law changed'],
    ] as const)
      it(`a VTIMEZONE says what clocks show in ${name} ${zone}`, () => {
        const zone = new ICAL.Timezone(
          new ICAL.Component(ICAL.parse(writeComponent(buildVtimezone(name, from, now)))),
        );
        const wrong: string[] = [];

        for (let at = from; at < now + 8 * 366 * 24 * HOUR; at += 37 * HOUR) {
          const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name);
          const wall = local.toPlainDateTime();
          const isTwice = !wall
            .toZonedDateTime(name, { disambiguation: 'later' })
            .equals(wall.toZonedDateTime(name));
          if (isTwice) continue; // A clock set back shows this hour twice: both offsets are right.
          const { year, month, day, hour, minute } = local;
          const time = new ICAL.Time({ year, month, day, hour, minute, second: 0, isDate: false }, zone);
          if (time.utcOffset() !== local.offsetNanoseconds / 1e9) wrong.push(local.toString());
        }

        assert.deepEqual(wrong, []);
      });
});
