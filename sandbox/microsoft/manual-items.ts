/**
 * The changes that people make to their mailbox besides writing events: other addresses, files, events dragged into
 * another calendar.
 */
import { newAttachment } from './attachment-operations.ts';
import { accountOf, calendarById } from './manual-calendars.ts';
import type { ManualChangesDeps, MicrosoftManualChanges } from './manual-changes.ts';
import { eventIn, placeIn } from './manual-events.ts';

type ManualItems = Pick<MicrosoftManualChanges, 'addAlias' | 'attach' | 'moveEvent'>;

const FILE = '#microsoft.graph.fileAttachment';

export function manualItems(deps: ManualChangesDeps): ManualItems {
  return {
    async addAlias(email, alias) {
      accountOf(deps.directory, email).mailbox.aliases.add(alias);
    },
    async moveEvent(email, calendarId, { id, to }) {
      const { place, event } = eventIn(placeIn(deps, email, calendarId), id);
      const target = { ...place, calendar: calendarById(place.account, to) };
      deps.store.write(place, () => undefined);
      place.account.mailbox.deletedItems.events.delete(event.key);
      // No source confirms that a move gives an item another version.
      deps.store.write(target, (change) => ({ ...event, change }));
    },
    async attach(email, calendarId, { id, name, content, contentId, type = FILE }) {
      const { place, event } = eventIn(placeIn(deps, email, calendarId), id);
      const isInline = contentId !== undefined;
      const attachment = newAttachment({
        ...{ type, name, contentType: 'application/octet-stream', isInline },
        ...{ contentId: contentId ?? null, contentBytes: Buffer.from(content).toString('base64') },
      });
      const attachments = [...event.attachments, attachment];
      deps.store.write(place, (change) => ({ ...event, attachments, change, modifiedAt: deps.now() }));
    },
  };
}
