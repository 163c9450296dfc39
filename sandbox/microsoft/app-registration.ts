/** The applications registered with the sandbox's identity platform. */
import { hash, timingSafeEqual } from 'node:crypto';

import { aadsts } from './aadsts.ts';

export type MicrosoftApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** Shown on the consent page. */
  readonly name?: string;
  /** Epoch milliseconds; a secret without it lives for ever, which the real platform does not offer. */
  readonly secretExpiresAt?: number;
};

/** By client id. */
export type Apps = Map<string, MicrosoftApp>;

/** Proves the app's secret, from the body or HTTP Basic (RFC 6749 §2.3.1). Throws invalid_client. */
export function authenticatedApp(
  form: URLSearchParams,
  authorization: string | undefined,
  apps: Apps,
  now: number,
): MicrosoftApp {
  const basic = readBasic(authorization);
  const clientId = basic?.clientId ?? form.get('client_id');
  if (!clientId) throw aadsts(90014);
  const app = apps.get(clientId);
  if (app === undefined) throw aadsts(700016);
  const secret = basic?.clientSecret ?? form.get('client_secret');
  if (!secret) throw aadsts(7000218);
  if (!sameText(secret, app.clientSecret)) throw aadsts(7000215);
  if (app.secretExpiresAt !== undefined && app.secretExpiresAt <= now) throw aadsts(7000222);
  return app;
}

function readBasic(
  authorization: string | undefined,
): { clientId: string; clientSecret: string } | undefined {
  const [, coded] = /^Basic\s+([\w+/=-]+)$/i.exec(authorization ?? '') ?? [];
  if (coded === undefined) return undefined;
  const text = Buffer.from(coded, 'base64').toString();
  const colon = text.indexOf(':');
  const decoded = new URLSearchParams(`id=${text.slice(0, colon)}&secret=${text.slice(colon + 1)}`);
  return { clientId: decoded.get('id') ?? '', clientSecret: decoded.get('secret') ?? '' };
}

function sameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash('sha256', a)), Buffer.from(hash('sha256', b)));
}
