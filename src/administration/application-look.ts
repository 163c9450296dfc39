/** The branding of an application as the dashboard sets it, and who may. The CLI uses the same functions. */
import { parseTheme } from '../branding/branding.ts';
import type { BrandingStore, EditTerms, LookChange } from '../branding/branding-store.ts';
import { fetchLogo } from '../branding/fetch-logo.ts';
import type { LogoDrawing } from '../branding/logo-drawing.ts';
import { readPrimaryColor } from '../branding/look-input.ts';
import { SETTINGS } from '../branding/settings-error.ts';
import { ApiError } from '../http/refusal.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may, mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';

export type ApplicationLookDeps = Omit<EditTerms, 'now'> & {
  readonly branding: Pick<BrandingStore, 'changeLook'>;
  readonly drawLogo: LogoDrawing;
  readonly egress: Pick<Egress, 'request'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The values of the form: an empty color is the default one. */
export type TypedLook = {
  readonly primaryColor: string;
  readonly theme: string;
  readonly enabled: boolean;
  readonly hideFooter: boolean;
};

/** Sets color, theme, footer and the switch, or nothing; absent ones keep their values. Throws PeopleRefusal, and ApiError for a wrong value. */
export async function changeApplicationLook(
  actor: Actor,
  { clientId, typed }: { readonly clientId: string; readonly typed: Optional<TypedLook> },
  deps: Pick<ApplicationLookDeps, 'branding' | 'now' | 'by' | 'ifVersion'>,
): Promise<void> {
  mustBeAllowed(actor, 'application.change', clientId);
  const { primaryColor, theme, enabled, hideFooter } = typed;
  const color = primaryColor === '' ? null : primaryColor && readPrimaryColor(primaryColor);
  await change(clientId, { primaryColor: color, theme: parseTheme(theme), enabled, hideFooter }, deps);
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The logos, each with its name in sentences. */
export const LOGOS = { logo: 'logo', darkLogo: 'dark logo' } as const;
export type LogoField = keyof typeof LOGOS;

export type LogoChange = {
  readonly clientId: string;
  readonly field: LogoField;
  /** The uploaded picture; either this or `url` is required, except for removing the logo. */
  readonly file?: Uint8Array | undefined;
  readonly url?: string;
};

/** Renders and sets the uploaded picture, or the one at its address. Throws PeopleRefusal, and ApiError if it cannot. */
export async function setLogo(
  actor: Actor,
  { clientId, field, file, url = '' }: LogoChange,
  deps: ApplicationLookDeps,
): Promise<void> {
  mustBeAllowed(actor, 'application.change', clientId);
  const name = LOGOS[field];
  if (file === undefined && url === '') throw refusal('Choose an image, or enter its URL');
  if (file !== undefined && url !== '') throw refusal('Choose an image or enter its URL, not both');
  const publicOnly = !may(actor, 'endpoint.any_address', clientId);
  const bytes = file ?? (await fetchLogo({ url, publicOnly }, name, deps.egress));
  await change(clientId, { [field]: await deps.drawLogo(bytes, name) }, deps);
}

const refusal = (message: string) => new ApiError(SETTINGS.invalid_client_metadata, message);

export async function removeLogo(
  actor: Actor,
  { clientId, field }: Pick<LogoChange, 'clientId' | 'field'>,
  deps: Pick<ApplicationLookDeps, 'branding' | 'now' | 'by' | 'ifVersion'>,
): Promise<void> {
  mustBeAllowed(actor, 'application.change', clientId);
  await change(clientId, { [field]: null }, deps);
}

async function change(
  clientId: string,
  look: LookChange,
  { branding, now, by, ifVersion }: Pick<ApplicationLookDeps, 'branding' | 'now' | 'by' | 'ifVersion'>,
): Promise<void> {
  const changed = await branding.changeLook(clientId, look, { now: now(), by, ifVersion });
  if (changed === undefined) throw new PeopleRefusal('not_there');
}
