import type { ApplicationFacts, Branding, Fact, Logo } from './branding.ts';

export type ApplicationLook = { readonly branding: Branding; readonly facts: ApplicationFacts };

/** A picture as it is served: WebP. */
export type LogoImage = { readonly webp: Uint8Array };

/** `undefined` leaves a value as it is, `null` empties it. */
export type LookChange = {
  readonly enabled?: boolean | undefined;
  readonly logo?: LogoImage | null | undefined;
  readonly darkLogo?: LogoImage | null | undefined;
  readonly primaryColor?: string | null | undefined;
  readonly theme?: Branding['theme'] | undefined;
  readonly hideFooter?: boolean | undefined;
} & { readonly [F in Fact]?: string | null | undefined };

/** How applications look: their branding, pictures and support contacts. */
export interface BrandingStore {
  /** What an application has set; the defaults when it has set nothing or is not known. */
  findLook(clientId: string): Promise<ApplicationLook>;

  /**
   * One transaction: all of `change` or nothing, and changes made at once lose none of each other. A reviewed value that
   * is another afterwards ends or takes back the application's review (verification/review-states.ts).
   * `undefined` when there is no such application. `now` is epoch milliseconds.
   */
  changeLook(clientId: string, change: LookChange, now: number): Promise<ApplicationLook | undefined>;

  /** A picture that an application uses, or had approved. It goes when neither is so any more. */
  findLogo(hash: Logo['hash']): Promise<LogoImage | undefined>;
}
