/** Applications with the profile `fapi2` at a running program, and openid-client for them. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import * as openid from 'openid-client';
import { openBrowser } from './browser.ts';
import { allow, linkAccount } from './flow.ts';
import type { Site } from './site.ts';

export type StrictApplication = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly key: openid.PrivateKey;
  readonly jwk: JWK;
};

/** openid-client and its key; `sent` has each of its requests and the status of the response. */
export type Discovered = {
  readonly config: openid.Configuration;
  readonly sent: readonly string[];
  readonly DPoP: openid.DPoPHandle;
};
export type StrictClients = ReturnType<typeof strictClients>;

type Connecting = {
  readonly redirectUri: string;
  readonly userId: string;
  /** Approves in a browser and returns the callback. */
  readonly visit?: (address: URL) => Promise<URL>;
};

/** Returns the steps of an integrator at the strict issuer of the site. */
export function strictClients(site: Pick<Site, 'program' | 'login'>) {
  const { program, login } = site;
  const issuer = `${program.url}/fapi2`;

  const approve = async (address: URL): Promise<URL> => {
    const browser = openBrowser();
    await browser.open(address);
    await linkAccount(browser, login);
    return (await allow(browser)).destination ?? assert.fail(browser.page().body);
  };

  return {
    issuer,
    approve,

    /** Creates an application with a new key and, by default, nonces. */
    async register(redirectUri: string, nonces: 'off' | 'on' = 'on'): Promise<StrictApplication> {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const kid = crypto.randomUUID();
      const file = path.join(program.dataDir, `${kid}.json`);
      await writeFile(file, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid }] }));
      const named = ['--name', 'Bank', '--redirect-uri', redirectUri];
      const keyed = ['--jwks', file, '--profile', 'fapi2', '--dpop-nonce', nonces];
      const created = await program.command('client', 'create', ...named, ...keyed);
      const jwk = { ...(await exportJWK(privateKey)), kid };
      return { clientId: String(created.client_id), redirectUri, key: { key: privateKey, kid }, jwk };
    },

    /** Discovers the issuer. */
    async discover({ clientId, key }: StrictApplication): Promise<Discovered> {
      const sent: string[] = [];
      const authentication = openid.PrivateKeyJwt(key);
      const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
      config[openid.customFetch] = async (url, options) => {
        const response = await fetch(url, options as RequestInit); // the library's type of the same options
        sent.push(`${options.method} ${new URL(url).pathname} ${response.status}`);
        return response;
      };
      return { config, sent, DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) };
    },

    /** Goes through the whole flow. */
    async connect({ config, DPoP }: Discovered, { redirectUri, userId, visit = approve }: Connecting) {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const request = {
        ...{ user_id: userId, redirect_uri: redirectUri, scope: 'read', state: expectedState },
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      };
      const callback = await visit(await openid.buildAuthorizationUrlWithPAR(config, request, { DPoP }));
      const checks = { pkceCodeVerifier, expectedState };
      const tokens = await openid.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
      return { tokens, callback };
    },

    /** Sends GET with a proof. */
    call: ({ config, DPoP }: Pick<Discovered, 'config' | 'DPoP'>, token: string, target: string) =>
      openid.fetchProtectedResource(
        ...([config, token, new URL(program.url + target), 'GET'] as const),
        ...([undefined, undefined, { DPoP }] as const),
      ),
  };
}
