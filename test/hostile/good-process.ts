/** The process of a calendar server that behaves: the calendar of a good user, with GOOD_EVENTS events in January 2026. */
import { event } from '../servers/icalendar.ts';
import { OddCalDav } from '../servers/odd-caldav.ts';

const GOOD_EVENTS = 40;

const server = new OddCalDav();
for (let index = 0; index < GOOD_EVENTS; index++) {
  server.put(`good-${index}.ics`, event(`good-${index}`, `Good ${index}`));
}
server.put('weekly.ics', event('weekly', 'Weekly', 'RRULE:FREQ=WEEKLY;COUNT=3'));
// Nothing asks for the calls, and half an hour of them is many.
setInterval(() => server.takeCalls(), 1000);
await server.start();
process.on('disconnect', () => process.exit());
process.send?.({ origin: server.origin, events: GOOD_EVENTS + 3 });
