/** The events in Outlook, by their ids. */
import type { EventEditor } from '../core/provider-sandbox.ts';
import { findAccount } from './directory.ts';
import { timeOfDraft } from './draft-body.ts';
import type { StoredTime } from './graph-time.ts';
import { eventId } from './item-id.ts';
import { accountOf, calendarById } from './manual-calendars.ts';
import type { ManualChangesDeps } from './manual-changes.ts';
import { eventIn, placeIn } from './manual-events.ts';
import { changedEvent, writeDeps } from './write-event.ts';

export function microsoftEventEditor(deps: ManualChangesDeps): EventEditor {
  const { directory, store } = deps;
  return {
    calendars(email) {
      const account = findAccount(directory, email);
      return account && [...account.mailbox.calendars.keys()];
    },
    events: (email, calendarId) =>
      [...calendarById(accountOf(directory, email), calendarId).events.values()].map(({ key, content }) => {
        const { subject, start, end, isAllDay } = content;
        const time = ({ local, zone }: StoredTime) =>
          isAllDay ? { date: local.slice(0, 10) } : { dateTime: local, timeZone: zone };
        return { id: eventId(key, 'immutable'), title: subject ?? '', start: time(start), end: time(end) };
      }),
    changeEvent(email, calendarId, { id, title, start, end }) {
      const { place, event } = eventIn(placeIn(deps, email, calendarId), id);
      const { account } = place;
      const body = {
        ...(title === undefined ? {} : { subject: title }),
        ...(start === undefined ? {} : { start: timeOfDraft(start, account), isAllDay: 'date' in start }),
        ...(end === undefined ? {} : { end: timeOfDraft(end, account) }),
      };
      store.write(place, (change) => changedEvent(event, body, writeDeps(account, change, deps)));
    },
  };
}
