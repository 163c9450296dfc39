/** The eleven colors of events, by `colorId`. */
import { unsupportedField } from '../unsupported-field.ts';

/** As `Colors: get` seems to return them. No source confirms that they stay the same. */
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

export const toHexColor = (colorId = ''): string | undefined =>
  Object.hasOwn(COLORS, colorId) ? COLORS[colorId] : undefined;

/** Returns the id of exactly this color. Fails as UnsupportedByProvider for any other, without rounding. */
export function findColorId(color: string): string {
  const hex = color.trim().toLowerCase();
  const entry = Object.entries(COLORS).find(([, value]) => value === hex);
  if (entry !== undefined) return entry[0];
  const list = Object.values(COLORS).join(', ');
  throw unsupportedField('color', `Events at Google must have one of these colors: ${list}`);
}
