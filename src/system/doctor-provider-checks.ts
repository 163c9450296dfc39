/** The checks of `doctor` for Google and Microsoft: their acceptance of the instance's app, and tenants. */
import { type AppQuestion, checkProviderAnswers } from '../access/provider-app-check.ts';
import type { AppKind } from '../access/provider-apps.ts';
import type { Config } from '../config/config.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import type { Check } from './doctor-checks.ts';
import { providerAddresses } from './doctor-config-checks.ts';
import type { StorageReport } from './storage-report.ts';

/** Checks the provider's app. Without an app it sends no request. */
export async function checkProvider(kind: AppKind, config: Config): Promise<Check> {
  const { app, issuer } = config[kind];
  const setting = `KALENDS_${kind.toUpperCase()}`;
  if (app === undefined) {
    const message = `No provider app is set (${setting}_CLIENT_ID): only applications with their own provider app can offer this provider.`;
    return { name: kind, status: 'ok', message };
  }
  const address = providerAddresses(config).find((one) => one.endsWith(`/${kind}/callback`)) ?? '';
  const { verdict, refusal } = await ask({ app, issuer, redirectUri: address }, config);
  switch (verdict) {
    case 'unreachable': {
      const message = `${issuer} does not respond as an OpenID issuer: check ${setting}_ISSUER and the network.`;
      return { name: kind, status: 'warn', message };
    }
    case 'app_refused': {
      const message = `The provider rejects the provider app (${refusal}): check ${setting}_CLIENT_ID and _CLIENT_SECRET; secrets expire.`;
      return { name: kind, status: 'fail', message };
    }
    case 'address_unknown': {
      const message = `${address} is not registered at the provider: register it there.`;
      return { name: kind, status: 'fail', message };
    }
    case 'accepted':
      return { name: kind, status: 'ok', message: `The provider accepts the provider app ${app.clientId}.` };
    case 'unsaid': {
      const message = `The provider app ${app.clientId} is set, but the provider does not confirm that it accepts it.`;
      return { name: kind, status: 'ok', message };
    }
    default:
      return verdict satisfies never;
  }
}

/** Returns warnings about Microsoft tenants: accounts without a known tenant, and unavailable shared calendars. */
export function checkTenants(report: StorageReport, { microsoft }: Config): Check[] {
  const tenant = new URL(microsoft.issuer).pathname.split('/')[1] ?? '';
  const count = report.state === 'reachable' ? report.accountsWithoutTenant : 0;
  const messages = [
    microsoft.asksForShared && ['common', 'consumers'].includes(tenant) ? SHARED_AT_PERSONAL : [],
    count > 0 && ['common', 'organizations'].includes(tenant)
      ? `The tenant of ${count} Microsoft account(s) is unknown, so their access tokens are renewed at "${tenant}". Microsoft can refuse personal accounts there; their users must then reconnect them.`
      : [],
  ].flat();
  return messages.map((message) => ({ name: 'microsoft tenants', status: 'warn', message }));
}

const SHARED_AT_PERSONAL =
  'KALENDS_MICROSOFT_SHARED_CALENDARS is on, but personal accounts can sign in, and Microsoft grants them no shared calendars: their sign-in could fail. Set KALENDS_MICROSOFT_ISSUER to "organizations" or your tenant, or test a sign-in with a personal account.';

async function ask(question: AppQuestion, { privateNetwork }: Config) {
  const egress = lazyEgress({ privateNetwork });
  try {
    return await checkProviderAnswers(question, egress);
  } finally {
    await egress.close();
  }
}
