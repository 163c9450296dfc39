/** `--logo` and the like: how an application looks on the Connect pages, and who helps its users. */
import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';

import { logoPath, THEMES } from '../branding/branding.ts';
import type { ApplicationLook, LogoImage, LookChange } from '../branding/branding-store.ts';
import { fetchLogo } from '../branding/fetch-logo.ts';
import { logoImage, MOST_LOGO_BYTES } from '../branding/logo-image.ts';
import {
  readApplicationUrl,
  readPrimaryColor,
  readPrivacyUrl,
  readSupportEmail,
  readSupportUrl,
  readTermsUrl,
} from '../branding/look-input.ts';
import type { Config } from '../config/config.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { type CommandOption, type Input, unreadableFile } from './command.ts';
import { oneOf } from './option-values.ts';

export const BRANDING_OPTIONS: readonly CommandOption[] = [
  {
    name: 'logo',
    value: 'FILE|URL',
    doc: 'PNG, JPEG, WebP or SVG of at most 5 MB, or an https address of at most 2 MB that is fetched now; square looks best.',
  },
  {
    name: 'dark-logo',
    value: 'FILE|URL',
    doc: 'The same for dark pages; without one the logo serves there too.',
  },
  {
    name: 'primary-color',
    value: "'#RRGGBB'",
    doc: 'Of buttons and links; its lightness is moved where it could not be read. Quote it: # begins a comment.',
  },
  {
    name: 'theme',
    value: THEMES.join('|'),
    doc: "`auto`, the default, follows the user's choice or device.",
  },
  { name: 'footer', value: 'on|off', doc: 'Whether pages name Kalends at their end; `on` by default.' },
  { name: 'branding', value: 'on|off', doc: '`off` shows the default look and loses nothing that is set.' },
  {
    name: 'application-url',
    value: 'URL',
    doc: 'The https page where the application is found; needed to submit it for review.',
  },
  { name: 'support-email', value: 'ADDRESS', doc: 'Where error pages send people for help.' },
  { name: 'support-url', value: 'URL', doc: 'The same as an https page.' },
  {
    name: 'privacy-url',
    value: 'URL',
    doc: "What it says of its users' data, an https page; linked where they consent.",
  },
  { name: 'terms-url', value: 'URL', doc: 'Its terms of use, an https page; linked beside it.' },
];

type Options = Input['options'];

/**
 * Reads the options and the logos they name; an absent option is `undefined`. Throws a sentence about the first invalid
 * one.
 */
export async function readLookChange(options: Options, config: () => Config): Promise<LookChange> {
  const change = {
    enabled: switchOf(options, 'branding'),
    primaryColor: readText(options['primary-color'], readPrimaryColor),
    theme: oneOf(options, 'theme', THEMES),
    hideFooter: invert(switchOf(options, 'footer')),
    applicationUrl: readText(options['application-url'], readApplicationUrl),
    supportEmail: readText(options['support-email'], readSupportEmail),
    supportUrl: readText(options['support-url'], readSupportUrl),
    privacyUrl: readText(options['privacy-url'], readPrivacyUrl),
    termsUrl: readText(options['terms-url'], readTermsUrl),
  };
  // Last, since these take longest.
  return {
    ...change,
    logo: await readLogo(options.logo, 'logo', config),
    darkLogo: await readLogo(options['dark-logo'], 'dark logo', config),
  };
}

/** Whether it changes anything. */
export const changesLook = (change: LookChange): boolean =>
  Object.values(change).some((value) => value !== undefined);

/** The look, for documents and rows; `url` is the instance's own. */
export function describeLook({ branding, facts }: ApplicationLook, url: string) {
  const addressOf = (logo: typeof branding.logo) => (logo === undefined ? null : url + logoPath(logo));
  const [logo, darkLogo] = [addressOf(branding.logo), addressOf(branding.darkLogo)];
  return {
    document: {
      branding: {
        enabled: branding.enabled,
        logo_url: logo,
        dark_logo_url: darkLogo,
        primary_color: branding.primaryColor ?? null,
        theme: branding.theme,
        hide_footer: branding.hideFooter,
      },
      application_url: facts.applicationUrl ?? null,
      support_email: facts.supportEmail ?? null,
      support_url: facts.supportUrl ?? null,
      privacy_url: facts.privacyUrl ?? null,
      terms_url: facts.termsUrl ?? null,
    },
    rows: [
      ['branding', branding.enabled ? 'on' : 'off'],
      ['logo', logo ?? '(none)'],
      ['dark logo', darkLogo ?? (logo === null ? '(none)' : '(the logo)')],
      ['primary color', branding.primaryColor ?? '(the default)'],
      ['theme', branding.theme],
      ['footer', branding.hideFooter ? 'off' : 'on'],
      ['application URL', facts.applicationUrl ?? '(none)'],
      ['support e-mail', facts.supportEmail ?? '(none)'],
      ['support URL', facts.supportUrl ?? '(none)'],
      ['privacy URL', facts.privacyUrl ?? '(none)'],
      ['terms URL', facts.termsUrl ?? '(none)'],
    ],
  };
}

type Value = Options[string] | undefined;

/** An empty value empties the field. */
function readText(value: Value, read: (text: string) => string): string | null | undefined {
  if (typeof value !== 'string') return undefined;
  return value === '' ? null : read(value);
}

function switchOf(options: Options, name: string): boolean | undefined {
  const value = oneOf(options, name, ['on', 'off']);
  return value === undefined ? undefined : value === 'on';
}

const invert = (value: boolean | undefined): boolean | undefined =>
  value === undefined ? undefined : !value;

async function readLogo(
  value: Value,
  name: string,
  config: () => Config,
): Promise<LogoImage | null | undefined> {
  if (typeof value !== 'string') return undefined;
  if (value === '') return null;
  const bytes = /^https?:/i.test(value)
    ? await downloadLogo(value, name, config())
    : await readLogoFile(value);
  return logoImage(bytes, name);
}

async function downloadLogo(url: string, name: string, { privateNetwork }: Config): Promise<Uint8Array> {
  const egress = lazyEgress({ privateNetwork });
  try {
    return await fetchLogo({ url }, name, egress);
  } finally {
    await egress.close();
  }
}

/** At most one byte more than a logo may have: enough to see that it is too large. */
async function readLogoFile(file: string): Promise<Uint8Array> {
  try {
    return await buffer(createReadStream(file, { end: MOST_LOGO_BYTES }));
  } catch (cause) {
    throw unreadableFile('unreadable_logo', file, cause);
  }
}
