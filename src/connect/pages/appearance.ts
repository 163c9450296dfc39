/** The appearance of a page: its language, theme and branding (docs/wire.md 4.2, 4.3). */
import { brandColors, brandRule } from '../../branding/brand-colors.ts';
import {
  type ApplicationFacts,
  type Branding,
  DEFAULT_BRANDING,
  DEFAULT_FACTS,
  effectiveBranding,
  type Theme,
} from '../../branding/branding.ts';
import { findVisibleBranding, type VisibleBranding } from '../../verification/visible-branding.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { type Messages, messagesFor } from '../messages/messages.ts';

export type Appearance = {
  readonly messages: Messages;
  /** `auto` leaves the color scheme to the device. */
  readonly theme: Theme;
  /** Whether the user may choose the theme, because neither request nor application sets it. */
  readonly isThemeOpen: boolean;
  readonly displayName: string | undefined;
  /** The branding in effect: the default one if the application's is disabled. */
  readonly branding: Branding;
  readonly brandRule: string | undefined;
  readonly facts: ApplicationFacts;
  /** The name of the operator of this instance, or of the program. */
  readonly serviceName: string;
  /** The operator who has not verified the application (docs/wire.md 4.4); `undefined` without that notice. */
  readonly unverifiedBy: string | undefined;
  readonly isPreview?: boolean;
};

const PROGRAM_NAME = 'Kalends';

export const chooseServiceName = (operatorName: string | undefined): string => operatorName ?? PROGRAM_NAME;

type AppearanceDeps = Pick<ConnectDeps, 'branding' | 'verification' | 'operatorName'>;

const NO_LOOK = {
  displayName: undefined,
  branding: DEFAULT_BRANDING,
  facts: DEFAULT_FACTS,
  isVerified: undefined,
} as const;

/** Returns the appearance of a request's pages. `remembered` is the theme that the user chose before. */
export async function appearanceFor(
  { clientId, language, theme }: Pick<AuthorizationRequest, 'clientId' | 'language' | 'theme'>,
  remembered: Theme | undefined,
  deps: AppearanceDeps,
): Promise<Appearance> {
  const look = await findVisibleBranding(clientId, deps);
  return buildAppearance(look, { language, theme, remembered }, deps);
}

/** The language and themes of a request: `theme` as sent, `remembered` as the user chose before. */
type Reader = Pick<AuthorizationRequest, 'language' | 'theme'> & { readonly remembered: Theme | undefined };

export async function buildAppearance(
  look: VisibleBranding | undefined,
  { language, theme, remembered }: Reader,
  { operatorName }: Pick<ConnectDeps, 'operatorName'>,
): Promise<Appearance> {
  const { displayName, branding: set, facts, isVerified } = look ?? NO_LOOK;
  const branding = effectiveBranding(set);
  return {
    messages: messagesFor(language),
    theme: chooseTheme(theme, branding.theme, remembered),
    isThemeOpen: theme === undefined && branding.theme === 'auto',
    displayName,
    branding,
    brandRule: branding.primaryColor && brandRule(await brandColors(branding.primaryColor)),
    facts,
    serviceName: chooseServiceName(operatorName),
    unverifiedBy: isVerified === false ? operatorName : undefined,
  };
}

/** Returns the theme as sent, else of the application, else as the user chose, else of the device (docs/wire.md 4.3). */
export const chooseTheme = (sent: Theme | undefined, application: Theme, remembered: Theme | undefined) =>
  sent ?? (application === 'auto' ? (remembered ?? 'auto') : application);

/** Returns the appearance without branding, for when that cannot be read. */
export async function plainAppearance(
  { language, theme }: Pick<AuthorizationRequest, 'language' | 'theme'>,
  deps: Pick<ConnectDeps, 'operatorName'>,
): Promise<Appearance> {
  const appearance = await buildAppearance(undefined, { language, theme, remembered: undefined }, deps);
  return { ...appearance, isThemeOpen: false };
}
