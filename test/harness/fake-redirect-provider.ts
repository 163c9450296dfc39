/**
 * A provider with a sign-in by redirect, in memory behind the port: its access tokens expire, its refresh
 * tokens rotate and die with their use, and a test chooses what fails. Its calendars are those of
 * FakeCalendarProvider.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type {
  AccountSession,
  AppInUse,
  CalendarAccount,
  OAuthCredentials,
  ProviderApp,
  RedirectProvider,
} from '../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { FakeCalendarProvider } from './fake-calendar-provider.ts';

export const APP: ProviderApp = { clientId: 'app-at-provider', clientSecret: 'canary-app-secret' };

const HOUR = 3_600_000;

export class FakeRedirectProvider {
  readonly kind: 'google' | 'microsoft';
  readonly calendars: FakeCalendarProvider;
  readonly now: () => number;
  /** The refresh tokens that were presented for renewal, in order. */
  readonly renewals: (string | undefined)[] = [];
  /** The identities of the accounts that were renewed, in order. */
  readonly identities: (string | undefined)[] = [];
  /** Thrown by the next renewals, each once. */
  readonly renewalFailures: Error[] = [];
  /** Awaited by every renewal before it answers. */
  beforeRenewal: () => Promise<void> = async () => {};
  readonly revocations: string[] = [];
  /** For whom the renewals and revocations were. */
  readonly owners: string[] = [];
  readonly revocationFailures: Error[] = [];
  /** Milliseconds a renewed access token lives. */
  lifetime = HOUR;
  #issued = 0;
  readonly #refreshTokens = new Set<string>();
  readonly #accessTokens = new Map<string, number>();

  constructor(kind: 'google' | 'microsoft', now: () => number) {
    this.kind = kind;
    this.now = now;
    this.calendars = new FakeCalendarProvider(kind);
  }

  /** As a sign-in makes them. */
  issue(lifetime = this.lifetime): OAuthCredentials {
    this.#issued += 1;
    const accessToken = `access-${this.#issued}`;
    const refreshToken = `refresh-${this.#issued}`;
    const issuedAt = this.now();
    this.#refreshTokens.add(refreshToken);
    this.#accessTokens.set(accessToken, issuedAt + lifetime);
    const scopes = ['calendar'];
    return {
      accessToken,
      refreshToken,
      expiresAt: issuedAt + lifetime,
      scopes,
      appClientId: APP.clientId,
      issuedAt,
    };
  }

  /** The access tokens handed out so far are refused from now on. */
  refuseAccessTokens(): void {
    this.#accessTokens.clear();
  }

  asProvider(): RedirectProvider {
    const unused = async () => {
      throw new Error('Nobody signs in here');
    };
    return {
      kind: this.kind,
      signIn: {
        method: 'redirect',
        covers: () => true,
        begin: unused,
        complete: unused,
        renew: (credentials, app, identity) => {
          this.identities.push(identity);
          return this.#renew(credentials, app);
        },
        revoke: (credentials, app) => this.#revoke(credentials, app),
        grantOf: (appClientId) => appClientId.split('-')[0] ?? '',
      },
      open: (_credentials, session) => this.#open(session),
    };
  }

  async #renew({ refreshToken = '' }: OAuthCredentials, app: AppInUse): Promise<OAuthCredentials> {
    this.renewals.push(refreshToken);
    this.#noteUser(app);
    await this.beforeRenewal();
    const failure = this.renewalFailures.shift();
    if (failure !== undefined) throw failure;
    if (app.clientSecret !== APP.clientSecret) throw new ProviderError('misconfigured', 'The app is refused');
    if (!this.#refreshTokens.delete(refreshToken)) {
      throw new ProviderError('unauthorized', 'The refresh token is spent or revoked', {
        reason: 'access_revoked',
      });
    }
    return this.issue();
  }

  #noteUser({ user }: AppInUse): void {
    this.owners.push(`${user?.clientId} ${user?.userId}`);
  }

  async #revoke({ refreshToken = '' }: OAuthCredentials, app: AppInUse): Promise<void> {
    this.revocations.push(refreshToken);
    this.#noteUser(app);
    const failure = this.revocationFailures.shift();
    if (failure !== undefined) throw failure;
    this.#refreshTokens.delete(refreshToken);
  }

  #open(session: AccountSession): CalendarAccount {
    const { listCalendars, changesSince, writing, calendarWriting } = this.calendars
      .asProvider()
      .open({}, session);
    const permitted = async <T>(operation: string, ask: () => Promise<T>): Promise<T> => {
      const token = await session.accessToken();
      const answer = await session.limited(operation, () => this.#judge(token, ask));
      if (answer !== REFUSED) return answer;
      const renewed = await session.renewAccessToken(token);
      const again = await session.limited(operation, () => this.#judge(renewed, ask));
      if (again === REFUSED) throw new ProviderError('unauthorized', 'The new access token is refused too');
      return again;
    };
    return {
      listCalendars: () => permitted('list', listCalendars),
      writing: {
        create: (href, draft, key) => permitted('write', () => writing.create(href, draft, key)),
        copyLater: (href, target, later) => permitted('write', () => writing.copyLater(href, target, later)),
        inviteLater: (href, name, invitations) =>
          permitted('write', () => writing.inviteLater(href, name, invitations)),
        findCreated: (href, key) => permitted('read', () => writing.findCreated(href, key)),
        update: (href, target, change) => permitted('write', () => writing.update(href, target, change)),
        delete: (href, target) => permitted('write', () => writing.delete(href, target)),
        respond: (href, target, response) =>
          permitted('write', () => writing.respond(href, target, response)),
        read: (href, name) => permitted('read', () => writing.read(href, name)),
      },
      calendarWriting: {
        create: (draft, key) => permitted('write', () => calendarWriting.create(draft, key)),
        change: (href, change) => permitted('write', () => calendarWriting.change(href, change)),
        delete: (href) => permitted('write', () => calendarWriting.delete(href)),
      },
      async *changesSince(href, token, stored) {
        const parts = changesSince(href, token, stored)[Symbol.asyncIterator]();
        for (;;) {
          const part = await permitted('changes', async () => parts.next());
          if (part.done) return;
          yield part.value;
        }
      },
    };
  }

  async #judge<T>(token: string, ask: () => Promise<T>): Promise<T | typeof REFUSED> {
    await sleep(1);
    return (this.#accessTokens.get(token) ?? 0) > this.now() ? ask() : REFUSED;
  }
}

const REFUSED = Symbol('401');
