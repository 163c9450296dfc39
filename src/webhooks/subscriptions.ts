/** An application's subscriptions to calendars (docs/wire.md 1.12): all, except those that it ended. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { type Field, type Report, readBody, refuseMistakes, required, text } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { READING } from '../reading/read-error.ts';
import {
  type ChosenCalendar,
  chosenAmong,
  type FindCalendarDeps,
  LIST_AGE,
} from '../writing/find-calendar.ts';
import { ACCOUNT, CALENDAR, type CalendarName } from '../writing/write-requests.ts';
import { defaultChannelId, isDefaultChannelId } from './channel-id.ts';
import type { Subscription, SubscriptionStore } from './subscription-store.ts';
import { WEBHOOKS } from './webhook-error.ts';

export type SubscriptionDeps = FindToFollowDeps & {
  readonly subscriptions: SubscriptionStore;
  readonly publicUrl: string;
  readonly now: () => number;
};

/** The response that published clients read (docs/wire.md 1.12). `expiration` is an ISO text. */
type SubscribedAnswer = {
  readonly success: true;
  readonly provider: ProviderKind;
  readonly subscription: { readonly channelId: string; readonly expiration?: string };
  readonly serverWebhookUrl: string;
  readonly channelId: string;
};

const CHANNEL_ID = text({ max: 256, doc: 'Unique among the user’s calendars.', example: 'work-of-ada' });
/** The end of the year 9999, the last one of RFC 3339. */
const LAST_INSTANT = 253_402_300_799_999;
const NO_EXPIRATION = 'must be a future time in milliseconds since 1970';

export const NEW_SUBSCRIPTION = {
  ...CALENDAR,
  channelId: CHANNEL_ID,
  expiration: {
    doc: 'Unix milliseconds, later than now. Returned unchanged: Kalends renews the subscription until you unsubscribe.',
    schema: { type: 'integer', maximum: LAST_INSTANT },
    absent: { const: '' },
    also: { type: 'string', pattern: '^\\d{1,15}$' },
    isRequired: false,
    read: readExpiration,
  } satisfies Field<number>,
};

export const ENDED_SUBSCRIPTION = {
  provider: ACCOUNT.provider,
  channelId: required(CHANNEL_ID),
  resourceId: { doc: 'Ignored.', schema: {}, read: () => undefined, isRequired: false },
};

/** Reads milliseconds as a number or digits. */
function readExpiration(value: unknown, report: Report): number | undefined {
  if (value === '') return undefined;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  const isTime = typeof number === 'number' && Number.isInteger(number) && number <= LAST_INSTANT;
  return isTime ? number : report(NO_EXPIRATION);
}

/** Subscribes. Throws 400 with all mistakes, 403 `calendar_permission_required`, 404 `calendar_not_found`. */
export async function subscribe(
  body: unknown,
  grant: Grant,
  deps: SubscriptionDeps,
): Promise<SubscribedAnswer> {
  const { channelId, expiration, ...name } = readBody(body, NEW_SUBSCRIPTION, (input, report) =>
    (input.expiration ?? Number.POSITIVE_INFINITY) <= deps.now()
      ? report('expiration', NO_EXPIRATION)
      : undefined,
  );
  const { clientId, userId } = grant;
  if (!(await deps.subscriptions.hasEndpoint(clientId))) throw new ApiError(WEBHOOKS.webhook_url_required);
  const { calendarKey } = (await findToFollow(name, grant, deps)).calendar;
  // A default channel id belongs to one calendar, subscribed or not.
  if (channelId !== undefined && isDefaultChannelId(channelId) && channelId !== defaultChannelId(calendarKey))
    refuseMistakes([TAKEN]);
  const ownChannelId = channelId === defaultChannelId(calendarKey) ? undefined : channelId;
  const chosen = { clientId, userId, calendarKey, channelId: ownChannelId, expiresAt: expiration };
  const subscription = await deps.subscriptions.subscribe(chosen, deps.now());
  if (subscription === 'taken') refuseMistakes([TAKEN]);
  if (subscription === 'taken' || subscription === 'gone')
    throw new ApiError(READING.calendar_not_found, 'The calendar is no longer connected');
  const channel = channelId ?? chooseChannelId(subscription);
  return {
    success: true,
    provider: name.provider,
    subscription: { channelId: channel, ...renderExpiration(subscription) },
    serverWebhookUrl: `${deps.publicUrl}/api/webhook-receiver/${name.provider}`,
    channelId: channel,
  };
}

const TAKEN = { field: 'channelId', problem: 'is already the channel of another calendar of this user' };

