/**
 * Microsoft on loopback: the identity platform and Graph v1.0 on one origin. Comments say so if no source confirms a
 * behavior.
 */
import { idTokenSigner } from '../core/id-token-signer.ts';
import type { ProviderSandbox, SandboxDeps } from '../core/provider-sandbox.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import {
  type SandboxRequest,
  type SandboxServerOptions,
  startSandboxServer,
} from '../core/sandbox-server.ts';
import type { ShownMessage } from '../core/sent-messages.page.ts';
import { aadstsBody, codeOf, identityJson, oauthError } from './aadsts.ts';
import type { Apps, MicrosoftApp } from './app-registration.ts';
import { type DeltaTokenState, deltaTokens } from './delta-tokens.ts';
import { type Directory, emptyDirectory, findAccount } from './directory.ts';
import { microsoftEventEditor } from './event-editor.ts';
import { graphOperation } from './graph.ts';
import { graphErrorAnswer } from './graph-error.ts';
import type { GraphDeps } from './graph-request.ts';
import { identityOperation, isIdentityOperation } from './identity.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { mailboxConcurrency } from './mailbox-concurrency.ts';
import { mailboxStore } from './mailbox-store.ts';
import { manualAdministration } from './manual-administration.ts';
import { manualCalendars } from './manual-calendars.ts';
import type { ManualChangesDeps, MicrosoftManualChanges } from './manual-changes.ts';
import { manualEvents } from './manual-events.ts';
import { manualItems } from './manual-items.ts';
import { type MicrosoftTokenState, microsoftTokens, noMicrosoftTokens } from './microsoft-tokens.ts';
import { errorPage } from './sign-in.page.ts';
import { openSubscriptions, type StoredSubscription } from './subscriptions.ts';

/**
 * The whole state of the sandbox, as structured data. Each account or event is one shared object in all of it, and must
 * stay one.
 */
export type MicrosoftState = {
  readonly directory: Directory;
  readonly tokens: MicrosoftTokenState;
  readonly subscriptions: Map<string, StoredSubscription>;
  readonly deltas: DeltaTokenState;
  readonly sent?: ShownMessage[];
};

const emptyState = (): MicrosoftState => ({
  directory: emptyDirectory(),
  tokens: noMicrosoftTokens(),
  subscriptions: new Map(),
  deltas: new Map(),
});

export type MicrosoftSandbox = ProviderSandbox & {
  readonly kind: 'microsoft';
  readonly manual: MicrosoftManualChanges;
  /** `${origin}/common/v2.0`, for KALENDS_MICROSOFT_ISSUER. */
  readonly issuer: string;
  /** `${origin}/v1.0`, for KALENDS_MICROSOFT_API_URL. */
  readonly apiUrl: string;
  /** Registers an app, or changes one: its secret, its redirect URIs, its secret's expiry. */
  registerApp(app: MicrosoftApp): void;
  /** Sets the longest lifetime of a new subscription, in minutes. */
  limitSubscriptions(minutes: number): void;
  /** Returns the current state, not a copy. */
  state(): MicrosoftState;
  /** Resolves when every change notification that is due was delivered or given up. */
  notificationsSettled(): Promise<void>;
};

export type MicrosoftSandboxOptions = SandboxDeps & {
  /** Any free one when absent. */
  readonly port?: number;
  readonly apps?: readonly MicrosoftApp[];
  /** The state of an earlier sandbox; empty if absent. */
  readonly state?: MicrosoftState | undefined;
};

/** Starts the sandbox's Microsoft on 127.0.0.1, without people. */
export async function microsoftSandbox(options: MicrosoftSandboxOptions): Promise<MicrosoftSandbox> {
  const { clock, faults, beforeAnswer, port, apps = [], state = emptyState() } = options;
  const now = () => clock.now();
  const concurrency = mailboxConcurrency(faults);
  const { directory } = state;
  const sent = state.sent ?? [];
  const registered: Apps = new Map(apps.map((app) => [app.clientId, app]));
  const tokens = microsoftTokens(now, state.tokens);
  const subscriptions = openSubscriptions({ faults, now, subscriptions: state.subscriptions });
  const store = mailboxStore((change) => subscriptions.changed(change));
  const deltas = deltaTokens(state.deltas);
  let longestSubscription = LONGEST_SUBSCRIPTION;
  // No request arrives before the server listens.
  const origin = (): string => server.origin;
  const identity: IdentityDeps = {
    clock,
    directory,
    apps: registered,
    tokens,
    signer: idTokenSigner(),
    origin,
  };
  const graph: GraphDeps = {
    now,
    origin,
    longestSubscription: () => longestSubscription,
    store,
    deltas,
    subscriptions,
    sent,
    findAccount: (email) => findAccount(directory, email),
  };
  const route = (request: SandboxRequest) =>
    concurrency.counted(
      identityOperation(request, identity) ?? graphOperation(request, tokens, graph) ?? nowhere(),
    );
  const errorAnswer = errorAnswers(now, origin);
  const server = await startSandboxServer({
    kind: 'microsoft',
    faults: concurrency.faults,
    ...{ port, route, beforeAnswer },
    errorAnswer,
  });
  const manual: ManualChangesDeps = { directory, store, deltas, tokens, subscriptions, now, origin };

  return {
    kind: 'microsoft',
    origin: server.origin,
    issuer: `${server.origin}/common/v2.0`,
    apiUrl: `${server.origin}/v1.0`,
    manual: {
      ...manualCalendars(manual),
      ...manualEvents(manual),
      ...microsoftEventEditor(manual),
      ...manualItems(manual),
      ...manualAdministration(manual),
    },
    requests: (operation) => server.requests(operation),
    state: () => ({ ...state, sent }),
    sent: () => sent,
    registerApp: (app) => void registered.set(app.clientId, app),
    limitSubscriptions(minutes) {
      longestSubscription = minutes;
    },
    notificationsSettled: () => subscriptions.settled(),
    async close() {
      await subscriptions.close();
      await server.close();
    },
  };
}

/** The longest lifetime in minutes that Graph documents for calendars now; it was 4,230. */
const LONGEST_SUBSCRIPTION = 10_080;

function nowhere(): never {
  throw new SandboxRefusal(404, 'NotFound', 'There is nothing here.');
}

/**
 * Renders errors: as pages for people who sign in, in OAuth's form from the token endpoint, in Graph's own elsewhere.
 */
function errorAnswers(now: () => number, origin: () => string): SandboxServerOptions['errorAnswer'] {
  return ({ operation, status, reason, message }) => {
    if (!isIdentityOperation(operation)) {
      return graphErrorAnswer({ status, ...(reason && { reason }), ...(message && { message }) }, now());
    }
    const code = reason ?? 'AADSTS90033';
    if (operation.startsWith('authorize') || operation === 'adminconsent') {
      return errorPage(oauthError(code, now()).description, status);
    }
    const body =
      codeOf(code) === undefined
        ? { error: code, error_description: message ?? code }
        : aadstsBody(code, now(), origin());
    return identityJson(status, body);
  };
}
