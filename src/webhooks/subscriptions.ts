/** Which calendars an application hears of (docs/wire.md 1.12): all of them, but for those it unsubscribed. */
import { PROVIDER_KINDS, type ProviderKind } from '../calendars/provider-kind.ts';
import { ApiError } from '../http/refusal.ts';
import {
  type Fields,
  filledText,
  oneOf,
  type Parse,
  readBody,
  refuseMistakes,
  unlessEmpty,
  valueRead,
} from '../http/request-fields.ts';
import type { Grant } from '../oauth/grant.ts';
import type { CalendarName } from '../writing/write-requests.ts';
import { calendarInput } from '../writing/write-requests.ts';
import { defaultChannelId, isDefaultChannelId } from './channel-id.ts';
import { coveredCalendars, type FindToFollowDeps, findToFollow } from './find-to-follow.ts';
import type { Subscription, SubscriptionStore } from './subscription-store.ts';

export type SubscriptionDeps = FindToFollowDeps & {
  readonly subscriptions: SubscriptionStore;
  /** The public origin. */
  readonly publicUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** As published clients read it (docs/wire.md 1.12): `expiration` is an ISO text. */
export type SubscribedAnswer = {
  readonly success: true;
  readonly provider: ProviderKind;
  readonly subscription: { readonly channelId: string; readonly expiration?: string };
  readonly serverWebhookUrl: string;
  readonly channelId: string;
};

const LONGEST_CHANNEL_ID = 256;
/** The year 10000: no text of RFC 3339 has a later one. */
const END_OF_TIME = 253_402_300_800_000;

/** Throws 400 with every mistake, 403 `calendar_permission_required` and 404 `calendar_not_found`. */
export async function subscribe(
  body: unknown,
  grant: Grant,
  deps: SubscriptionDeps,
): Promise<SubscribedAnswer> {
  const { name, channelId, expiresAt } = subscribeRequest(body, deps.now());
  const { clientId, userId } = grant;
  if (!(await deps.subscriptions.hasEndpoint(clientId))) throw noWebhookUrl();
  const { calendarKey } = (await findToFollow(name, grant, deps)).calendar;
  // An id of ours is that of one calendar, whether it is followed or not.
  if (channelId !== undefined && isDefaultChannelId(channelId) && channelId !== defaultChannelId(calendarKey))
    refuseMistakes([TAKEN]);
  const own = channelId === defaultChannelId(calendarKey) ? undefined : channelId;
  const chosen = { clientId, userId, calendarKey, channelId: own, expiresAt };
  const subscription = await deps.subscriptions.subscribe(chosen, deps.now());
  if (subscription === 'taken') refuseMistakes([TAKEN]);
  if (subscription === 'taken' || subscription === 'gone')
    throw new ApiError(404, 'calendar_not_found', 'The calendar is no longer connected');
  const channel = channelId ?? channelOf(subscription);
  return {
    success: true,
    provider: name.provider,
    subscription: { channelId: channel, ...expirationOf(subscription) },
    serverWebhookUrl: `${deps.publicUrl}/api/webhook-receiver/${name.provider}`,
    channelId: channel,
  };
}

const TAKEN = { field: 'channelId', problem: 'is already the channel of another calendar of this user' };

function subscribeRequest(body: unknown, now: number) {
  return readBody(body, (fields) => ({
    name: calendarInput(fields),
    channelId: channelInput(fields),
    expiresAt: fields.optional('expiration', expiration(now)),
  })) satisfies { readonly name: CalendarName };
}

const channelInput = (fields: Fields) => fields.optional('channelId', filledText(LONGEST_CHANNEL_ID));

/** Unix milliseconds, as a number or in digits, later than now. */
const expiration = (now: number): Parse<number> =>
  unlessEmpty(
    valueRead((value) => {
      const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
      const isTime = typeof number === 'number' && Number.isInteger(number);
      return isTime && number > now && number < END_OF_TIME ? number : undefined;
    }, 'must be a time to come in milliseconds since 1970'),
  );

/** Answers success for a channel that is gone or never was as well (docs/wire.md 1.12). Throws 400 with every mistake. */
export async function unsubscribe(
  body: unknown,
  grant: Grant,
  { subscriptions, events, now }: SubscriptionDeps,
): Promise<{ readonly success: true; readonly message: string }> {
  const { provider, channelId } = readBody(body, (fields) => ({
    provider: fields.required('provider', oneOf(PROVIDER_KINDS)),
    channelId: fields.required('channelId', filledText(LONGEST_CHANNEL_ID)),
  }));
  const { clientId, userId } = grant;
  const chosen = await subscriptions.listSubscriptions(clientId, userId);
  const named = chosen.find((one) => one.channelId === channelId)?.calendarKey;
  const covered = coveredCalendars(await events.accountsOf(grant));
  const followed = covered.find(
    ({ account, calendar: { calendarKey } }) =>
      account.provider === provider && (calendarKey === named || defaultChannelId(calendarKey) === channelId),
  );
  if (followed === undefined) return { success: true, message: 'There is no such subscription' };
  const { calendarKey } = followed.calendar;
  await subscriptions.unsubscribe({ clientId, userId, calendarKey }, now());
  return { success: true, message: 'The subscription was ended' };
}

export type ListedSubscription = {
  readonly provider: ProviderKind;
  readonly account: string;
  readonly calendarId: string;
  readonly channelId: string;
  readonly expiration?: string;
};

/** The calendars of which the application hears, in the order of `GET /calendars`; none without an endpoint. */
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
      channelId: channelOf(chosen.get(calendarKey) ?? { calendarKey, channelId: undefined }),
      ...expirationOf(chosen.get(calendarKey)),
    })),
  };
}

const channelOf = ({ calendarKey, channelId }: Pick<Subscription, 'calendarKey' | 'channelId'>): string =>
  channelId ?? defaultChannelId(calendarKey);

const expirationOf = (subscription: Pick<Subscription, 'expiresAt'> | undefined) =>
  subscription?.expiresAt === undefined ? {} : { expiration: new Date(subscription.expiresAt).toISOString() };

function noWebhookUrl(): ApiError {
  const message =
    'This application has no webhook URL: set one with `kalends client update --webhook-url`, then subscribe';
  return new ApiError(400, 'webhook_url_required', message);
}