/** Unsubscribes, even from an unknown channel (docs/wire.md 1.12). Throws ApiError 400 with all mistakes. */
export async function unsubscribe(
  body: unknown,
  grant: Grant,
  { subscriptions, events, now }: SubscriptionDeps,
): Promise<{ readonly success: true; readonly message: string }> {
  const { provider, channelId } = readBody(body, ENDED_SUBSCRIPTION);
  const { clientId, userId } = grant;
  const chosen = await subscriptions.listSubscriptions(clientId, userId);
  const subscribedKey = chosen.find((one) => one.channelId === channelId)?.calendarKey;
  const covered = coveredCalendars(await events.accountsOf(grant));
  const followed = covered.find(
    ({ account, calendar: { calendarKey } }) =>
      account.provider === provider &&
      (calendarKey === subscribedKey || defaultChannelId(calendarKey) === channelId),
  );
  if (followed === undefined) return { success: true, message: 'The subscription does not exist' };
  const { calendarKey } = followed.calendar;
  await subscriptions.unsubscribe({ clientId, userId, calendarKey }, now());
  return { success: true, message: 'The subscription was ended' };
}

type ListedSubscription = {
  readonly provider: ProviderKind;
  readonly account: string;
  readonly calendarId: string;
  readonly channelId: string;
  readonly expiration?: string;
};

/** Lists the subscribed calendars in the order of `GET /calendars`; none without an endpoint. */
export async function listSubscriptions(
  grant: Grant,
  { subscriptions, events }: SubscriptionDeps,
): Promise<{ readonly subscriptions: readonly ListedSubscription[] }> {
  const { clientId, userId } = grant;
  if (!(await subscriptions.hasEndpoint(clientId))) return { subscriptions: [] };
  const all = await subscriptions.listSubscriptions(clientId, userId);
  const chosen = new Map(all.map((one) => [one.calendarKey, one]));
  const covered = coveredCalendars(await events.accountsOf(grant));
  const followed = covered.filter(({ calendar }) => chosen.get(calendar.calendarKey)?.ended !== true);
  return {
    subscriptions: followed.map(({ account: { provider, accountId }, calendar: { calendarKey, href } }) => ({
      provider,
      account: accountId,
      calendarId: href,
      channelId: chooseChannelId(chosen.get(calendarKey) ?? { calendarKey, channelId: undefined }),
      ...renderExpiration(chosen.get(calendarKey)),
    })),
  };
}

const chooseChannelId = (chosen: Pick<Subscription, 'calendarKey' | 'channelId'>): string =>
  chosen.channelId ?? defaultChannelId(chosen.calendarKey);

const renderExpiration = (subscription: Pick<Subscription, 'expiresAt'> | undefined) =>
  subscription?.expiresAt === undefined ? {} : { expiration: new Date(subscription.expiresAt).toISOString() };

type FindToFollowDeps = Pick<FindCalendarDeps, 'events' | 'freshAccounts'>;

/** Throws 403 `calendar_permission_required`, or 404 `calendar_not_found` for uncovered or excluded calendars. */
async function findToFollow(
  name: CalendarName,
  grant: Grant,
  deps: FindToFollowDeps,
): Promise<ChosenCalendar> {
  const stored = await deps.events.accountsOf(grant);
  const accounts = chosenAmong(stored, name) === undefined ? await refreshed(grant, deps) : stored;
  const chosen = chosenAmong(accounts, name);
  const isMeant = ({ provider, accountId }: MirroredAccount) =>
    provider === name.provider && (name.account ?? accountId) === accountId;
  const without = (chosen === undefined ? accounts.filter(isMeant) : [chosen.account]).filter(
    ({ calendarPermission }) => calendarPermission === false,
  );
  if (without.length > 0) {
    const fields = { accounts: without.map(({ provider, accountId }) => ({ provider, account: accountId })) };
    throw new ApiError(READING.calendar_permission_required, { fields });
  }
  if (chosen !== undefined) return chosen;
  const message = `The user has no calendar ${name.calendarId} at ${name.provider}`;
  throw new ApiError(READING.calendar_not_found, { message, field: 'calendarId' });
}

async function refreshed(grant: Grant, deps: FindToFollowDeps): Promise<readonly MirroredAccount[]> {
  const request = { reader: grant, needs: 'free-busy', listAge: LIST_AGE } as const;
  return (await deps.freshAccounts({ ...request, eventAge: undefined, choice: undefined })).accounts;
}

const coveredCalendars = (accounts: readonly MirroredAccount[]): ChosenCalendar[] =>
  accounts.flatMap((account) => account.calendars.map((calendar) => ({ account, calendar })));
