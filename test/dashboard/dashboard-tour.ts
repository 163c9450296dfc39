/**
 * Every page of the dashboard's route table, found as its reader finds it: from the addresses that need nothing, by links. A
 * new page is looked at as soon as a link leads to it.
 */
import { unescaped } from '../connect/connect-harness.ts';

export type TourRoute = { readonly method: string; readonly path: string };

export type TourAnswer = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
};

/** An address that was asked for, and the row of the table it belongs to. */
export type Stop = {
  readonly route: string;
  /** The row with the names of the query's parameters. */
  readonly form: string;
  readonly address: string;
  readonly answer: TourAnswer;
};

export type TourOptions = {
  readonly get: (address: string) => Promise<TourAnswer>;
  /** Pages that no page leads to, such as an invitation's. */
  readonly further?: readonly string[];
  /** How many addresses of each row, with the same parameters, are asked for. */
  readonly mostOfEach?: number;
};

export type Tour = {
  readonly stops: readonly Stop[];
  /** Rows that no link led to. */
  readonly unreached: readonly string[];
};

/** GET only, so it changes nothing. */
export async function tourDashboard(routes: readonly TourRoute[], options: TourOptions): Promise<Tour> {
  const { get, further = [], mostOfEach = 1 } = options;
  const paths = routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const routeOf = matcherOf(paths);
  const waiting = [...paths.filter((path) => !/[:*]/.test(path)), ...further];
  const seen = new Set<string>();
  const stops: Stop[] = [];
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const route = routeOf(address);
    if (route === undefined || seen.has(address)) continue;
    const form = `${route} ${parameterNames(address)}`;
    if (stops.filter((stop) => stop.form === form).length >= mostOfEach) continue;
    seen.add(address);
    const answer = await get(address);
    stops.push({ route, form, address, answer });
    if (isPage(answer)) waiting.push(...linksIn(answer.body));
  }
  const reached = new Set(stops.map(({ route }) => route));
  return { stops, unreached: paths.filter((path) => !reached.has(path)) };
}

const parameterNames = (address: string): string =>
  [...new URLSearchParams(address.split('?')[1])]
    .map(([name]) => name)
    .toSorted()
    .join();

export const isPage = ({ headers }: TourAnswer): boolean =>
  String(headers['content-type']).startsWith('text/html');

/** Paths of the dashboard that links and frames lead to. */
const linksIn = (body: string): string[] =>
  [...body.matchAll(/ (?:href|src)="(\/dashboard[^"]*)"/g)].map(([, address = '']) => unescaped(address));

/** The row of an address: one without parameters goes before one that has them. */
function matcherOf(paths: readonly string[]): (address: string) => string | undefined {
  const rows = paths
    .filter((path) => !path.endsWith('*'))
    .toSorted((one, other) => parametersIn(one) - parametersIn(other))
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }));
  return (address) => rows.find(({ pattern }) => pattern.test(address.split(/[?#]/)[0] ?? ''))?.path;
}

const parametersIn = (path: string): number => path.split(':').length;
