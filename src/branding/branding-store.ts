import type { ChangeTerms } from '../audit/audit-entry.ts';
import type { ApplicationFacts, Branding, Fact, Logo } from './branding.ts';

export type ApplicationLook = { readonly branding: Branding; readonly facts: ApplicationFacts };

export type LogoImage = { readonly webp: Uint8Array };

/** Settings to change. `undefined` keeps a value, `null` clears it. */
export type LookChange = {
  readonly enabled?: boolean | undefined;
  readonly logo?: LogoImage | null | undefined;
  readonly darkLogo?: LogoImage | null | undefined;
  readonly primaryColor?: string | null | undefined;
  readonly theme?: Branding['theme'] | undefined;
  readonly hideFooter?: boolean | undefined;
} & { readonly [F in Fact]?: string | null | undefined };

/** `ifVersion`: the change is refused with ApiError 412 `changed_meanwhile` if the application has another version. */
export type EditTerms = ChangeTerms & { readonly ifVersion?: number | undefined };

/** The store of the branding, logos and support contacts of applications. */
export interface BrandingStore {
  /** Returns the settings of an application; the defaults if it has set nothing or does not exist. */
  findLook(clientId: string): Promise<ApplicationLook>;

  /**
   * Applies all of `change` in one transaction; concurrent changes do not undo each other. A changed reviewed value
   * makes the step `edit` (verification/review-states.ts). Returns `undefined` if the application does not exist.
   */
  changeLook(clientId: string, change: LookChange, terms: EditTerms): Promise<ApplicationLook | undefined>;

  /** Returns the version of the application: each change of its settings, branding, provider apps or secrets increases it. */
  findVersion(clientId: string): Promise<number | undefined>;

  /** Returns a logo that an application uses or had approved. It is deleted when neither is true any more. */
  findLogo(hash: Logo['hash']): Promise<LogoImage | undefined>;
}
