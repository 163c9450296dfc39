/** The contract of writing on the sandbox's two CalDAV servers. */
import { caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { createEgress } from '../../../src/lib/egress/egress.ts';
import { appleProvider } from '../../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { eventWritingContract, type OpenWriting } from '../../contract/event-writing.contract.ts';
import { ZONE } from '../../contract/mirrored-writes.ts';
import { checkedWrites } from '../../servers/checked-writes.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'abcd-efgh-ijkl-mnop' };

for (const kind of ['caldav', 'icloud'] as const)
  eventWritingContract({ name: `the sandbox’s ${kind}`, open: () => open(kind) });

async function open(kind: 'caldav' | 'icloud'): Promise<OpenWriting> {
  const egress = checkedWrites(createEgress({ privateNetwork: { mode: 'loopback' } }));
  const sandbox = await caldavSandbox({ kind, clock: sandboxClock(), faults: faultBoard() });
  await sandbox.manual.addPerson(ADA);
  const calendarId = await sandbox.manual.addCalendar(ADA.email, { title: 'Work', timeZone: ZONE });
  const deps = { egress, log: recordingLog().log, now: Date.now };
  const provider =
    kind === 'icloud' ? appleProvider({ ...deps, serverUrl: sandbox.origin }) : caldavProvider(deps);
  const login = { server: sandbox.origin, username: ADA.email, password: ADA.password };
  const { credentials } = await provider.signIn.verify(login);
  return {
    account: provider.open(credentials),
    calendarHref: calendarId,
    async close() {
      await egress.close();
      await sandbox.close();
    },
  };
}
