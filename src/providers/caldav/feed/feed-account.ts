/** An account of one calendar that is read from its address and cannot be changed. */
import type { ProviderCalendar } from '../../../calendars/calendar.ts';
import type {
  CalendarAccount,
  KnownCalendars,
  VerifiedAccount,
} from '../../../calendars/calendar-provider.ts';
import type { CalendarWriting } from '../../../calendars/calendar-writing.ts';
import type { EventWriting } from '../../../calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import type { Log } from '../../../lib/log.ts';
import { davReading } from '../dav/dav-reading.ts';
import type { SessionDeps } from '../dav/dav-session.ts';
import { nameOfFeed, readFeedAddress } from './feed-address.ts';
import { feedChanges } from './feed-changes.ts';
import { type FeedCredentials, feedCredentials } from './feed-credentials.ts';
import type { FeedFacts } from './feed-facts.ts';
import { stateIn } from './feed-state.ts';
import { FEED, type FeedInput } from './feed-task.ts';
import { fetchFeed } from './fetch-feed.ts';

export type FeedAccountDeps = SessionDeps & { readonly log: Log; readonly now: () => number };

export function openFeed(feed: FeedCredentials, deps: FeedAccountDeps): CalendarAccount {
  const { egress, log, now } = deps;
  const reading = davReading({ work: deps.syncWork, owner: deps.owner ?? feed.name });
  return {
    writing: NO_EVENT_WRITING,
    calendarWriting: NO_CALENDAR_WRITING,
    listCalendars: async (known) => [await describeCalendar(feed, known)],
    userAddresses: async () => [],
    async *changesSince(_, token, stored) {
      yield* feedChanges({ address: feed, token, stored }, { egress, reading, log, now });
    },
  };
}

/** Returns the calendar as its sync token describes it, or as the mirror has it. So listing it sends no request. */
async function describeCalendar(
  { name, url, facts }: FeedCredentials,
  known: KnownCalendars | undefined,
): Promise<ProviderCalendar> {
  const mirrored = (await known?.())?.find(({ href }) => href === name);
  const read = mirrored?.syncToken === undefined ? undefined : stateIn(mirrored.syncToken)?.facts;
  if (read === undefined && mirrored !== undefined) {
    const { title, description, color, timeZone, original } = mirrored;
    return { ...described({ title, description, color, timeZone }, url), href: name, original };
  }
  return { ...described(read ?? facts, url), href: name, original: read?.properties ?? {} };
}

type Described = {
  readonly [Fact in keyof Omit<FeedFacts, 'properties' | 'refresh'>]: FeedFacts[Fact] | undefined;
};

const described = ({ title, description, color, timeZone }: Described, { hostname }: URL) => ({
  title: title ?? hostname,
  ...(description === undefined ? {} : { description }),
  ...(color === undefined ? {} : { color }),
  timeZone: timeZone ?? 'UTC',
  access: 'read' as const,
});

/** Applications do not get this far: the calendar is marked as read-only. */
const cannotBeChanged = async (): Promise<never> => {
  throw new UnsupportedByProvider('calendar_read_only', 'A calendar link is read-only');
};

const NO_EVENT_WRITING: EventWriting = {
  create: cannotBeChanged,
  copyLater: cannotBeChanged,
  inviteLater: cannotBeChanged,
  findCreated: cannotBeChanged,
  update: cannotBeChanged,
  delete: cannotBeChanged,
  respond: cannotBeChanged,
  read: cannotBeChanged,
};

const NO_CALENDAR_WRITING: CalendarWriting = {
  async create() {
    const message = 'A calendar link has only one calendar';
    throw new UnsupportedByProvider('calendar_creation_not_supported_by_provider', message);
  },
  change: cannotBeChanged,
  delete: cannotBeChanged,
};

/** Reads the calendar at a typed address once; `key` is that of nameOfFeed. Fails with ProviderError. */
export async function linkFeed(typed: string, key: Uint8Array, deps: SessionDeps): Promise<VerifiedAccount> {
  const url = readFeedAddress(typed);
  const name = nameOfFeed(url, key);
  const answer = await fetchFeed(url, undefined, deps.egress);
  if (answer.type === 'unchanged') throw new ProviderError('invalid_response', 'The calendar was not sent');
  const addresses = [url.href, answer.from.href];
  const { facts } = await readSummary(
    { body: answer.body, addresses },
    { ...deps, owner: deps.owner ?? name },
  );
  return {
    accountId: name,
    identity: name,
    // Knowing the address gives access to the calendar. It does not prove who the user is.
    provesOwner: false,
    display: facts.title === undefined ? url.hostname : `${facts.title} (${url.hostname})`,
    credentials: feedCredentials({ url, name, facts }),
  };
}

async function readSummary(
  { body, addresses }: Pick<FeedInput, 'body' | 'addresses'>,
  { syncWork, owner }: SessionDeps & { readonly owner: string },
) {
  const input = { body, addresses, digest: undefined, known: '', from: 0, most: 0, isCareful: false };
  for await (const { summary } of davReading({ work: syncWork, owner }).parts(FEED, input))
    if (summary !== undefined) return summary;
  throw new ProviderError('invalid_response', 'The calendar cannot be read');
}
