/** `isOnlineMeeting`: Exchange makes a Teams meeting for an event, once, and answers its link. */

import { randomText } from '../../src/lib/random-text.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { type Account, isPersonal } from './directory.ts';
import type { EventBody } from './event.schema.ts';
import type { EventContent } from './mailbox.ts';

type Provider = EventContent['onlineMeetingProvider'];

/** No source confirms what a personal account's calendars allow. */
export function allowedProviders(account: Account): Provider[] {
  if (!account.mailbox.onlineMeetings) return [];
  return isPersonal(account) ? ['skypeForConsumer'] : ['teamsForBusiness'];
}

/** What the body makes of the online meeting. A meeting that exists stays as it is. Throws a 400. */
export function onlineMeetingMembers(
  { isOnlineMeeting, onlineMeetingProvider }: EventBody,
  before: EventContent,
  { meetings: allowed }: { readonly meetings: readonly Provider[] },
): Partial<Pick<EventContent, 'onlineMeeting' | 'onlineMeetingProvider'>> {
  if (before.onlineMeeting !== undefined || isOnlineMeeting !== true) return {};
  const provider = onlineMeetingProvider ?? allowed[0] ?? 'unknown';
  if (!allowed.includes(provider)) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidRequest',
      `The online meeting provider '${provider}' is not allowed for this calendar.`,
    );
  }
  return { onlineMeetingProvider: provider, onlineMeeting: { joinUrl: newMeetingUrl() } };
}

/** A link to a meeting nobody holds. */
export const newMeetingUrl = (): string =>
  `https://teams.microsoft.com/l/meetup-join/19%3ameeting_${randomText(48)}%40thread.v2/0`;
