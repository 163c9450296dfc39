/** Sample data for tests of the flow's pages: one application, one user, and accounts. */
import { DEFAULT_BRANDING, DEFAULT_FACTS } from '../../src/branding/branding.ts';
import { PROVIDER_KINDS } from '../../src/calendars/provider-facts.ts';
import type { AccountView } from '../../src/connect/accounts/account-views.ts';
import type { AuthorizationRequest } from '../../src/connect/flow/authorization-request-store.ts';
import { messagesFor } from '../../src/connect/messages/messages.ts';
import type { Appearance } from '../../src/connect/pages/appearance.ts';
import type { ProviderSelection } from '../../src/connect/pages/provider-selection.page.ts';
import type { Page } from '../../src/http/page.ts';

export const sampleRequest: AuthorizationRequest = {
  transactionId: 'TTTTTTTTTTTTTTTTTTTTTT',
  issuer: 'default',
  clientId: 'acme',
  userId: 'ada-1815',
  redirectUri: 'https://planner.acme.example/callback',
  scope: 'read',
  state: undefined,
  codeChallenge: undefined,
  resource: undefined,
  language: 'en',
  theme: undefined,
  display: 'page',
  providers: PROVIDER_KINDS,
  query: 'client_id=acme&user_id=ada-1815',
  secretHash: '',
  isPushed: false,
  isVouched: false,
  userName: undefined,
  loginHint: undefined,
  allowedAt: undefined,
  hasDisconnected: false,
  wasSentAhead: false,
  reconnects: undefined,
  formToken: 'form-token',
  status: 'open',
  createdAt: 0,
};

export const sampleAppearance: Appearance = {
  messages: messagesFor('en'),
  theme: 'auto',
  isThemeOpen: true,
  displayName: 'Acme Planner',
  branding: DEFAULT_BRANDING,
  brandRule: undefined,
  facts: DEFAULT_FACTS,
  serviceName: 'Kalends',
  unverifiedBy: undefined,
};

/** An account of the user that the application has. */
export const sampleAccount: AccountView = {
  accountKey: 'key-1',
  againKey: undefined,
  provider: 'google',
  isCalendarLink: false,
  name: 'ada@example.com',
  isManageable: true,
  isProved: true,
  isUnfinished: false,
  givenScope: 'read',
  isNew: false,
  problem: undefined,
};

/** An account that was linked in this transaction. */
export const newAccount: AccountView = {
  ...sampleAccount,
  accountKey: 'key-2',
  name: 'new@example.com',
  isUnfinished: true,
  givenScope: undefined,
  isNew: true,
};

/** An account that belongs to another user, as far as this transaction knows. */
export const foreignAccount: AccountView = {
  ...sampleAccount,
  accountKey: 'key-3',
  name: 'a•••@e•••.com',
  isManageable: false,
  isProved: false,
};

/** A published calendar that was linked in this transaction. */
export const newCalendarLink: AccountView = {
  ...newAccount,
  accountKey: 'key-4',
  provider: 'caldav',
  isCalendarLink: true,
  name: 'Holidays (calendars.example)',
};

/** The selection page of a user without accounts. */
export const sampleSelection: ProviderSelection = {
  request: sampleRequest,
  accounts: [],
  others: [],
  loading: new Map(),
  ending: 'none',
  limit: undefined,
  isManaging: false,
  providers: PROVIDER_KINDS.map((kind) => ({ kind, available: true })),
  happened: undefined,
};

/** Returns the text of a page's buttons, in order, without those in its footer. */
export const buttonsOf = ({ document }: Page): string[] =>
  [...mainOf(document.markup).matchAll(/<button[^>]*>(.*?)<\/button>/gs)].map(([, inside = '']) =>
    textOf(inside),
  );

/** Returns the text of a page between its header and footer. */
export const wordsOf = ({ document }: Page): string => textOf(mainOf(document.markup));

const mainOf = (markup: string): string => markup.slice(markup.indexOf('<main>'), markup.indexOf('</main>'));

/** Returns a page's markup with the escaped characters of links decoded. */
export const markupOf = ({ document }: Page): string =>
  document.markup.replaceAll('&#61;', '=').replaceAll(/&(amp|#38);/g, '&');

const textOf = (markup: string): string =>
  markup
    .replaceAll('<wbr>', '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
