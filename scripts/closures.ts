/**
 * `npm run check -- --closures`: how many files somebody has to know who changes what an endpoint does: its route's file
 * and all it imports at run time, through every file between. The fewer, the sooner it is understood.
 */
import type { Source } from './source-file.ts';

/** What is counted, with the most files it may have. */
export const ENDPOINTS: readonly { readonly name: string; readonly route: string; readonly most: number }[] =
  [
    // Twenty of them bound what a read may cost: large calendars in pieces, heavy series in threads, answers piece by piece.
    { name: 'GET /events', route: 'src/reading/events.route.ts', most: 48 },
    // Five of them split a series: what is planned, what becomes of its exceptions, the steps, the journal, the finishing.
    { name: 'PUT /event', route: 'src/writing/events.route.ts', most: 48 },
    // Four of them are what its pages share with all others: styles, signs, parts, the reading of a catalogue.
    { name: 'linking CalDAV', route: 'src/connect/password-form.route.ts', most: 42 },
  ];

/** The file and every file of ours that it loads, directly or through others. */
export function closureOf(route: string, files: readonly Source[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([route]);
  for (const path of reached) {
    for (const { target, kind } of byPath.get(path)?.imports ?? []) {
      if (kind === 'value' && target !== undefined && byPath.has(target)) reached.add(target);
    }
  }
  return [...reached].sort();
}

/** A line for each endpoint whose route loads more files than it may. */
export function closureProblemsOf(files: readonly Source[]): string[] {
  return ENDPOINTS.flatMap(({ name, route, most }) => {
    const { length } = closureOf(route, files);
    return length > most ? [`${route}: ${name} takes ${length} files, more than ${most}`] : [];
  });
}
