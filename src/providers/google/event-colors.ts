/** The eleven colours an event can have, by Google's `colorId`. */
import { unsupportedField } from '../unsupported-field.ts';

/** As Colors: get seems to answer them. No source confirms that they stay so. */
const COLORS: Readonly<Record<string, string>> = {
  1: '#a4bdfc',
  2: '#7ae7bf',
  3: '#dbadff',
  4: '#ff887c',
  5: '#fbd75b',
  6: '#ffb878',
  7: '#46d6db',
  8: '#e1e1e1',
  9: '#5484ed',
  10: '#51b749',
  11: '#dc2127',
};

export const colorOf = (colorId = ''): string | undefined =>
  Object.hasOwn(COLORS, colorId) ? COLORS[colorId] : undefined;

/** The id of exactly that colour. Fails as UnsupportedByProvider for every other: the nearest would be another one. */
export function colorIdOf(color: string): string {
  const hex = color.trim().toLowerCase();
  const entry = Object.entries(COLORS).find(([, value]) => value === hex);
  if (entry !== undefined) return entry[0];
  const list = Object.values(COLORS).join(', ');
  throw unsupportedField('color', `Events at Google have one of these colours: ${list}`);
}
