/** All four providers. An application offers those for which it or the instance has an app. */
import type { CalendarProvider } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { Config } from '../config/config.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { Log } from '../lib/log.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { WorkPool } from '../lib/work-pool/work-pool.ts';
import { appleProvider } from '../providers/apple/apple-provider.ts';
import { caldavProvider } from '../providers/caldav/caldav-provider.ts';
import { googleProvider } from '../providers/google/google-provider.ts';
import { microsoftProvider } from '../providers/microsoft/microsoft-provider.ts';

export type ProvidersDeps = {
  readonly egressTo: (kind: ProviderKind) => Egress;
  readonly syncWork: WorkPool;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly now: () => number;
};

export function openProviders(config: Config, { egressTo, syncWork, sealer, log, now }: ProvidersDeps) {
  const { google, microsoft, limits } = config;
  const upstream = (kind: ProviderKind) => ({ egress: egressTo(kind), log, now });
  const caldav = { syncWork, limits };
  return {
    google: googleProvider({
      ...upstream('google'),
      issuer: google.issuer,
      apiUrl: google.apiUrl,
      asksForCalendars: google.asksForCalendars,
    }),
    microsoft: microsoftProvider({
      ...upstream('microsoft'),
      issuer: microsoft.issuer,
      apiUrl: microsoft.apiUrl,
      asksForShared: microsoft.asksForShared,
    }),
    apple: appleProvider({ ...upstream('apple'), ...caldav, serverUrl: config.appleUrl }),
    caldav: caldavProvider({ ...upstream('caldav'), ...caldav, feedKey: sealer.derive('feeds') }),
  } satisfies Record<ProviderKind, CalendarProvider>;
}
