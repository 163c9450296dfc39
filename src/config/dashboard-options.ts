/** The settings of the dashboard, and those of how a server reports problems. */
import { addressRanges } from '../lib/address-ranges.ts';
import { claimRules, parseSignInWays } from './dashboard-sign-in.ts';
import { type OptionTable, onOff, openIdIssuer, optional, origin, printable } from './option.ts';
import { addressAndPort } from './server-options.ts';

export const DASHBOARD = {
  isOn: {
    name: 'KALENDS_DASHBOARD',
    ...onOff('on'),
    doc: '`off` disables the [dashboard](dashboard.md).',
  },
  url: {
    name: 'KALENDS_DASHBOARD_URL',
    parse: optional(origin),
    doc: 'A separate origin for the dashboard, such as `https://admin.example.com`. At other origins the dashboard returns 404. The origin comes from the `Host` header, which callers choose, so this [is no access control](dashboard.md#an-origin-for-the-dashboard). Default: `/dashboard` under `KALENDS_URL`.',
  },
  isDashboardNetwork: {
    name: 'KALENDS_DASHBOARD_NETWORKS',
    parse: networks,
    doc: 'Address ranges that can reach the dashboard, separated by commas, such as `10.0.0.0/8,fd00::/8`. For other addresses it returns 404. Behind a proxy, [`KALENDS_TRUST_PROXY`](operations.md#reverse-proxy) must be correct. Default: all.',
  },
} satisfies OptionTable;

export const ADMINISTRATION = {
  adminKey: {
    name: 'KALENDS_ADMIN_KEY',
    secret: true,
    parse: adminKey,
    doc: 'A key of the [administration API](administration.md) with the role `owner`: 32 to 128 printable characters. Other keys are created by `kalends admin key create`. Default: none.',
  },
  server: {
    name: 'KALENDS_SERVER',
    parse: optional(origin),
    doc: 'The origin of the administration API at which [commands run](cli.md#at-a-server), with the key in `KALENDS_ADMIN_KEY`, instead of on the database. Default: none.',
  },
  adminAddress: {
    name: 'KALENDS_ADMIN_ADDRESS',
    default: 'dashboard',
    parse: (text: string) => (text === 'dashboard' || text === 'off' ? text : addressAndPort(text)),
    doc: 'Where the [administration API](administration.md) is served: `dashboard` at the origin of the dashboard and for its networks, an address and port such as `127.0.0.1:9465` only there over plain HTTP, `off` nowhere.',
  },
} satisfies OptionTable;

export const SIGN_IN = {
  issuer: {
    name: 'KALENDS_DASHBOARD_OIDC_ISSUER',
    parse: optional(openIdIssuer),
    doc: 'The OpenID issuer for [single sign-on](dashboard.md#single-sign-on), exactly as its metadata states it. Default: none.',
  },
  clientId: {
    name: 'KALENDS_DASHBOARD_OIDC_CLIENT_ID',
    parse: printable,
    doc: 'The dashboard’s client ID at this issuer.',
  },
  clientSecret: {
    name: 'KALENDS_DASHBOARD_OIDC_CLIENT_SECRET',
    secret: true,
    parse: printable,
    doc: 'The dashboard’s client secret at this issuer.',
  },
  rules: {
    name: 'KALENDS_DASHBOARD_OIDC_ALLOWED',
    parse: claimRules,
    doc: 'Rules that give people a role by single sign-on without an invitation: `CLAIM=VALUE:ROLE`, separated by semicolons, such as `groups=admins:owner; email_domain=example.com:viewer` ([all forms](dashboard.md#roles-from-claims)). Default: none.',
  },
  ways: {
    name: 'KALENDS_DASHBOARD_SIGN_IN',
    default: 'password,passkey',
    parse: parseSignInWays,
    doc: 'The sign-in methods of the dashboard besides single sign-on: `password`, `passkey`, both, or `none`. Other methods are disabled [after an owner has signed in by single sign-on](dashboard.md#without-passwords).',
  },
} satisfies OptionTable;

export const SUPPORT = {
  securityContact: {
    name: 'KALENDS_SECURITY_CONTACT',
    parse: optional(securityContact),
    doc: 'The contact for security reports, as `mailto:security@example.com` or an https URL. It is published at `/.well-known/security.txt`. Default: none, and the path returns 404.',
  },
  linksErrors: {
    name: 'KALENDS_ERROR_LINKS',
    ...onOff('off'),
    doc: '`on`: each error of the REST interface has a link in `documentation` to its code in the [list of errors](errors.md) under `/docs` of this server.',
  },
} satisfies OptionTable;

function networks(text: string): (address: string) => boolean {
  return text === '' ? () => true : addressRanges(text.split(/\s*,\s*/));
}

function adminKey(text: string): string | undefined {
  if (text !== '' && (text.length < 32 || text.length > 128))
    throw new Error('must have 32 to 128 characters');
  return printable(text) || undefined;
}

function securityContact(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !/^mailto:[^\s@]+@[^\s@]+$/.test(text))
    throw new Error('must be a mailto: or https: address');
  return text;
}
