/** A month of 50 recurring series that have run for six years, expanded again for each request. */
import type { EventResource } from '../../src/calendars/event.ts';
import { startKalends } from '../kalends.ts';
import { sendOnce } from '../load/http-load.ts';
import { bearerGet, tokensFor } from '../load/oauth-calls.ts';
import { median } from '../measure.ts';
import { CALENDAR_HREF, seedUser } from '../mirror-seed.ts';
import { type RowReport, verdictOf } from '../report.ts';

const SERIES = 50;
const MONTH_START = Date.UTC(2026, 10, 1);
const MONTH_END = '2026-12-01T00:00:00Z';
const MOST_MS = { required: 20, outFor: 20 };
/** The number of first requests that still have the compiler at work. */
const WARM_UP = 30;
/** The usual rules of series: each has occurrences in the month, in a zone that has changed its clocks twelve times. */
const RULES = [
  'FREQ=DAILY',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
  'FREQ=WEEKLY;INTERVAL=2',
  'FREQ=MONTHLY;BYDAY=2TU',
  'FREQ=MONTHLY;BYMONTHDAY=-1',
];

/** One request at a time, over HTTP, from the first byte sent to the last one read. */
export async function recurrenceRow(folder: string, rounds: number): Promise<RowReport> {
  const server = await startKalends({
    folder,
    async seed(stores, { clientId }) {
      await seedUser(stores, { clientId, userId: 'user-0' }, series());
      // There is no provider to sync with.
      await stores.db.write('DELETE FROM job');
    },
  });
  try {
    const { port } = server;
    const [tokens] = await tokensFor(server, await server.seedCodes(1));
    const times: number[] = [];
    let listed = 0;
    for (let round = 0; round < WARM_UP + rounds; round++) {
      // The window moves by a second each time, so that no cached response fits.
      const start = new Date(MONTH_START + round * 1000).toISOString();
      const path = `/events?pageSize=1000&start=${start}&end=${MONTH_END}`;
      const began = performance.now();
      const body = await sendOnce(port, bearerGet(path, tokens?.access_token ?? ''));
      if (round >= WARM_UP) times.push(performance.now() - began);
      listed = JSON.parse(body).events.length;
    }
    if (listed < SERIES) throw new Error(`The month has ${listed} events only`);
    return {
      title: `A month of ${SERIES} recurring series of six years, ${listed} instances`,
      subjects: [],
      verdicts: [
        verdictOf('one request, the month expanded', { measured: median(times), unit: 'ms' }, MOST_MS),
      ],
    };
  } finally {
    await server.stop();
  }
}

function series(): EventResource[] {
  return Array.from({ length: SERIES }, (_, i) => {
    const uid = `series-${i}@dav.example`;
    const day = String((i % 28) + 1).padStart(2, '0');
    const hour = String(8 + (i % 10)).padStart(2, '0');
    const local = (minutes: string) => ({
      type: 'zoned' as const,
      local: `2020-11-${day}T${hour}:${minutes}:00`,
      zone: 'Europe/Vienna',
    });
    return {
      href: `${CALENDAR_HREF}series-${i}.ics`,
      etag: `"${i}"`,
      eventId: uid,
      original: { ics: `BEGIN:VEVENT\nUID:${uid}\nSUMMARY:Series ${i}\nEND:VEVENT` },
      events: [
        {
          uid,
          title: `Series ${i}`,
          start: local('00'),
          end: local('45'),
          status: 'confirmed',
          availability: 'busy',
          privacy: 'public',
          attendees: [],
          recurrence: {
            rrules: RULES.slice(i % RULES.length, (i % RULES.length) + 1),
            rdates: [],
            exdates: [],
          },
        },
      ],
    };
  });
}
