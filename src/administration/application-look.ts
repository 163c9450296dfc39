/** How an application looks, as the dashboard sets it, and who may. The command line reads values by the same functions. */
import { parseTheme } from '../branding/branding.ts';
import type { BrandingStore, LookChange } from '../branding/branding-store.ts';
import { fetchLogo } from '../branding/fetch-logo.ts';
import type { LogoDrawing } from '../branding/logo-drawing.ts';
import { readPrimaryColor } from '../branding/look-input.ts';
import { apiMessage } from '../http/refusal.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may, mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';

export type ApplicationLookDeps = {
  readonly branding: Pick<BrandingStore, 'changeLook'>;
  readonly drawLogo: LogoDrawing;
  readonly egress: Egress;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** As the form has it: an empty colour is the default one. */
export type TypedLook = {
  readonly primaryColor: string;
  readonly theme: string;
  readonly enabled: boolean;
  readonly hideFooter: boolean;
};

/** What is wrong with a value, as a sentence; undefined for what was set. */
export type Problem = string | undefined;

/** Sets colour, theme, foot and the switch, or nothing. Throws PeopleRefusal. */
export async function changeApplicationLook(
  actor: Actor,
  { clientId, typed }: { readonly clientId: string; readonly typed: TypedLook },
  deps: ApplicationLookDeps,
): Promise<Problem> {
  mustBeAllowed(actor, 'application.change', clientId);
  const { primaryColor, theme, enabled, hideFooter } = typed;
  return problemOf(async () => {
    const color = primaryColor === '' ? null : readPrimaryColor(primaryColor);
    await change(clientId, { primaryColor: color, theme: parseTheme(theme), enabled, hideFooter }, deps);
  });
}

/** A logo, and what sentences call it. */
export const LOGOS = { logo: 'logo', darkLogo: 'dark logo' } as const;
export type LogoField = keyof typeof LOGOS;

export type LogoChange = {
  readonly clientId: string;
  readonly field: LogoField;
  /** One of the two, unless it is to be removed. */
  readonly file?: Uint8Array | undefined;
  readonly url?: string;
};

/** Draws and sets the picture that was sent, or that its address has. Throws PeopleRefusal. */
export async function setLogo(
  actor: Actor,
  { clientId, field, file, url = '' }: LogoChange,
  deps: ApplicationLookDeps,
): Promise<Problem> {
  mustBeAllowed(actor, 'application.change', clientId);
  const name = LOGOS[field];
  if (file === undefined && url === '') return 'Choose a picture, or give its address';
  if (file !== undefined && url !== '') return 'Choose a picture or give its address, not both';
  return problemOf(async () => {
    const publicOnly = !may(actor, 'endpoint.any_address', clientId);
    const bytes = file ?? (await fetchLogo({ url, publicOnly }, name, deps.egress));
    await change(clientId, { [field]: await deps.drawLogo(bytes, name) }, deps);
  });
}

/** Throws PeopleRefusal. */
export async function removeLogo(
  actor: Actor,
  { clientId, field }: Pick<LogoChange, 'clientId' | 'field'>,
  deps: Pick<ApplicationLookDeps, 'branding' | 'now'>,
): Promise<void> {
  mustBeAllowed(actor, 'application.change', clientId);
  await change(clientId, { [field]: null }, deps);
}

async function change(
  clientId: string,
  look: LookChange,
  { branding, now }: Pick<ApplicationLookDeps, 'branding' | 'now'>,
): Promise<void> {
  if ((await branding.changeLook(clientId, look, now())) === undefined) throw new PeopleRefusal('not_there');
}

/** What is typed wrong is told at its field; everything else that fails goes on. */
async function problemOf(set: () => Promise<void>): Promise<Problem> {
  try {
    await set();
    return undefined;
  } catch (refusal) {
    return apiMessage(refusal);
  }
}
