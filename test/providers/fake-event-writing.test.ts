/** The calendars in memory, held to what writing is with every provider. */
import { eventWritingContract } from '../contract/event-writing.contract.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { FakeCalendarProvider } from '../harness/fake-calendar-provider.ts';

const HOME = 'https://dav.example/ada/home/';

eventWritingContract({
  name: 'the calendars in memory',
  async open() {
    const provider = new FakeCalendarProvider();
    provider.addCalendar(calendar(HOME, { timeZone: 'Europe/Berlin' }));
    const session = {
      accessToken: async () => '',
      renewAccessToken: async () => '',
      limited: <T>(_operation: string, request: () => Promise<T>) => request(),
    };
    const account = provider.asProvider().open({}, session);
    return { account, calendarHref: HOME, close: async () => {} };
  },
});
