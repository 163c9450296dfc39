/** Every route of the program over the calendar server's stores, for tests of the whole interface. */
import type { FastifyInstance } from 'fastify';
import { openAdminAccess } from '../../src/administration/operations/admin-access.ts';
import { type AppDeps, buildApp } from '../../src/app.ts';
import { logoDrawing } from '../../src/branding/logo-drawing.ts';
import { PROVIDER_KINDS } from '../../src/calendars/provider-facts.ts';
import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { formSlots } from '../../src/connect/flow/form-slots.ts';
import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import type { Sealer } from '../../src/lib/sealing.ts';
import { openSigningKeys } from '../../src/oauth/signing-keys.ts';
import { passwordSlots } from '../../src/people/password.ts';
import { signInLimits } from '../../src/people/sign-in.ts';
import { busyIds } from '../../src/reading/event-text.ts';
import { databaseStates } from '../../src/store/drivers/migrate.ts';
import { openWebhookSigner } from '../../src/webhooks/webhook-signer.ts';
import { programForTests, registrationsAt } from '../dashboard/dashboard-app.ts';
import type { CalendarServer } from './calendar-server.ts';
import { GENEROUS } from './connect-limits.ts';
import { noAddresses } from './no-network.ts';

export type Route = { readonly method: string; readonly path: string };

type WholeApp = { readonly app: FastifyInstance; readonly routes: readonly Route[] };

/** The caller closes `app`. `routes` has every one, under each of its mounts. `sealer` is the calendar server's. */
export async function openWholeApp(
  server: CalendarServer,
  sealer: Sealer,
  changed: Partial<Pick<AppDeps, 'databaseRefused' | 'clearLog' | 'hosts' | 'clients'>> = {},
): Promise<WholeApp> {
  const { deps } = server;
  const { log, now } = deps;
  const signingKeys = await openSigningKeys('HS256', { keys: deps.signingKeys, sealer, now, log });
  const webhookSigner = await openWebhookSigner({ ...deps, sealer });
  const app = buildApp({
    ...deps,
    operatorName: undefined,
    signInOrigins: [],
    offeredProviders: PROVIDER_KINDS,
    mostOpenRequests: 20_000,
    signingKeys,
    signingKeyStore: deps.signingKeys,
    webhookSigner,
    webhookEgress: lazyEgress({ privateNetwork: { mode: 'deny' }, lookup: noAddresses }),
    requestLogDays: 7,
    busyId: busyIds(deps.pagingKey),
    tokenAlgorithm: 'HS256',
    publicUrl: 'https://kalends.example',
    privateNetwork: { mode: 'deny' },
    egress: lazyEgress({ privateNetwork: { mode: 'deny' }, lookup: noAddresses }),
    drawLogo: logoDrawing(),
    appRegistrations: registrationsAt({ google: 'https://127.0.0.1:9', microsoft: 'https://127.0.0.1:9' }),
    appChecks: attemptLimit(6, 60),
    attempts: connectAttempts(GENEROUS),
    formSlots: formSlots(1_000),
    dashboardUrl: 'https://kalends.example',
    hasOwnOrigin: false,
    isDashboardNetwork: () => true,
    signInLimits: signInLimits(),
    passwordSlots: passwordSlots(),
    adminAccess: openAdminAccess({ adminKey: undefined, log }),
    hasAdministration: true,
    sealer,
    program: programForTests(),
    mailer: undefined,
    alertChannels: [],
    singleSignOn: undefined,
    knownBrowserKey: sealer.derive('known browsers'),
    addressKey: sealer.derive('confirmed addresses'),
    addressMails: attemptLimit(3, 3600),
    userReferenceKey: sealer.derive('user references'),
    successorKey: sealer.derive('refresh successors'),
    clearLog: async () => true,
    ...changed,
    trustProxy: undefined,
    secure: true,
    readiness: databaseStates(server.db),
  });
  await app.ready();
  return { app, routes: routesOf(app) };
}

/** The router's own tree, of which each line has the rest of a path behind those of the lines it hangs on. */
function routesOf(app: FastifyInstance): Route[] {
  const above: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', piece = '', methods = ''] =
        /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      const depth = indent.length / 4;
      above.splice(depth, above.length, piece);
      const path = above.slice(0, depth + 1).join('');
      return methods
        .split(', ')
        .filter((method) => method !== '')
        .map((method) => ({ method: method.toLowerCase(), path }));
    });
}
