/** Previews of the Connect pages: the same components with an invented user. Their links and forms do nothing. */
import type { TypedLook } from '../../administration/application-look.ts';
import type { Theme } from '../../branding/branding.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../../calendars/provider-facts.ts';
import type { AccountView } from '../../connect/accounts/account-views.ts';
import type { AuthorizationRequest } from '../../connect/flow/authorization-request-store.ts';
import { ConnectError } from '../../connect/flow/connect-error.ts';
import type { Appearance } from '../../connect/pages/appearance.ts';
import { errorPage } from '../../connect/pages/error.page.ts';
import { passwordFormPage } from '../../connect/pages/password-form.page.ts';
import { providerSelectionPage } from '../../connect/pages/provider-selection.page.ts';
import { trusted } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Client } from '../../oauth/client.ts';

/** The pages that have a preview, in the order of a flow. */
export const PREVIEW_PAGES = ['selection', 'consent', 'sign_in', 'error'] as const;
export type PreviewPage = (typeof PREVIEW_PAGES)[number];

export type PreviewWish = {
  readonly page: PreviewPage;
  readonly language: string;
  readonly scheme: 'light' | 'dark';
  readonly width: 'phone' | 'desktop';
  /** The stored values, or the approved ones that users see until a review ends. */
  readonly values: 'set' | 'seen';
  readonly draft: (TypedLook & { readonly theme: Theme }) | undefined;
};

export function previewQuery({ draft, ...wish }: PreviewWish): string {
  const drafted = draft && {
    draft: 'yes',
    primary_color: draft.primaryColor,
    theme: draft.theme,
    enabled: draft.enabled ? 'yes' : 'no',
    footer: draft.hideFooter ? 'no' : 'yes',
  };
  return String(new URLSearchParams({ ...wish, ...drafted }));
}

type PreviewParts = {
  readonly client: Pick<Client, 'clientId' | 'redirectUri'>;
  readonly page: PreviewPage;
  readonly offered: readonly ProviderKind[];
};

/** Renders the page. Its links and forms lead nowhere, even if a browser ignores `inert`. */
export function previewPage(parts: PreviewParts, appearance: Appearance): Page {
  const { document, policy } = renderSamplePage(parts, appearance);
  // The template escapes quotes and angle brackets in attribute values, so this expression is safe.
  const nowhere = document.markup.replace(/(<(?:a|form)\b[^>]*?\s(?:href|action)=")[^"]*"/g, '$1#"');
  return { document: trusted(nowhere), policy };
}

function renderSamplePage({ client, page, offered }: PreviewParts, appearance: Appearance): Page {
  const request = { ...SAMPLE_REQUEST, ...client, language: appearance.messages.language };
  const selection = {
    ...{
      request,
      others: [],
      loading: SAMPLE_LOADING,
      limit: undefined,
      isManaging: false,
      happened: undefined,
    },
    providers: offered.map((kind) => ({ kind, available: true })),
  };
  switch (page) {
    case 'selection':
      return providerSelectionPage({ ...selection, accounts: [], ending: 'none' }, appearance);
    case 'consent': {
      const account = { ...SAMPLE_ACCOUNT, provider: offered[0] ?? SAMPLE_ACCOUNT.provider };
      return providerSelectionPage({ ...selection, accounts: [account], ending: 'allow' }, appearance);
    }
    case 'sign_in': {
      const typed = { server: '', username: '', address: '' };
      const form = { problem: undefined, chosen: undefined, preset: undefined, accountKey: undefined };
      return passwordFormPage(
        { ...form, kind: 'apple', mode: 'email', request, typed, confirm: undefined, reconnects: undefined },
        appearance,
      );
    }
    case 'error': {
      const error = new ConnectError('session_expired', {});
      return errorPage({ error, request: undefined, reference: '', settings: undefined }, appearance);
    }
    default:
      return page satisfies never;
  }
}

const SAMPLE_REQUEST: AuthorizationRequest = {
  transactionId: 'preview',
  issuer: 'default',
  clientId: '',
  userId: 'ada-1815',
  redirectUri: '',
  scope: 'read-write',
  state: undefined,
  codeChallenge: undefined,
  resource: undefined,
  language: 'en',
  theme: undefined,
  display: 'page',
  providers: PROVIDER_KINDS,
  query: '',
  secretHash: '',
  isPushed: false,
  isVouched: false,
  userName: undefined,
  loginHint: undefined,
  allowedAt: undefined,
  hasDisconnected: false,
  wasSentAhead: false,
  reconnects: undefined,
  formToken: 'preview',
  status: 'open',
  createdAt: 0,
};

const SAMPLE_LOADING = new Map([['preview', { isListed: true, calendars: 3, loaded: 3 }]]);

const SAMPLE_ACCOUNT: AccountView = {
  accountKey: 'preview',
  againKey: undefined,
  provider: 'google',
  isCalendarLink: false,
  name: 'ada@example.com',
  isManageable: true,
  isProved: true,
  isUnfinished: true,
  givenScope: undefined,
  isNew: true,
  problem: undefined,
};
