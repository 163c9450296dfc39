import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';
import ICAL from 'ical.js';

import { takesUnderASecond } from '../../../test/harness/processor-time.ts';
import { rounds } from '../../../test/harness/rounds.ts';
import { parseContentLine, unfoldLines } from './content-line.ts';
import { ICalendarError } from './icalendar-error.ts';
import { parseICalendar } from './parse-icalendar.ts';

const ROUNDS = rounds(500);
const event = (...lines: string[]) => [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'UID:1',
  ...lines,
  'END:VEVENT',
  'END:VCALENDAR',
];

describe('the iCalendar reader', () => {
  it('refuses text that is not a calendar or is too complex', () => {
    const refused = {
      nothing: '',
      HTML: '<html>',
      'no VCALENDAR': 'BEGIN:VEVENT\nEND:VEVENT',
      '11 MB': `BEGIN:VCALENDAR\n${'X'.repeat(11 << 20)}`,
      lines: `BEGIN:VCALENDAR\n${'A:B\n'.repeat(200_001)}`,
      components: `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\nEND:VEVENT\n'.repeat(20_001)}`,
      depth: `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n'.repeat(11)}`,
      dates: event('DTSTART:20260101T000000Z', `EXDATE:${'20260101T000000Z,'.repeat(100_001)}`).join('\n'),
      zones: event(
        'DTSTART:20260101',
        ...Array.from({ length: 201 }, (_, i) => `EXDATE;TZID=z${i}:20260101T000000`),
      ).join('\n'),
    };

    for (const [name, text] of Object.entries(refused))
      assert.throws(() => parseICalendar(text), ICalendarError, name);
  });

  it('takes less than a second for the worst ten megabytes', () => {
    const fill = (unit: string) => unit.repeat(Math.floor(10_000_000 / unit.length));
    const worst = [
      fill('\n'),
      fill(' '),
      ...[
        `X${fill(';A=B')}:v`,
        `X;A=${fill('"')}:v`,
        `X;A=${fill(',')}:v`,
        `SUMMARY:${fill('\\n')}`,
        `UID:${fill(' ')}x`,
      ].map((line) => event('DTSTART:20260101T000000Z', line).join('\n')),
      event('DTSTART:20260101', `ATTENDEE:${fill('a')}`, `RRULE:${'FREQ=DAILY;'.repeat(10_000)}`).join('\n'),
    ];

    for (const text of worst)
      assert.ok(
        takesUnderASecond(() => readOrRefuse(text)),
        text.slice(0, 80),
      );
  });

  it('parses times in every form', () => {
    const parseStart = (line: string) => parseICalendar(event(line).join('\n'))[0]?.start;

    assert.deepEqual(parseStart('DTSTART:20261105T120000Z'), {
      type: 'zoned',
      local: '2026-11-05T12:00:00',
      zone: 'UTC',
    });
    assert.deepEqual(parseStart('DTSTART:20261105T120000'), {
      type: 'floating',
      local: '2026-11-05T12:00:00',
    });
    assert.deepEqual(parseStart('DTSTART:20261105'), { type: 'date', date: '2026-11-05' });
    assert.deepEqual(parseStart('DTSTART;VALUE=DATE:20261105T000000'), { type: 'date', date: '2026-11-05' });
    assert.deepEqual(parseStart('DTSTART:2026-11-05T12:00:00Z'), parseStart('DTSTART:20261105T120000Z'));
    assert.deepEqual(parseStart('DTSTART:20261105T240000Z'), parseStart('DTSTART:20261106T000000Z'));
    for (const line of ['DTSTART:20261305', 'DTSTART:00010101', 'DTSTART:20261105T250000', 'DTSTART:soon']) {
      assert.equal(parseStart(line), undefined, line);
    }
  });
});

