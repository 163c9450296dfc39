/** `--logo` and the like: how an application looks on the Connect pages, and who helps its users. */
import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';

import { FACTS, TEXT_SETTINGS } from '../administration/documents/application-settings.ts';
import { type Fact, THEMES } from '../branding/branding.ts';
import type { LogoImage, LookChange } from '../branding/branding-store.ts';
import { fetchLogo } from '../branding/fetch-logo.ts';
import { logoImage, MOST_LOGO_BYTES } from '../branding/logo-image.ts';
import { readFact, readPrimaryColor } from '../branding/look-input.ts';
import type { Config } from '../config/config.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { type CommandOption, type Input, unreadableFile } from './command.ts';
import { oneOf, text } from './option-values.ts';

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
  const color = text(options['primary-color']);
  const change = {
    enabled: switchOf(options, 'branding'),
    primaryColor: color === '' ? null : color && readPrimaryColor(color),
    theme: oneOf(options, 'theme', THEMES),
    hideFooter: invert(switchOf(options, 'footer')),
    ...readFacts(options),
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

type Value = Options[string] | undefined;

function readFacts(options: Options): Pick<LookChange, Fact> {
  const read = (key: Fact) => readFact(key, text(options[TEXT_SETTINGS[key].name.replaceAll('_', '-')]));
  return Object.fromEntries(FACTS.map((key) => [key, read(key)]));
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
