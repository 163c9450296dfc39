/** One account's session in a single process: renews through the sign-in, and lets every request through. */
import type {
  AccountSession,
  OAuthCredentials,
  ProviderApp,
  RedirectProvider,
} from '../../../src/calendars/calendar-provider.ts';

type TestSession = AccountSession & {
  credentials: OAuthCredentials;
  /** The operations run, in order. */
  readonly operations: string[];
};

export function sessionOf(
  provider: RedirectProvider,
  app: ProviderApp,
  credentials: OAuthCredentials,
  now: () => number = Date.now,
): TestSession {
  const renew = async () => {
    session.credentials = await provider.signIn.renew(session.credentials, app);
    return session.credentials.accessToken;
  };
  const session: TestSession = {
    credentials,
    operations: [],
    async accessToken() {
      const { accessToken, expiresAt } = session.credentials;
      return expiresAt - 60_000 > now() ? accessToken : renew();
    },
    async renewAccessToken(refused) {
      const { accessToken } = session.credentials;
      return accessToken === refused ? renew() : accessToken;
    },
    limited(operation, request) {
      session.operations.push(operation);
      return request();
    },
  };
  return session;
}
