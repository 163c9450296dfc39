/** The branding of an application as the dashboard sets it, and who may. The CLI uses the same functions. */
import type { By } from '../audit/audit-entry.ts';
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

export type ApplicationLookDeps = By & {
  readonly branding: Pick<BrandingStore, 'changeLook'>;
  readonly drawLogo: LogoDrawing;
  readonly egress: Egress;
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

/** The problem of a value as a sentence, or undefined if the value was set. */
export type Problem = string | undefined;

/** Sets color, theme, footer and the switch, or nothing. Throws PeopleRefusal. */
export async function changeApplicationLook(
  actor: Actor,
  { clientId, typed }: { readonly clientId: string; readonly typed: TypedLook },
  deps: ApplicationLookDeps,
): Promise<Problem> {
  mustBeAllowed(actor, 'application.change', clientId);
  const { primaryColor, theme, enabled, hideFooter } = typed;
  return catchProblem(async () => {
    const color = primaryColor === '' ? null : readPrimaryColor(primaryColor);
    await change(clientId, { primaryColor: color, theme: parseTheme(theme), enabled, hideFooter }, deps);
  });
}

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

/** Renders and sets the uploaded picture, or the one at its address. Throws PeopleRefusal. */
export async function setLogo(
  actor: Actor,
  { clientId, field, file, url = '' }: LogoChange,
  deps: ApplicationLookDeps,
): Promise<Problem> {
  mustBeAllowed(actor, 'application.change', clientId);
  const name = LOGOS[field];
  if (file === undefined && url === '') return 'Choose an image, or enter its URL';
  if (file !== undefined && url !== '') return 'Choose an image or enter its URL, not both';
  return catchProblem(async () => {
    const publicOnly = !may(actor, 'endpoint.any_address', clientId);
    const bytes = file ?? (await fetchLogo({ url, publicOnly }, name, deps.egress));
    await change(clientId, { [field]: await deps.drawLogo(bytes, name) }, deps);
  });
}

export async function removeLogo(
  actor: Actor,
  { clientId, field }: Pick<LogoChange, 'clientId' | 'field'>,
  deps: Pick<ApplicationLookDeps, 'branding' | 'now' | 'by'>,
): Promise<void> {
  mustBeAllowed(actor, 'application.change', clientId);
  await change(clientId, { [field]: null }, deps);
}

async function change(
  clientId: string,
  look: LookChange,
  { branding, now, by }: Pick<ApplicationLookDeps, 'branding' | 'now' | 'by'>,
): Promise<void> {
  const changed = await branding.changeLook(clientId, look, { now: now(), by });
  if (changed === undefined) throw new PeopleRefusal('not_there');
}

/** Returns the message of an invalid value for its field; any other error is thrown. */
async function catchProblem(set: () => Promise<void>): Promise<Problem> {
  try {
    await set();
    return undefined;
  } catch (refusal) {
    return apiMessage(refusal);
  }
}
