/** Clients that exchange codes, refresh, read and revoke, two of them on each grant. */
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeJwt } from 'jose';
import { seedCodes } from '../../../bench/load/seed-codes.ts';
import type { Stores } from '../../../src/start/open-storage.ts';
import type { Application } from '../../e2e/flow.ts';
import type { History, Output } from './history.ts';

/** Longer than any wait of the deployment: then the outcome is unknown. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 100;
const LONGEST_GRANT = 40;
const OLD_GRANTS = 20;
const CODES_AHEAD = 40;

export type ClientDeps = {
  readonly history: History;
  readonly stores: Stores;
  readonly signal: AbortSignal;
};

/** An application, and the replay window of its refresh tokens in milliseconds. */
export type Tenant = Application & { readonly windowMs: number };

type Grant = {
  readonly code: string;
  readonly userId: string;
  refreshToken: string | undefined;
  accessToken: string | undefined;
  isRevoked: boolean;
  operations: number;
};

/** Runs `count` pairs of clients until `signal` aborts. */
export async function runTokenClients(tenant: Tenant, count: number, deps: ClientDeps): Promise<void> {
  const codes = codesOf(tenant, deps.stores);
  const old: Grant[] = [];
  const pair = async (name: string) => {
    while (!deps.signal.aborted) {
      const userId = await codes();
      if (userId === undefined) {
        await sleep(PAUSE_MS);
        continue;
      }
      const grant = newGrant(`${tenant.clientId} ${userId}`, userId);
      await Promise.all(
        [1, 2].map((half) => useGrant(new GrantClient(tenant, `${name}.${half}`, deps), grant)),
      );
      old.unshift(grant);
      old.length = Math.min(old.length, OLD_GRANTS);
    }
  };
  /** Uses ended grants again: a failover must not revive them. */
  const haunt = async () => {
    const client = new GrantClient(tenant, `${tenant.clientId} again`, deps);
    while (!deps.signal.aborted) {
      const grant = old[Math.floor(Math.random() * old.length)];
      if (grant !== undefined) await (Math.random() < 0.5 ? client.read(grant) : client.refresh(grant));
      await sleep(PAUSE_MS);
    }
  };
  const pairs = Array.from({ length: count }, (_, i) => pair(`${tenant.clientId} ${i}`));
  await Promise.all([...pairs, haunt()]);
}

const newGrant = (code: string, userId: string): Grant => ({
  ...{ code, userId, refreshToken: undefined, accessToken: undefined, isRevoked: false, operations: 0 },
});

async function useGrant(client: GrantClient, grant: Grant): Promise<void> {
  while (!client.isStopped() && grant.operations < LONGEST_GRANT) {
    grant.operations += 1;
    const luck = Math.random();
    if (grant.accessToken === undefined || luck < 0.03) await client.exchange(grant);
    else if (luck < 0.3) await client.read(grant);
    else if (luck < 0.33) await client.revoke(grant);
    else await client.refresh(grant);
    if (grant.isRevoked) grant.operations += LONGEST_GRANT / 8;
    await sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** Returns a function that returns unused codes of new users, and writes more of them ahead. */
function codesOf(tenant: Tenant, stores: Stores): () => Promise<string | undefined> {
  let [next, seeded, last] = [0, 0, 0];
  let seeding: Promise<void> | undefined;
  const seed = async () => {
    const from = last;
    last += CODES_AHEAD;
    try {
      await seedCodes(stores, tenant.clientId, { from, count: CODES_AHEAD });
      [next, seeded] = [from, last];
    } catch {
      // If the outcome is unknown, these codes are never used.
    }
    seeding = undefined;
  };
  return async () => {
    if (next >= seeded) {
      seeding ??= seed();
      await seeding;
    }
    if (next >= seeded) return undefined;
    next += 1;
    return `user-${next - 1}`;
  };
}

class GrantClient {
  readonly #tenant: Tenant;
  readonly #name: string;
  readonly #deps: ClientDeps;

  constructor(tenant: Tenant, name: string, deps: ClientDeps) {
    this.#tenant = tenant;
    this.#name = name;
    this.#deps = deps;
  }

  isStopped(): boolean {
    return this.#deps.signal.aborted;
  }

  async exchange(grant: Grant): Promise<void> {
    const { redirectUri } = this.#tenant;
    const form = { grant_type: 'authorization_code', code: grant.userId, redirect_uri: redirectUri };
    await this.#run(grant, 'exchange', {}, () => this.#token(grant, form));
  }

  async refresh(grant: Grant): Promise<void> {
    const { refreshToken } = grant;
    if (refreshToken === undefined) return;
    const input = { token: decodeJwt(refreshToken).jti, windowMs: this.#tenant.windowMs };
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    await this.#run(grant, 'refresh', input, () => this.#token(grant, form));
  }

  async read(grant: Grant): Promise<void> {
    const { accessToken } = grant;
    if (accessToken === undefined) return;
    const headers = { authorization: `Bearer ${accessToken}` };
    await this.#run(grant, 'read', {}, async () => {
      const { status } = await this.#send('/connection-status', { headers });
      return { status };
    });
  }

  async revoke(grant: Grant): Promise<void> {
    const { accessToken: token } = grant;
    const headers = { 'content-type': 'application/json' };
    await this.#run(grant, 'revoke', {}, async () => {
      const request = { method: 'POST', headers, body: JSON.stringify({ token }) };
      const { status } = await this.#send('/revoke', request);
      if (status === 200) grant.isRevoked = true;
      return { status };
    });
  }

  async #run(
    grant: Grant,
    operation: string,
    input: Readonly<Record<string, unknown>>,
    send: () => Promise<Output>,
  ): Promise<void> {
    await this.#deps.history.record({ client: this.#name, object: grant.code, operation, input }, send);
  }

  async #token(grant: Grant, form: Readonly<Record<string, string>>): Promise<Output> {
    const { clientId, clientSecret } = this.#tenant;
    const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form });
    const { status, text } = await this.#send('/token', { method: 'POST', body });
    if (status !== 200) return { status };
    const { access_token: accessToken, refresh_token: refreshToken } = JSON.parse(text);
    Object.assign(grant, { accessToken, refreshToken });
    return { status, token: String(decodeJwt(refreshToken).jti) };
  }

  async #send(path: string, request: RequestInit): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(`${this.#tenant.url}${path}`, { ...request, signal });
    return { status: answer.status, text: await answer.text() };
  }
}
