/**
 * VTIMEZONEs as Kalends reads them against libical and python3-dateutil, two independent libraries: the same offset at
 * every moment, 0 differences. Their deviations are left out:
 * - Before the first observance they know nothing; we take its TZOFFSETFROM, as RFC 5545 §3.6.5 lets one think.
 * - libical leaves out a DTSTART that no RDATE repeats beside RDATEs: ours begin with DTSTART.
 * - dateutil reads UNTIL as local time: it is given a day more.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import fc from 'fast-check';

import { parseComponents } from '../../../src/lib/icalendar/component.ts';
import { resourceBudget } from '../../../src/lib/icalendar/resource-budget.ts';
import { readVTimezone } from '../../../src/lib/icalendar/vtimezone.ts';
import { resolveZone } from '../../../src/lib/icalendar/zone-resolver.ts';
import { DAY } from '../../../src/lib/recurrence/civil.ts';
import type { CustomZone } from '../../../src/lib/recurrence/event-time.ts';
import { customOffsets, offsetAt } from '../../../src/lib/recurrence/zone.ts';
import { rounds } from '../../harness/rounds.ts';
import { calendarOf, momentsIn, type RandomVTimezone, vtimezones } from './random-vtimezone.ts';

const ROUNDS = rounds(100);
const PYTHON = '/usr/bin/python3';
const SEED = Number(process.env.KALENDS_TEST_SEED ?? 365);
const END = Date.UTC(2037, 0, 1);

const hasOthers =
  existsSync(PYTHON) &&
  spawnSync(PYTHON, ['-c', "import ctypes, dateutil; ctypes.CDLL('libical.so.3')"]).status === 0;
const maySkip = process.env.KALENDS_TEST_ALL !== '1';

test(`a VTIMEZONE has the offsets that libical and dateutil read, for ${ROUNDS} of them`, {
  skip: !hasOthers && maySkip && 'libical3 or python3-dateutil is not installed',
}, () => {
  const cases = fc.sample(vtimezones, { numRuns: ROUNDS, seed: SEED }).map(caseOf);

  const answers = askOthers(cases);

  assert.equal(answers.length, ROUNDS);
  const different = cases.flatMap(({ text, instants }, index) => {
    const { libical = [], dateutil = [] } = answers[index] ?? {};
    const wrong = instants.flatMap(([at, offset], i) =>
      libical[i] === offset && dateutil[i]?.includes(offset)
        ? []
        : { at, offset, libical: libical[i], dateutil: dateutil[i] },
    );
    return wrong.length === 0 ? [] : { text, wrong: wrong.slice(0, 3) };
  });
  assert.deepEqual(different.slice(0, 3), [], `${different.length} zones differ, seed ${SEED}`);
});

test(`a VTIMEZONE taken for a zone has its offsets from the first event on, for ${ROUNDS} of them`, () => {
  const usedIn = fc.integer({ min: 1971, max: 2035 });
  const cases = fc.sample(fc.tuple(vtimezones, usedIn), { numRuns: ROUNDS, seed: SEED });

  const taken = cases.flatMap(([{ lines }, year]) => {
    const usedFrom = Date.UTC(year, 4, 20);
    const zone = resolveZone('Acme', { ...zoneIn(lines), location: undefined, usedFrom: () => usedFrom });
    return typeof zone === 'string' ? { lines, zone, usedFrom } : [];
  });

  const wrong = taken.filter(({ lines, zone, usedFrom }) => {
    const custom = zoneIn(lines);
    const changes = customOffsets(custom).map(({ from }) => from);
    return momentsIn(usedFrom, END, changes).some((at) => offsetAt(zone, at) !== offsetAt(custom, at));
  });
  assert.ok(taken.length > ROUNDS / 10, `only ${taken.length} of ${ROUNDS} were taken for a zone`);
  assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} zones differ, seed ${SEED}`);
});

type Case = { readonly text: string; readonly instants: readonly (readonly [at: number, offset: number])[] };

function zoneIn(lines: readonly string[]): CustomZone {
  const [component] = parseComponents(calendarOf(lines))[0]?.components ?? [];
  const timezone = component && readVTimezone(component, resourceBudget());
  assert.ok(timezone !== undefined, lines.join('\n'));
  return timezone;
}

/** Moments with our offsets, in seconds. */
function caseOf({ lines, begins }: RandomVTimezone): Case {
  const zone = zoneIn(lines);
  const from = Math.max(begins + 366 * DAY, Date.UTC(1902, 0, 1));
  const moments = momentsIn(
    from,
    END,
    customOffsets(zone).map((span) => span.from),
  );
  return { text: calendarOf(lines), instants: moments.map((at) => [at / 1000, offsetAt(zone, at) / 1000]) };
}

type Answer = { readonly libical: readonly number[]; readonly dateutil: readonly (readonly number[])[] };

function askOthers(cases: readonly Case[]): Answer[] {
  const script = fileURLToPath(new URL('zone-oracles.py', import.meta.url));
  const input = cases.map((one) => JSON.stringify(one)).join('\n');
  const { status, stdout, stderr } = spawnSync(PYTHON, [script], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  assert.equal(status, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
