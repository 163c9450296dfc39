/** EventWriting in Outlook's calendars, as every provider has to write; what is Graph's own is beside it. */
import { eventWritingContract } from '../../contract/event-writing.contract.ts';
import { ZONE } from '../../contract/mirrored-writes.ts';
import { ADA, microsoftHarness } from './microsoft-harness.ts';

eventWritingContract({
  name: 'Microsoft Graph',
  async open() {
    const microsoft = await microsoftHarness();
    const calendarHref = await microsoft.sandbox.manual.addCalendar(ADA.email, {
      title: 'Work',
      timeZone: ZONE,
    });
    const account = microsoft.open(await microsoft.signIn());
    return { account, calendarHref, close: () => microsoft.close() };
  },
});
