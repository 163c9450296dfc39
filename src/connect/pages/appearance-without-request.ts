/** The appearance of a page without an authorization request, from its address and browser. */
import { DEFAULT_BRANDING, DEFAULT_FACTS, type Theme } from '../../branding/branding.ts';
import { type ReceivedQuery, scalar } from '../../http/received-query.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { readClientId, readTheme } from '../flow/authorize-request.ts';
import { chooseLanguage, messagesFor } from '../messages/messages.ts';
import { type Appearance, type AppearanceDeps, appearanceFor, chooseServiceName } from './appearance.ts';

export type WithoutRequest = {
  readonly query: ReceivedQuery;
  readonly acceptLanguage: string | undefined;
  readonly rememberedTheme: Theme | undefined;
};

/** Returns the appearance with the branding of the application in the address. */
export async function appearanceWithoutRequest(
  browser: WithoutRequest,
  deps: AppearanceDeps,
): Promise<Appearance> {
  // An unknown application has the default branding.
  const clientId = readClientId(browser.query) ?? '';
  return appearanceFor({ clientId, ...readPreferences(browser) }, browser.rememberedTheme, deps);
}

/** Returns the appearance without branding, for when that cannot be read. */
export function plainAppearance(
  browser: WithoutRequest,
  request: AuthorizationRequest | undefined,
  { operatorName }: Pick<AppearanceDeps, 'operatorName'>,
): Appearance {
  const { language, theme } = request ?? readPreferences(browser);
  return {
    messages: messagesFor(language),
    theme: theme ?? 'auto',
    isThemeOpen: false,
    displayName: undefined,
    branding: DEFAULT_BRANDING,
    brandRule: undefined,
    facts: DEFAULT_FACTS,
    serviceName: chooseServiceName(operatorName),
    unverifiedBy: undefined,
  };
}

const readPreferences = ({ query, acceptLanguage }: WithoutRequest) => ({
  language: chooseLanguage({ named: scalar(query, 'lng'), acceptLanguage }),
  theme: readTheme(query),
});
