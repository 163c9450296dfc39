/** The stored data of a calendar by its address. It is sealed: only the address protects the calendar. */
import type { ProviderCredentials } from '../../../calendars/calendar-provider.ts';
import type { FeedFacts } from './feed-facts.ts';

export type FeedAddress = { readonly url: URL; readonly name: string };

export type FeedCredentials = FeedAddress & { readonly facts: Omit<FeedFacts, 'properties'> };

export const feedCredentials = ({ url, name, facts }: FeedCredentials): ProviderCredentials => ({
  ...{ feed: url.href, name },
  ...{ title: facts.title, description: facts.description, color: facts.color, timeZone: facts.timeZone },
});

/** Returns the credentials; `undefined` if they are not those of a calendar by its address. */
export function readFeedCredentials(credentials: ProviderCredentials): FeedCredentials | undefined {
  const { feed, name, ...facts } = credentials;
  const url = typeof feed === 'string' ? URL.parse(feed) : null;
  if (url === null || typeof name !== 'string') return undefined;
  const texts = Object.entries(facts).filter(([, text]) => typeof text === 'string');
  return { url, name, facts: Object.fromEntries(texts) };
}
