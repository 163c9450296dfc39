/** The settings of the dashboard, and those of how a server reports problems. */
import { addressRanges } from '../lib/address-ranges.ts';
import { claimRules, parseSignInWays } from './dashboard-sign-in.ts';
import { type OptionTable, onOff, openIdIssuer, optional, origin, printable } from './option.ts';

export const DASHBOARD = {
  isOn: {
    name: 'KALENDS_DASHBOARD',
    ...onOff('on'),
    doc: '`off` takes the [dashboard](dashboard.md) away.',
  },
  url: {
    name: 'KALENDS_DASHBOARD_URL',
    parse: optional(origin),
    doc: 'An origin for the dashboard alone, such as `https://admin.example.com`. Elsewhere the dashboard returns 404. Kalends reads the origin from the `Host` header, which callers choose: this [keeps nobody out](dashboard.md#an-origin-for-the-dashboard). Default: `/dashboard` under `KALENDS_URL`.',
  },
  isDashboardNetwork: {
    name: 'KALENDS_DASHBOARD_NETWORKS',
    parse: networks,
    doc: 'Address ranges, separated by commas, from which the dashboard can be reached, such as `10.0.0.0/8,fd00::/8`. From elsewhere it returns 404. Behind a proxy, [`KALENDS_TRUST_PROXY`](operations.md#reverse-proxy) must be right. Default: all.',
  },
} satisfies OptionTable;

export const SIGN_IN = {
  issuer: {
    name: 'KALENDS_DASHBOARD_OIDC_ISSUER',
    parse: optional(openIdIssuer),
    doc: 'The OpenID issuer of [single sign-on](dashboard.md#single-sign-on), exactly as it writes itself. Default: none.',
  },
  clientId: {
    name: 'KALENDS_DASHBOARD_OIDC_CLIENT_ID',
    parse: printable,
    doc: 'Client id that this issuer gave the dashboard.',
  },
  clientSecret: {
    name: 'KALENDS_DASHBOARD_OIDC_CLIENT_SECRET',
    secret: true,
    parse: printable,
    doc: 'Its client secret.',
  },
  rules: {
    name: 'KALENDS_DASHBOARD_OIDC_ALLOWED',
    parse: claimRules,
    doc: 'Who comes in by single sign-on without an invitation, as `CLAIM=VALUE:ROLE` with semicolons between, such as `groups=admins:owner; email_domain=example.com:viewer` ([all that it can say](dashboard.md#roles-from-claims)). Default: nobody.',
  },
  ways: {
    name: 'KALENDS_DASHBOARD_SIGN_IN',
    default: 'password,passkey',
    parse: parseSignInWays,
    doc: 'The ways into the dashboard beside single sign-on: `password`, `passkey`, both, or `none`. What is left out is off [once an owner has signed in by single sign-on](dashboard.md#without-passwords).',
  },
} satisfies OptionTable;

export const SUPPORT = {
  securityContact: {
    name: 'KALENDS_SECURITY_CONTACT',
    parse: optional(securityContact),
    doc: 'Where weaknesses of this instance are to be reported, as `mailto:security@example.com` or an https address: served at `/.well-known/security.txt`. Default: none, and nothing is served there.',
  },
  linksErrors: {
    name: 'KALENDS_ERROR_LINKS',
    ...onOff('off'),
    doc: '`on`: each refusal of the REST interface has in `documentation` the address of its place in the [index of errors](errors.md) that this server has under `/docs`.',
  },
} satisfies OptionTable;

function networks(text: string): (address: string) => boolean {
  return text === '' ? () => true : addressRanges(text.split(/\s*,\s*/));
}

function securityContact(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !/^mailto:[^\s@]+@[^\s@]+$/.test(text))
    throw new Error('must be a mailto: or https: address');
  return text;
}
