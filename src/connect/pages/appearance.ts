/**
 * In whose words and colours a page is shown: which language, theme and application's look it gets
 * (docs/wire.md 4.2, 4.3).
 */
import { brandColors, brandRule } from '../../branding/brand-colors.ts';
import {
  type ApplicationFacts,
  type Branding,
  DEFAULT_BRANDING,
  DEFAULT_FACTS,
  effectiveBranding,
  type Theme,
} from '../../branding/branding.ts';
import { findShownLook, type ShownLook } from '../../verification/shown-look.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { type Messages, messagesFor } from '../messages/messages.ts';

export type Appearance = {
  readonly messages: Messages;
  /** The scheme of colours; `auto` leaves it to the device. */
  readonly theme: Theme;
  /** Whether neither the request nor the application decides on the theme: then the reader may. */
  readonly isThemeOpen: boolean;
  readonly displayName: string | undefined;
  /** As it is in force: the default look where the application's is switched off. */
  readonly branding: Branding;
  /** The rule that puts its primary colour in the place of the stylesheet's own. */
  readonly brandRule: string | undefined;
  readonly facts: ApplicationFacts;
  /** Who connects the application to calendars: whoever runs this instance, else the program's own name. */
  readonly serviceName: string;
  /**
   * Who has not verified the application (docs/wire.md 4.4); `undefined` when nothing is to be said of that.
   */
  readonly unverifiedBy: string | undefined;
  /** Whether the page is shown for its look alone: then nothing of it can be used. */
  readonly isPreview?: boolean;
};

/** What stands for an operator who has set no name. */
const PROGRAM_NAME = 'Kalends';

/** How pages call the service, given the name its operator has set. */
export const serviceNameOf = (operatorName: string | undefined): string => operatorName ?? PROGRAM_NAME;

export type AppearanceDeps = Pick<ConnectDeps, 'branding' | 'verification' | 'operatorName'>;

/** Of an application that is not known. */
const NO_LOOK = {
  displayName: undefined,
  branding: DEFAULT_BRANDING,
  facts: DEFAULT_FACTS,
  isVerified: undefined,
} as const;

/** How a request's pages appear. `remembered` is the theme this browser's user chose before. */
export async function appearanceFor(
  { clientId, language, theme }: Pick<AuthorizationRequest, 'clientId' | 'language' | 'theme'>,
  remembered: Theme | undefined,
  deps: AppearanceDeps,
): Promise<Appearance> {
  const look = await findShownLook(clientId, deps);
  return appearanceOf(look, { language, theme, remembered }, deps);
}

/** In which language and colours a reader gets pages; `theme` is what was sent, `remembered` what they chose before. */
type Reader = Pick<AuthorizationRequest, 'language' | 'theme'> & { readonly remembered: Theme | undefined };

/** How pages of an application with that look appear; without one, as those of none that is known. */
export async function appearanceOf(
  look: ShownLook | undefined,
  { language, theme, remembered }: Reader,
  { operatorName }: Pick<ConnectDeps, 'operatorName'>,
): Promise<Appearance> {
  const { displayName, branding: set, facts, isVerified } = look ?? NO_LOOK;
  const branding = effectiveBranding(set);
  return {
    messages: messagesFor(language),
    theme: themeOf(theme, branding.theme, remembered),
    isThemeOpen: theme === undefined && branding.theme === 'auto',
    displayName,
    branding,
    brandRule: branding.primaryColor && brandRule(await brandColors(branding.primaryColor)),
    facts,
    serviceName: serviceNameOf(operatorName),
    unverifiedBy: isVerified === false ? operatorName : undefined,
  };
}

/**
 * docs/wire.md 4.3: what was sent, else what the application has set, else what the reader chose, else the
 * device.
 */
export function themeOf(sent: Theme | undefined, application: Theme, remembered: Theme | undefined): Theme {
  if (sent !== undefined) return sent;
  return application === 'auto' ? (remembered ?? 'auto') : application;
}
