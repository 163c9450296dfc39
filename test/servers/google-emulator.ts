/**
 * `@emulators/google`, an independent Google in memory, on loopback. It signs ID tokens with its own secret (HS256) and
 * publishes no key. Google signs with RS256, and Kalends accepts nothing else. So its ID tokens get a new signature
 * here, with the same claims, and the key is published. All other responses are unchanged.
 */
import http from 'node:http';

import { createServer } from '@emulators/core';
import { type GoogleSeedConfig, googlePlugin, seedFromConfig } from '@emulators/google';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { close, listen } from '../harness/loopback.ts';

export type GoogleEmulator = { readonly origin: string; stop(): Promise<void> };

export async function startGoogleEmulator(seed: GoogleSeedConfig): Promise<GoogleEmulator> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'emulator', alg: 'RS256', use: 'sig' }] };
  const server = http.createServer();
  const origin = await listen(server);
  const { app, store } = createServer(googlePlugin, { port: Number(new URL(origin).port), baseUrl: origin });
  seedFromConfig(store, origin, seed);

  const changed = async (path: string, answer: Response): Promise<object | undefined> => {
    if (path === '/oauth2/v3/certs') return jwks;
    if (path === '/.well-known/openid-configuration')
      return { ...(await object(answer)), id_token_signing_alg_values_supported: ['RS256'] };
    if (path !== '/oauth2/token' || answer.status !== 200) return undefined;
    const body = await object(answer);
    if (!('id_token' in body) || typeof body.id_token !== 'string') return body;
    const signed = new SignJWT(decodeJwt(body.id_token)).setProtectedHeader({
      alg: 'RS256',
      kid: 'emulator',
    });
    return { ...body, id_token: await signed.sign(privateKey) };
  };

  server.on('request', async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value);
    const method = request.method ?? 'GET';
    const body = method === 'GET' || method === 'HEAD' ? null : Buffer.concat(chunks);
    const answer = await app.fetch(new Request(`${origin}${request.url}`, { method, headers, body }));
    const other = await changed(new URL(`${origin}${request.url}`).pathname, answer);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(other === undefined ? Buffer.from(await answer.arrayBuffer()) : JSON.stringify(other));
  });

  return { origin, stop: () => close(server) };
}

async function object(answer: Response): Promise<object> {
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null) throw new Error('Not an object');
  return body;
}
