/** Renders octicons. An icon is always beside a text that means the same, so screen readers skip it. */
import { type Html, trusted } from '../http/html.ts';
import { ICON_PATHS } from './icons.ts';

export type IconName = keyof typeof ICON_PATHS;

/** Returns the icon at 16 CSS pixels, in the color of the text around it. Its page ends with `iconSymbols`. */
export const icon = (name: IconName): Html =>
  trusted(`<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg>`);

/** Returns the icon as a picture for a stylesheet. */
export const iconImage = (name: IconName): string =>
  `url('data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="${ICON_PATHS[name]}"/></svg>')`;

/** Returns the shapes of the icons in `page`: each once, since a list repeats them. */
export function iconSymbols({ markup }: Html): Html {
  const names = new Set(Array.from(markup.matchAll(/<use href="#icon-([a-z-]+)"/g), ([, name]) => name));
  const symbols = Object.entries(ICON_PATHS)
    .filter(([name]) => names.has(name))
    .map(([name, d]) => `<path id="icon-${name}" d="${d}"/>`);
  return trusted(`<svg id="icons" hidden>${symbols.join('')}</svg>`);
}
