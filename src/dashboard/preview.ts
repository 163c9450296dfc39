/** Previews of an application's Connect pages, rendered from the same components with an invented user. */
import { effectiveBranding, parseTheme } from '../branding/branding.ts';
import type { BrandingStore } from '../branding/branding-store.ts';
import { readPrimaryColor } from '../branding/look-input.ts';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import { chooseLanguage } from '../connect/messages/messages.ts';
import { buildAppearance } from '../connect/pages/appearance.ts';
import type { Page } from '../http/page.ts';
import { ApiError } from '../http/refusal.ts';
import type { Client } from '../oauth/client.ts';
import type { VerificationStore } from '../verification/verification-store.ts';
import { findVisibleBranding, presentLook, type VisibleBranding } from '../verification/visible-branding.ts';
import { PREVIEW_PAGES, type PreviewWish, previewPage } from './pages/preview.page.ts';

export type PreviewDeps = {
  readonly branding: Pick<BrandingStore, 'findLook'>;
  readonly verification: Pick<VerificationStore, 'findVerification'>;
  readonly operatorName: string | undefined;
};

/** Reads the preview options from the query. An invalid value counts as absent. */
export function readPreviewWish(query: (name: string) => string): PreviewWish {
  const scheme = parseTheme(query('scheme')) ?? 'light';
  return {
    page: PREVIEW_PAGES.find((page) => page === query('page')) ?? 'selection',
    language: chooseLanguage({ named: query('language'), acceptLanguage: undefined }),
    scheme: scheme === 'auto' ? 'light' : scheme,
    width: query('width') === 'desktop' ? 'desktop' : 'phone',
    values: query('values') === 'seen' ? 'seen' : 'set',
    draft: query('draft') === 'yes' ? readDraft(query) : undefined,
  };
}

function readDraft(query: (name: string) => string): NonNullable<PreviewWish['draft']> {
  return {
    enabled: query('enabled') === 'yes',
    primaryColor: query('primary_color').trim().slice(0, 20),
    theme: parseTheme(query('theme')) ?? 'auto',
    hideFooter: query('footer') !== 'yes',
  };
}

export async function renderPreview(client: Client, wish: PreviewWish, deps: PreviewDeps): Promise<Page> {
  const look = withDraft(await findBranding(client.clientId, wish, deps), wish);
  // A scheme that the application sets wins over the device's, as it does for users.
  const reader = { language: wish.language, theme: undefined, remembered: wish.scheme };
  const appearance = await buildAppearance(look, reader, deps);
  const offered = PROVIDER_KINDS.filter((kind) => client.providers?.includes(kind) ?? true);
  return previewPage({ client, page: wish.page, offered }, { ...appearance, isPreview: true });
}

async function findBranding(
  clientId: string,
  { values }: PreviewWish,
  deps: PreviewDeps,
): Promise<VisibleBranding | undefined> {
  if (values === 'seen') return findVisibleBranding(clientId, deps);
  const [look, verification] = await Promise.all([
    deps.branding.findLook(clientId),
    deps.verification.findVerification(clientId),
  ]);
  return verification && presentLook(look, verification);
}

/** Replaces saved branding with the unsaved draft. An invalid color changes nothing. */
function withDraft(look: VisibleBranding | undefined, { draft }: PreviewWish): VisibleBranding | undefined {
  if (look === undefined || draft === undefined) return look;
  const color = draft.primaryColor === '' ? undefined : parseDraftColor(draft.primaryColor);
  const primaryColor = draft.primaryColor !== '' && color === undefined ? look.branding.primaryColor : color;
  return { ...look, branding: effectiveBranding({ ...look.branding, ...draft, primaryColor }) };
}

function parseDraftColor(text: string): string | undefined {
  try {
    return readPrimaryColor(text);
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal;
    return undefined;
  }
}
