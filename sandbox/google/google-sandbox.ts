/**
 * A Google on loopback: OAuth with its pages, OpenID Connect, and the Calendar API v3. Comments say so if no source
 * confirms a behavior.
 */
import { idTokenSigner } from '../core/id-token-signer.ts';
import type { ProviderSandbox, SandboxDeps } from '../core/provider-sandbox.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { startSandboxServer } from '../core/sandbox-server.ts';
import type { ShownMessage } from '../core/sent-messages.page.ts';
import { apiOperation } from './api-operations.ts';
import { type ChannelState, noChannels, openChannels } from './channels.ts';
import { type MeetBehaviour, meetMaker } from './conferences.ts';
import { googleEventEditor } from './event-editor.ts';
import { googleErrorAnswer } from './google-errors.ts';
import {
  type AccessRole,
  addCalendar,
  type GoogleStore,
  googleStore,
  type InstanceVersions,
  type NewCalendar,
  SOMEBODY,
} from './google-store.ts';
import { type GoogleApp, type GoogleTokenState, googleTokens, noGoogleTokens } from './google-tokens.ts';
import { type GoogleHabits, habitsOf } from './habits.ts';
import { type InvitationDraft, receiveInvitation, withInvitations } from './invitations.ts';
import { googleManualChanges, lookups } from './manual-changes.ts';
import { oauthOperations } from './oauth-operations.ts';

/** The whole state of the sandbox, as structured data. */
export type GoogleState = {
  readonly store: GoogleStore;
  readonly tokens: GoogleTokenState;
  readonly channels: ChannelState;
  readonly sent?: ShownMessage[];
};

export type GoogleSandboxOptions = {
  /** The state of an earlier sandbox; empty if absent. */
  readonly state?: GoogleState | undefined;
  readonly port?: number;
  /** The apps registered from the start. */
  readonly apps?: readonly GoogleApp[];
  readonly instanceVersions?: InstanceVersions;
  /**
   * The maximum of events in a page of events.list, which may have fewer than requested. Google's own 2,500 if absent.
   */
  readonly eventsPerPage?: number;
} & Partial<MeetBehaviour> &
  Partial<GoogleHabits>;

export interface GoogleSandbox extends ProviderSandbox {
  readonly kind: 'google';
  /** For KALENDS_GOOGLE_ISSUER: the origin. */
  readonly issuer: string;
  /** For KALENDS_GOOGLE_API_URL: the Calendar API's base. */
  readonly apiUrl: string;
  /** Returns the current state, not a copy. */
  state(): GoogleState;
  /** Another person invites the person, whose own calendar gets the event. Returns its id there. */
  receiveInvitation(email: string, draft: InvitationDraft): string;
  /** Another person shares a calendar with the person, in this role. Returns its id. */
  shareCalendar(email: string, calendar: NewCalendar & { readonly role: AccessRole }): string;
  /** Registers an app, or changes the one with this `clientId`: its secret, its addresses, its publishing status. */
  registerApp(app: GoogleApp): void;
}

/** Operations, for faults and counts: those of the API by Google's names, and discovery, certs, auth, token, revoke, userinfo, push. */
export async function googleSandbox(deps: SandboxDeps & GoogleSandboxOptions): Promise<GoogleSandbox> {
  const { clock, faults, beforeAnswer, port, apps: registered = [], eventsPerPage = 2500 } = deps;
  const { conferenceSolutions = ['hangoutsMeet'], keepsDescribed = true, meetDelayMs = 0 } = deps;
  const now = () => clock.now();
  const state = deps.state ?? {
    store: googleStore(deps.instanceVersions),
    tokens: noGoogleTokens(),
    channels: noChannels(),
  };
  const sent = deps.state?.sent ?? [];
  const { store } = state;
  const tokens = googleTokens(now, state.tokens);
  const channels = openChannels({ now, faults, state: state.channels });
  const meets = meetMaker({ conferenceSolutions, keepsDescribed, meetDelayMs }, channels, now);
  const apps = new Map(registered.map((app) => [app.clientId, app]));
  let origin = '';
  const issuer = () => origin;
  const oauth = oauthOperations({ store, tokens, apps, issuer, signer: idTokenSigner(), now });
  const habits = habitsOf(deps);
  const api = { store, tokens, channels, meets, now, origin: issuer, eventsPerPage, habits, sent };

  const changes = { store, tokens, channels, now };
  const server = await startSandboxServer({
    kind: 'google',
    ...{ faults, port, beforeAnswer },
    route(request) {
      const operation = oauth(request) ?? apiOperation(request, api);
      if (operation === undefined) throw new SandboxRefusal(404, 'notFound', 'Not Found');
      return operation;
    },
    errorAnswer: googleErrorAnswer,
  });
  origin = server.origin;

  return {
    kind: 'google',
    origin,
    issuer: origin,
    apiUrl: `${origin}/calendar/v3`,
    manual: {
      ...withInvitations(googleManualChanges(changes), habits, changes),
      ...googleEventEditor(changes),
    },
    requests: server.requests,
    state: () => ({ ...state, sent }),
    sent: () => sent,
    receiveInvitation: (email, draft) =>
      receiveInvitation({ email, calendarId: email }, draft, { store, channels, now }),
    shareCalendar: (email, calendar) =>
      addCalendar(store, lookups(store).personOf(email), { dataOwner: SOMEBODY, ...calendar }).id,
    registerApp: (app) => void apps.set(app.clientId, app),
    async close() {
      meets.close();
      channels.close();
      await server.close();
    },
  };
}
