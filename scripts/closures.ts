/**
 * The closure of an endpoint: the file of its route and all files that it imports at run time, directly or through others.
 * Who changes the endpoint has to know them, so their number and their lines are limited. `npm run check -- --closures`
 * lists them.
 */
import { LIMITS } from './limits.ts';
import type { Problem, Source } from './source-file.ts';

type Endpoint = { readonly name: keyof typeof LIMITS.closures; readonly route: string };

export const ENDPOINTS: readonly Endpoint[] = [
  { name: 'GET /events', route: 'src/reading/events.route.ts' },
  { name: 'PUT /event', route: 'src/writing/events.route.ts' },
  { name: 'linking CalDAV', route: 'src/connect/password-form.route.ts' },
];

/** Returns the file with path `route` and every file of `files` that it loads, sorted by path. */
export function findClosure(route: string, files: readonly Source[]): Source[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([route]);
  for (const path of reached) {
    for (const { target, kind } of byPath.get(path)?.imports ?? []) {
      if (kind === 'value' && target !== undefined && byPath.has(target)) reached.add(target);
    }
  }
  return [...reached].sort().flatMap((path) => byPath.get(path) ?? []);
}

/** Returns a line for each endpoint whose closure has too many files or lines. */
export function findClosureProblems(files: readonly Source[]): Problem[] {
  return ENDPOINTS.flatMap(({ name, route }) => {
    const max = LIMITS.closures[name];
    const closure = findClosure(route, files);
    const lines = countLines(closure);
    return closure.length > max.files || lines > max.lines
      ? [
          `${route}: ${name} loads ${closure.length} files with ${lines} lines, more than ${max.files} or ${max.lines}`,
        ]
      : [];
  });
}

/** Returns the number of lines of all `files`. */
export function countLines(files: readonly Source[]): number {
  return files.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0);
}
