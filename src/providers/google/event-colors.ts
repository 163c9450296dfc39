/** The eleven colours an event can have, by Google's `colorId`. */
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';

/** (k) As Colors: get answers them; they have not changed since the API exists. */
const COLORS: ReadonlyMap<string, string> = new Map([
  ['1', '#a4bdfc'],
  ['2', '#7ae7bf'],
  ['3', '#dbadff'],
  ['4', '#ff887c'],
  ['5', '#fbd75b'],
  ['6', '#ffb878'],
  ['7', '#46d6db'],
  ['8', '#e1e1e1'],
  ['9', '#5484ed'],
  ['10', '#51b749'],
  ['11', '#dc2127'],
]);

export const colorOf = (colorId: string | undefined): string | undefined => COLORS.get(colorId ?? '');

/** The id of exactly that colour. Fails as UnsupportedByProvider for every other: the nearest would be another one. */
export function colorIdOf(color: string): string {
  const wanted = color.trim().toLowerCase();
  const found = [...COLORS].find(([, known]) => known === wanted);
  if (found !== undefined) return found[0];
  const message = `Events at Google have one of these colours: ${[...COLORS.values()].join(', ')}`;
  throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'color');
}
