/** The contract of writing on a server that rewrites what it is given, and answers no etag then. */
import { caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { createEgress } from '../../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { eventWritingContract, type OpenWriting } from '../../contract/event-writing.contract.ts';
import { ZONE } from '../../contract/mirrored-writes.ts';
import { checkedWrites } from '../../servers/checked-writes.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'abcd-efgh-ijkl-mnop' };

eventWritingContract({ name: 'the sandbox’s CalDAV server that schedules', open });

async function open(): Promise<OpenWriting> {
  const egress = checkedWrites(createEgress({ privateNetwork: { mode: 'loopback' } }));
  const sandbox = await caldavSandbox({
    kind: 'caldav',
    clock: sandboxClock(),
    faults: faultBoard(),
    schedules: true,
  });
  await sandbox.manual.addPerson(ADA);
  const calendarHref = await sandbox.manual.addCalendar(ADA.email, { title: 'Work', timeZone: ZONE });
  const provider = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
  const login = { server: sandbox.origin, username: ADA.email, password: ADA.password };
  const { credentials } = await provider.signIn.verify(login);
  return {
    account: provider.open(credentials),
    calendarHref,
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}
