/** CalDAV servers that send invitations themselves (RFC 6638), and what they sent. */
import { basic, type ManagedCalDavServer } from './process.ts';

/** A message that a server sent for somebody (RFC 5546). */
export type ItipMessage = {
  /** `REQUEST`, `CANCEL`, `REPLY`. */
  readonly method: string;
  readonly uid: string;
  readonly title: string;
  /** The one instance it is about, as its RECURRENCE-ID has it; of several instances, or of none, empty. */
  readonly instance: string;
  readonly icalendar: string;
  /** An address. */
  readonly to: string;
  /** Put into the scheduling inbox of one of the server's users, or mailed. */
  readonly by: 'inbox' | 'mail';
};

export type SchedulingServer = ManagedCalDavServer & {
  /** The address by which events name a user. */
  addressOf(user: string): string;
  /** The calendar that invitations arrive in. */
  invitationsUrl(user: string): string;
  /** Returns the messages that were sent since the last call. */
  takeSent(): Promise<ItipMessage[]>;
};

/** Returns the properties of a message that are in its text. */
export function itipMessageOf(
  icalendar: string,
): Pick<ItipMessage, 'method' | 'uid' | 'title' | 'instance' | 'icalendar'> {
  const text = icalendar.replace(/\r?\n[ \t]/g, '');
  const value = (name: string) =>
    new RegExp(`^${name}(?:;[^:\r\n]*)?:([^\r\n]*)`, 'im').exec(text)?.[1] ?? '';
  const events = text.split(/^BEGIN:VEVENT/im).length - 1;
  return {
    method: value('METHOD').toUpperCase(),
    uid: value('UID'),
    title: value('SUMMARY'),
    instance: events === 1 ? value('RECURRENCE-ID') : '',
    icalendar,
  };
}

/** Takes what lies in a scheduling inbox (RFC 6638 §2.2), as its owner, and empties it. */
export async function takeInbox(user: string, inboxUrl: string, to: string): Promise<ItipMessage[]> {
  const authorization = basic(user);
  const headers = { authorization, depth: '1', 'content-type': 'application/xml' };
  const body =
    '<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>';
  const listing = await fetch(inboxUrl, { method: 'PROPFIND', headers, body });
  const text = await listing.text();
  if (listing.status !== 207) throw new Error(`The inbox was answered with ${listing.status}: ${text}`);
  const hrefs = [...text.matchAll(/<(?:\w+:)?href>([^<]*[^/<])<\/(?:\w+:)?href>/gi)].map(
    ([, href = '']) => href,
  );
  const messages: ItipMessage[] = [];
  for (const href of hrefs) {
    const url = new URL(href, inboxUrl);
    const object = await fetch(url, { headers: { authorization } });
    messages.push({ ...itipMessageOf(await object.text()), to, by: 'inbox' });
    await fetch(url, { method: 'DELETE', headers: { authorization } });
  }
  return messages;
}
