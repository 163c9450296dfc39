/** The contract of writing on independent CalDAV servers. */
import { createEgress } from '../../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { eventWritingContract, type OpenWriting } from '../../contract/event-writing.contract.ts';
import { counterpart } from '../../harness/counterpart.ts';
import { checkedWrites } from '../../servers/checked-writes.ts';
import { CYRUS, startCyrus } from '../../servers/cyrus.ts';
import { type CalDavServer, USERS } from '../../servers/process.ts';
import { RADICALE, startRadicale } from '../../servers/radicale.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { startXandikos, XANDIKOS } from '../../servers/xandikos.ts';

const SERVERS = [
  { name: 'Radicale', program: RADICALE, start: startRadicale },
  { name: 'Xandikos', program: XANDIKOS, start: startXandikos },
  // Cyrus 3.6 refuses events without length, however they are written.
  { name: 'Cyrus', program: CYRUS, start: startCyrus, root: true, refusesEmpty: true },
];

for (const { name, program, start, root = false, refusesEmpty = false } of SERVERS)
  eventWritingContract({
    name,
    options: counterpart(name, program, { root }),
    refusesEmpty,
    open: () => open(start),
  });

async function open(start: (calendars: readonly string[]) => Promise<CalDavServer>): Promise<OpenWriting> {
  const server = await start(['work']);
  const egress = checkedWrites(createEgress({ privateNetwork: { mode: 'loopback' } }));
  const provider = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
  const login = { server: server.typed, username: 'ada', password: USERS.ada ?? '' };
  const { credentials } = await provider.signIn.verify(login);
  return {
    account: provider.open(credentials),
    calendarHref: server.calendarUrl('ada', 'work'),
    async close() {
      await egress.close();
      await server.stop();
    },
  };
}
