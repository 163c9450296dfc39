/** The ports of the sandbox, all of them on loopback. */
import { freePort } from './free-port.ts';

const USUAL_PORTS = {
  kalends: 8080,
  demo: 8090,
  control: 8091,
  google: 8101,
  microsoft: 8102,
  icloud: 8103,
  caldav: 8104,
  icloudHome: 8105,
};

export type Ports = Readonly<Record<keyof typeof USUAL_PORTS, number>>;

export type PortChoice = {
  /** Whether to prefer the usual ports if they are free; otherwise any free ones. */
  readonly usual: boolean;
  /** The ports that are required. */
  readonly wanted: Partial<Ports>;
};

/**
 * Chooses the ports. The ports of Kalends and the demo must be known in advance; for the others, 0 lets the system
 * choose. Throws an Error with a sentence for the user if a required port is taken.
 */
export async function choosePorts({ usual, wanted }: PortChoice): Promise<Ports> {
  const chosen = new Set<number>();
  const portOf = async (name: keyof Ports, mustBeKnown: boolean): Promise<number> => {
    let port = wanted[name] ?? (usual ? USUAL_PORTS[name] : 0);
    if (port !== 0 || mustBeKnown) port = await freePort(port === 0 ? undefined : port);
    while (port !== 0 && chosen.has(port)) port = await freePort();
    if (wanted[name] !== undefined && port !== wanted[name]) throw takenPort(name, wanted[name]);
    chosen.add(port);
    return port;
  };
  const kalends = await portOf('kalends', true);
  const demo = await portOf('demo', true);
  const [control, google] = [await portOf('control', false), await portOf('google', false)];
  const [microsoft, caldav] = [await portOf('microsoft', false), await portOf('caldav', false)];
  const [icloud, icloudHome] = [await portOf('icloud', false), await portOf('icloudHome', false)];
  return { kalends, demo, control, google, microsoft, caldav, icloud, icloudHome };
}

const NAMES: Readonly<Record<keyof Ports, string>> = {
  kalends: 'Kalends',
  demo: 'the demo',
  control: 'the controls',
  google: 'Google',
  microsoft: 'Microsoft',
  icloud: 'iCloud',
  caldav: 'the CalDAV server',
  icloudHome: 'iCloud’s calendars',
};

const takenPort = (name: keyof Ports, port: number): Error =>
  new Error(
    `Port ${port}, which ${NAMES[name]} should have, is taken by another program: end that, or choose another port.`,
  );
