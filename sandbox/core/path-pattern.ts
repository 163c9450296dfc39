/** Paths with named parts: `/calendars/:calendarId/events/:eventId`. */
import type { SandboxRequest } from './sandbox-server.ts';

/** The parts of a path, decoded; `undefined` when the path is another, or not valid percent-encoding. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const patternSegments = pattern.split('/');
  const segments = path.split('/');
  if (patternSegments.length !== segments.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, part] of patternSegments.entries()) {
    const text = decoded(segments[index] ?? '');
    if (text === undefined) return undefined;
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
    } else if (text === '') return undefined;
    else parts[part.slice(1)] = text;
  }
  return parts;
}

/** The endpoint of a request's method and path (`GET /calendars/:calendarId`), and the path's parts. */
export function matchRoute<Endpoint extends { readonly route: string }>(
  endpoints: readonly Endpoint[],
  { method, url }: SandboxRequest,
): { readonly endpoint: Endpoint; readonly parts: Readonly<Record<string, string>> } | undefined {
  for (const endpoint of endpoints) {
    const [verb, pattern = ''] = endpoint.route.split(' ');
    const parts = verb === method ? matchPath(pattern, url.pathname) : undefined;
    if (parts !== undefined) return { endpoint, parts };
  }
  return undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
