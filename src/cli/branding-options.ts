/** `--logo` and similar options: the branding of an application on the Connect pages. */
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
import { choiceIn, text } from './option-values.ts';

export const BRANDING_OPTIONS: readonly CommandOption[] = [
  {
    name: 'logo',
    value: 'FILE|URL',
    doc: 'PNG, JPEG, WebP or SVG of at most 5 MB, or an https URL of at most 2 MB that is downloaded now; square looks best.',
  },
  {
    name: 'dark-logo',
    value: 'FILE|URL',
    doc: 'The logo for dark pages; by default the same logo.',
  },
  {
    name: 'primary-color',
    value: "'#RRGGBB'",
    doc: 'The color of buttons and links; its lightness is adapted for contrast. Quote the value: # starts a comment.',
  },
  {
    name: 'theme',
    value: THEMES.join('|'),
    doc: "`auto`, the default, follows the user's choice or device.",
  },
  { name: 'footer', value: 'on|off', doc: 'Whether pages mention Kalends in the footer; `on` by default.' },
  { name: 'branding', value: 'on|off', doc: '`off` shows the default look and keeps all settings.' },
  {
    name: 'application-url',
    value: 'URL',
    doc: 'The https page of the application; required for a review.',
  },
  { name: 'support-email', value: 'ADDRESS', doc: 'Shown on error pages as the contact for help.' },
  { name: 'support-url', value: 'URL', doc: 'An https page with help, instead of the address.' },
  {
    name: 'privacy-url',
    value: 'URL',
    doc: 'The https page with the privacy policy; linked on the consent page.',
  },
  { name: 'terms-url', value: 'URL', doc: 'The https page with the terms of use; linked beside it.' },
];

type Options = Input['options'];

/**
 * Reads the options and their logos; an absent option is `undefined`. Throws an error about the first invalid one.
 */
export async function readLookChange(options: Options, config: () => Config): Promise<LookChange> {
  const color = text(options['primary-color']);
  const change = {
    enabled: readSwitch(options, 'branding'),
    primaryColor: color === '' ? null : color && readPrimaryColor(color),
    theme: choiceIn(options, 'theme', THEMES),
    hideFooter: invert(readSwitch(options, 'footer')),
    ...readFacts(options),
  };
  // Last: downloads take longest.
  return {
    ...change,
    logo: await readLogo(options.logo, 'logo', config),
    darkLogo: await readLogo(options['dark-logo'], 'dark logo', config),
  };
}

/** Returns whether any option was given. */
export const changesLook = (change: LookChange): boolean =>
  Object.values(change).some((value) => value !== undefined);

type Value = Options[string] | undefined;

function readFacts(options: Options): Pick<LookChange, Fact> {
  const read = (key: Fact) => readFact(key, text(options[TEXT_SETTINGS[key].name.replaceAll('_', '-')]));
  return Object.fromEntries(FACTS.map((key) => [key, read(key)]));
}

function readSwitch(options: Options, name: string): boolean | undefined {
  const value = choiceIn(options, name, ['on', 'off']);
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

/** Reads at most one byte more than the limit, which is enough to detect a file that is too large. */
async function readLogoFile(file: string): Promise<Uint8Array> {
  try {
    return await buffer(createReadStream(file, { end: MOST_LOGO_BYTES }));
  } catch (cause) {
    throw unreadableFile('unreadable_logo', file, cause);
  }
}
