/** `isOnlineMeeting`: Exchange creates a Teams meeting for an event, once, and returns its link. */

import type { ItemBody } from '@microsoft/microsoft-graph-types';
import { html } from '../../src/http/html.ts';
import { randomText } from '../../src/oauth/client-registration.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { htmlOfText } from './body-text.ts';
import { type Account, isPersonal } from './directory.ts';
import type { EventBody } from './event.schema.ts';
import type { EventContent } from './mailbox.ts';

type Provider = EventContent['onlineMeetingProvider'];

/** No source confirms what a personal account's calendars allow. */
export function allowedProviders(account: Account): Provider[] {
  if (!account.mailbox.onlineMeetings) return [];
  return isPersonal(account) ? ['skypeForConsumer'] : ['teamsForBusiness'];
}

/** Returns the fields of the online meeting after a write. An existing meeting stays unchanged. Throws a 400. */
export function onlineMeetingMembers(
  { isOnlineMeeting, onlineMeetingProvider }: EventBody,
  before: EventContent,
  {
    meetings: allowed,
    meetingInBody,
  }: { readonly meetings: readonly Provider[]; readonly meetingInBody: boolean },
): Partial<Pick<EventContent, 'body' | 'onlineMeeting' | 'onlineMeetingProvider'>> {
  if (before.onlineMeeting !== undefined || isOnlineMeeting !== true) return {};
  const provider = onlineMeetingProvider ?? allowed[0] ?? 'unknown';
  if (!allowed.includes(provider)) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidRequest',
      `The online meeting provider '${provider}' is not allowed for this calendar.`,
    );
  }
  const joinUrl = newMeetingUrl();
  const meeting = { onlineMeetingProvider: provider, onlineMeeting: { joinUrl } };
  return meetingInBody ? { ...meeting, body: withParagraph(before.body, joinUrl) } : meeting;
}

/**
 * Adds the paragraph after the text, between two lines of underscores, as in the examples of Microsoft's documentation.
 */
function withParagraph(body: EventContent['body'], joinUrl: string): ItemBody {
  const { content, contentType } = body ?? {};
  const before = contentType === 'html' ? (content ?? '') : `<div>${htmlOfText(content ?? '')}</div>`;
  const line = `<div style="width:100%; height:20px"><span>${'_'.repeat(80)}</span>\r\n</div>\r\n`;
  const join = html`<a class="me-email-headline" href="${joinUrl}">Join Microsoft Teams Meeting</a>`.markup;
  const paragraph = `${line}<div class="me-email-text"><div>${join} </div>\r\n</div>\r\n${line}`;
  const end = /(?:<\/body>\s*)?(?:<\/html>\s*)?$/.exec(before)?.index ?? before.length;
  return { contentType: 'html', content: before.slice(0, end) + paragraph + before.slice(end) };
}

/** Returns a link to a meeting that does not exist. */
export const newMeetingUrl = (): string =>
  `https://teams.microsoft.com/l/meetup-join/19%3ameeting_${randomText(48)}%40thread.v2/0`;
