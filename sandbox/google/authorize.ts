/** The authorization endpoint, RFC 6749 §4.1.1, like Google's: account chooser, consent, code. */
import { randomText } from '../../src/oauth/client-registration.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { SCOPES, scopesOf } from './google-scopes.ts';
import type { GooglePerson, GoogleStore } from './google-store.ts';
import type { GoogleApp, GoogleTokens } from './google-tokens.ts';
import { accountPage, consentPage, type PageFrame } from './sign-in.page.ts';

export type AuthorizeDeps = {
  readonly store: GoogleStore;
  readonly tokens: GoogleTokens;
  readonly apps: ReadonlyMap<string, GoogleApp>;
  readonly issuer: () => string;
};

type Transaction = {
  readonly app: GoogleApp;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly offline: boolean;
  readonly prompts: readonly string[];
  readonly includeGranted: boolean;
  /** The person, once chosen. */
  person?: GooglePerson;
};

export interface Authorization {
  begin(query: URLSearchParams): SandboxAnswer;
  chooseAccount(form: URLSearchParams): SandboxAnswer;
  decide(form: URLSearchParams): SandboxAnswer;
}

/** The maximum of sign-ins in progress; the oldest are dropped first. */
const MOST_TRANSACTIONS = 1000;

/** Mistakes of the app get a page (RFC 6749 §4.1.2.1): the user is not redirected to an unverified address. */
export function authorization(deps: AuthorizeDeps): Authorization {
  const { store, tokens, apps } = deps;
  const transactions = new Map<string, Transaction>();
  const frameOf = (id: string, { redirectUri }: Transaction): PageFrame => ({
    transaction: id,
    callbackOrigin: new URL(redirectUri).origin,
  });
  const transactionOf = (form: URLSearchParams): [string, Transaction] => {
    const id = form.get('transaction') ?? '';
    const transaction = transactions.get(id);
    if (transaction === undefined) {
      throw new SandboxRefusal(
        400,
        'invalid_request',
        'This sign-in is over. Go back to the app and start again.',
      );
    }
    return [id, transaction];
  };
  const afterAccount = (id: string, transaction: Transaction, person: GooglePerson): SandboxAnswer => {
    transaction.person = person;
    const { app, scopes, prompts } = transaction;
    const granted = tokens.granted(person.email, app.clientId);
    // A person who consented to all of it before is not asked again, and then no refresh token is issued.
    if (!prompts.includes('consent') && scopes.every((scope) => granted.includes(scope))) {
      transactions.delete(id);
      return answerCode({ ...transaction, person, offline: false }, scopes, deps);
    }
    const grantedBefore = transaction.includeGranted ? granted : [];
    const input = { person, appName: app.name ?? app.clientId, scopes, granted: grantedBefore };
    return consentPage(input, frameOf(id, transaction));
  };

  return {
    begin(query) {
      const transaction = readRequest(query, apps);
      const id = randomText(40);
      transactions.set(id, transaction);
      for (const oldest of transactions.keys()) {
        if (transactions.size <= MOST_TRANSACTIONS) break;
        transactions.delete(oldest);
      }
      const hinted = store.people.get(query.get('login_hint') ?? '');
      if (hinted !== undefined && !transaction.prompts.includes('select_account')) {
        return afterAccount(id, transaction, hinted);
      }
      return accountPage([...store.people.values()], frameOf(id, transaction));
    },
    chooseAccount(form) {
      const [id, transaction] = transactionOf(form);
      const person = store.people.get(form.get('account') ?? '');
      if (person === undefined)
        throw new SandboxRefusal(400, 'invalid_request', 'Couldn’t find your account');
      return afterAccount(id, transaction, person);
    },
    decide(form) {
      const [id, transaction] = transactionOf(form);
      const { person, scopes, app } = transaction;
      if (person === undefined) throw new SandboxRefusal(400, 'invalid_request', 'No account was chosen');
      transactions.delete(id);
      if (form.get('decision') !== 'continue')
        return redirected(transaction, { error: 'access_denied' }, deps);
      const ticked = form.getAll('scope');
      const before = transaction.includeGranted ? tokens.granted(person.email, app.clientId) : [];
      const accepted = scopes.filter(
        (scope) => SCOPES.get(scope) === undefined || ticked.includes(scope) || before.includes(scope),
      );
      return answerCode({ ...transaction, person }, accepted, deps);
    },
  };
}

function readRequest(query: URLSearchParams, apps: ReadonlyMap<string, GoogleApp>): Transaction {
  const missing = (name: string) =>
    new SandboxRefusal(400, 'invalid_request', `Missing required parameter: ${name}`);
  const clientId = query.get('client_id');
  if (!clientId) throw missing('client_id');
  const app = apps.get(clientId);
  if (app === undefined) throw new SandboxRefusal(401, 'invalid_client', 'The OAuth client was not found.');
  const redirectUri = query.get('redirect_uri');
  if (!redirectUri) throw missing('redirect_uri');
  if (!app.redirectUris.includes(redirectUri)) {
    const message = `You can’t sign in because the app sent an invalid request: it may not be sent back to ${redirectUri}`;
    throw new SandboxRefusal(400, 'redirect_uri_mismatch', message);
  }
  if (query.get('response_type') !== 'code') {
    throw new SandboxRefusal(400, 'unsupported_response_type', 'response_type is to be code');
  }
  const text = query.get('scope');
  if (!text) throw missing('scope');
  const scopes = scopesOf(text);
  if (scopes === undefined) {
    throw new SandboxRefusal(400, 'invalid_scope', `Some requested scopes were invalid: ${text}`);
  }
  const codeChallenge = query.get('code_challenge') ?? undefined;
  const challengeMethod = query.get('code_challenge_method') ?? 'plain';
  if (codeChallenge !== undefined && challengeMethod !== 'S256') {
    throw new SandboxRefusal(400, 'invalid_request', 'Only code_challenge_method=S256 is supported here');
  }
  return {
    app,
    redirectUri,
    scopes,
    codeChallenge,
    state: query.get('state') ?? undefined,
    nonce: query.get('nonce') ?? undefined,
    offline: query.get('access_type') === 'offline',
    prompts: (query.get('prompt') ?? '').split(' '),
    includeGranted: query.get('include_granted_scopes') === 'true',
  };
}

function answerCode(
  transaction: Transaction & { readonly person: GooglePerson },
  accepted: readonly string[],
  deps: AuthorizeDeps,
): SandboxAnswer {
  const { app, person, redirectUri, codeChallenge, nonce, prompts, includeGranted } = transaction;
  const before = deps.tokens.granted(person.email, app.clientId);
  // Without prompt=consent a refresh token comes only with the first consent.
  const offline = transaction.offline && (prompts.includes('consent') || before.length === 0);
  const scopes = includeGranted ? [...new Set([...before, ...accepted])] : accepted;
  const { clientId } = app;
  const code = { user: person.email, clientId, scopes, redirectUri, codeChallenge, nonce, offline };
  return redirected(transaction, { code: deps.tokens.issueCode(code), scope: scopes.join(' ') }, deps);
}

/** Redirects back to the app. No source confirms that Google adds `iss` (RFC 9207). */
function redirected(
  { redirectUri, state }: Transaction,
  parameters: Readonly<Record<string, string>>,
  { issuer }: AuthorizeDeps,
): SandboxAnswer {
  const target = new URL(redirectUri);
  const all = { ...(state === undefined ? {} : { state }), iss: issuer(), ...parameters };
  for (const [name, value] of Object.entries(all)) target.searchParams.append(name, value);
  return {
    status: 303,
    headers: { location: target.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  };
}
