/** Every page of the dashboard's route table, opened with full tables. */
import { APP_KINDS } from '../../src/access/provider-apps.ts';
import type { DashboardRoute, OpenRoute } from '../../src/dashboard/guard.ts';
import type { DashboardApp, DashboardBrowser } from './dashboard-app.ts';
import { fillTables, MORE_APPLICATIONS } from './filled-tables.ts';
import { plantDelivery } from './planted-deliveries.ts';

/** Pages with filters, and the queries of the filters. `{n}` is a number that differs at each opening. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  '/dashboard/deliveries': [
    'state=dead',
    'state=retrying',
    'client=acme&state=retrying',
    'endpoint=we_acme&state=retrying',
    'client=acme',
    'client=acme&state=withheld',
    'client=acme&state=dead&period=24h',
    'client=acme&user=user-{n}0',
    'client=acme&calendar=work-{n}0',
    'endpoint=we_acme',
    'from=2026-11-12T00:00:00',
    'client=acme&from=2026-11-11T00:00:00&to=2026-11-12T00:00:00',
  ],
  '/dashboard/requests': [
    'status=4xx',
    'status=500',
    'route=%2Fevents',
    'client=acme',
    'client=acme&status=401',
    'status=all&period=1h',
    'client=acme&status=5xx&period=7d',
    'client=acme&status=4xx',
    'client=acme&user=user-{n}0',
    'from=2026-11-12T00:00:00',
  ],
  '/dashboard/users': ['q=person-{n}', 'q=user-{n}', 'q=nobody'],
  '/dashboard/applications/:clientId/users': ['q=person-{n}', 'q=user-{n}'],
  '/dashboard/connections': [
    ...['reason=access_revoked', 'reason=provider_unavailable', 'reason=access_revoked&provider=microsoft'],
    ...[
      'state=connected',
      'state=active',
      'state=degraded',
      'state=reauth_required',
      'client=acme&state=active',
    ],
    ...['provider=google', 'client=acme&turn=user', 'state=degraded&turn=provider'],
  ],
  '/dashboard/audit': [
    'client=acme',
    'action=delivery.replayed',
    'client=acme&action=client.created',
    'actor=p1',
    'actor=command_line',
    'client=acme&actor=command_line&period=7d',
    'subject=subject-{n}0',
    'from=2026-11-12T00:00:00',
  ],
};

/** Pages of one user take the user from their query. */
const OF_USER = /\/:clientId\/user(?:\/|$)/;
const USER_QUERY = '?id=user-{n}0&account=account-{n}0';

/** Values for the parameters of paths; a page with a new parameter needs one here. */
const PARAMETERS: Readonly<Record<string, string>> = {
  clientId: 'acme',
  endpointId: 'we_acme',
  messageId: 'msg_shown',
  requestId: 'req-1000000{n}',
  userId: 'user-{n}0',
  keyId: 'ak_filled',
  operation: 'listCalendars',
  token: 'nothing-of-that-name',
};

const ADMIN_KEY = `
  INSERT INTO admin_key (key_id, name, role, client_ids, prefix, key_hash, created_at)
  VALUES (:keyId, 'Deployment', 'owner', '[]', 'kal_adm_fill', 'filled', :now)`;

/** Fills the tables and signs in an owner and a developer, who has five applications. */
export async function openFilledPages(dashboard: DashboardApp, users: number) {
  const { db, clock, stores } = dashboard;
  await fillTables(db, { users, now: clock.now });
  await db.write(ADMIN_KEY, { keyId: PARAMETERS.keyId ?? '', now: clock.now });
  for (const kind of APP_KINDS)
    await stores.providerApps.setProviderApp(
      { clientId: 'acme', kind },
      { clientId: 'own-id', clientSecret: 'own-secret' },
      { now: clock.now, by: undefined },
    );
  await plantDelivery(dashboard, {
    messageId: 'msg_shown',
    clientId: 'acme',
    state: 'dead',
    createdAt: clock.now,
    userId: 'user-0',
  });
  const owner = await dashboard.signedIn('owner');
  const developer = await dashboard.signedIn('developer');
  for (const clientId of ['other', ...MORE_APPLICATIONS.slice(0, 3)])
    await db.write(
      'INSERT INTO person_application (person_id, client_id) VALUES (:personId, :clientId) RETURNING person_id',
      { personId: developer.personId, clientId },
    );
  return [
    ['owner', owner],
    ['developer', developer],
  ] as const satisfies readonly (readonly [string, DashboardBrowser])[];
}

/**
 * Returns the addresses of all pages, with `{n}` in them. Pages before sign-in are omitted: their size does not grow.
 */
export function pagesOf(
  routes: readonly (DashboardRoute | OpenRoute)[],
  { personId }: DashboardBrowser,
): string[] {
  const values: Readonly<Record<string, string>> = { ...PARAMETERS, personId };
  return routes.flatMap(({ method, path, needs }) => {
    if (method !== 'GET' || needs === 'nobody') return [];
    const address = path.replace(/:(\w+)/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`Say in opened-pages.ts what :${name} of ${path} is`);
      return value;
    });
    if (OF_USER.test(path)) return [`${address}${USER_QUERY}`];
    return [address, ...(FILTERS[path] ?? []).map((query) => `${address}?${query}`)];
  });
}

/** Opens a page; returns its status, its size in bytes, and the address of the next page of its list. */
export async function openPage(
  browser: DashboardBrowser,
  page: string,
  number: number,
): Promise<{ readonly status: number; readonly bytes: number; readonly older: string | undefined }> {
  const { status, body } = await browser.get(page.replaceAll('{n}', String(number)));
  const text = body.replaceAll('&#61;', '=').replaceAll('&#38;', '&').replaceAll('&amp;', '&');
  return {
    status,
    bytes: Buffer.byteLength(body),
    older: /href="([^"]*[?&](?:after|before)=[^"]*)"/.exec(text)?.[1],
  };
}