describe('text that RFC 5545 forbids but programs write', () => {
  const read = (...lines: string[]) => parseICalendar(event(...lines).join('\n'))[0];
  const parseStart = (line: string) => read(line)?.start;

  it('ignores a T at the end of a time', () => {
    assert.deepEqual(parseStart('DTSTART:20131009T170000T'), parseStart('DTSTART:20131009T170000'));
    assert.equal(parseStart('DTSTART:20131009T170000X'), undefined);
  });

  it('parses a time with an offset as that instant, in the zone of its TZID or in UTC', () => {
    const utc = parseStart('DTSTART:20131009T160000Z');
    for (const text of ['20131009T170000+0100', '2013-10-09T17:00:00+01:00', '20131009T123000-0330'])
      assert.deepEqual(parseStart(`DTSTART:${text}`), utc, text);
    assert.deepEqual(
      parseStart('DTSTART;TZID=Europe/Paris:20131009T170000+0100'),
      parseStart('DTSTART;TZID=Europe/Paris:20131009T180000'),
    );
    assert.deepEqual(parseStart('DTSTART;TZID=Nowhere:20131009T170000+0100'), utc);
    assert.equal(parseStart('DTSTART:20131009T170000+9900'), undefined);
  });

  it('uses an offset to distinguish two equal times on the clock', () => {
    const inParis = (time: string) => parseStart(`DTSTART;TZID=Europe/Paris:${time}`);

    assert.deepEqual(inParis('20131027T023000+0200'), inParis('20131027T023000'));
    assert.deepEqual(inParis('20131027T023000+0100'), parseStart('DTSTART:20131027T013000Z'));
  });

  it('parses PT1W as a week', () => {
    const endAfter = (duration: string) => read('DTSTART:20131009T170000Z', `DURATION:${duration}`)?.end;

    assert.deepEqual(endAfter('PT1W'), endAfter('P7D'));
  });
});

describe('content lines', () => {
  it('are parsed as ical.js does', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9 ._@/'()-]{1,12}$/);
    const quoted = fc
      .stringMatching(/^[A-Za-z0-9 ,;:=@/^-]{0,16}$/)
      .map((text) => `"${text.replaceAll('^', '')}"`);
    const parameter = fc.tuple(fc.constantFrom('CN', 'X-A', 'X-B', 'LANGUAGE'), fc.oneof(word, quoted));
    const line = fc
      .tuple(
        fc.uniqueArray(parameter, { maxLength: 4, selector: ([name]) => name }),
        fc.stringMatching(/^[ -~]{0,40}$/),
      )
      .map(
        ([parameters, value]) =>
          `X-NAME${parameters.map(([name, text]) => `;${name}=${text}`).join('')}:${value}`,
      );

    fc.assert(
      fc.property(line, (text) => {
        const [name, parameters, , value] = ICAL.parse.property(text, ICAL.design.icalendar);
        const ours = parseContentLine(text);

        assert.equal(ours?.name, String(name).toUpperCase());
        assert.equal(ours?.value, value);
        const theirs = Object.entries(parameters).map(([key, value]) => [key.toUpperCase(), [value]]);
        assert.deepEqual([...(ours?.parameters ?? [])], theirs);
      }),
      { numRuns: ROUNDS },
    );
  });

  it('keep the rule after an unquoted zone, whatever its first part is', () => {
    for (const rule of ['X-FOO=1;FREQ=DAILY;COUNT=3', ' FREQ=DAILY;COUNT=3', 'COUNT=3;FREQ=DAILY'])
      for (const zone of ['Acme', 'tzone://Microsoft/Custom'])
        assert.equal(parseContentLine(`RRULE;TZID=${zone}:${rule}`)?.value, rule, `${zone} ${rule}`);
  });

  it('unfold to the original, wherever and however they were folded', () => {
    const text = fc.stringMatching(/^[A-Z][ -~]{0,60}$/);
    const fold = fc.constantFrom('\r\n ', '\n ', '\n\t', '\r ');

    fc.assert(
      fc.property(text, fold, fc.nat(60), (line, separator, place) => {
        const at = Math.min(Math.max(1, place), line.length);
        assert.deepEqual([...unfoldLines(line.slice(0, at) + separator + line.slice(at))], [line]);
      }),
      { numRuns: ROUNDS },
    );
  });
});

function readOrRefuse(text: string): void {
  try {
    parseICalendar(text);
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
  }
}
