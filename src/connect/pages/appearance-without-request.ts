/** How a page appears that belongs to no request: the address and the browser say it, and which application it is of. */
import { DEFAULT_BRANDING, DEFAULT_FACTS, type Theme } from '../../branding/branding.ts';
import { type ReceivedQuery, scalar } from '../../http/received-query.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { readClientId, readTheme } from '../flow/authorize-request.ts';
import { chooseLanguage, messagesFor } from '../messages/messages.ts';
import { type Appearance, type AppearanceDeps, appearanceFor, serviceNameOf } from './appearance.ts';

/** What a browser sends. */
export type WithoutRequest = {
  readonly query: ReceivedQuery;
  readonly acceptLanguage: string | undefined;
  /** The theme this browser's user chose before. */
  readonly rememberedTheme: Theme | undefined;
};

/** With the look of the application that the address names. */
export async function appearanceWithoutRequest(
  browser: WithoutRequest,
  deps: AppearanceDeps,
): Promise<Appearance> {
  // The application need not exist: an unknown one has the default look.
  const clientId = readClientId(browser.query) ?? '';
  return appearanceFor({ clientId, ...wishesOf(browser) }, browser.rememberedTheme, deps);
}

/** Without the application's look, for when that cannot be read. */
export function plainAppearance(
  browser: WithoutRequest,
  request: AuthorizationRequest | undefined,
  { operatorName }: Pick<AppearanceDeps, 'operatorName'>,
): Appearance {
  const { language, theme } = request ?? wishesOf(browser);
  return {
    messages: messagesFor(language),
    theme: theme ?? 'auto',
    isThemeOpen: false,
    displayName: undefined,
    branding: DEFAULT_BRANDING,
    brandRule: undefined,
    facts: DEFAULT_FACTS,
    serviceName: serviceNameOf(operatorName),
    unverifiedBy: undefined,
  };
}

const wishesOf = ({ query, acceptLanguage }: WithoutRequest) => ({
  language: chooseLanguage({ named: scalar(query, 'lng'), acceptLanguage }),
  theme: readTheme(query),
});
