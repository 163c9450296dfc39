/** Application hosts (docs/webhooks.md): each has the interface and one application's keys, no pages and no cookies. */
import type { FastifyReply, FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import type { Config } from '../config/config.ts';
import { notFound } from './error-mapping.ts';
import { trustedProxies } from './peers.ts';

type HostSettings = Pick<Config, 'applicationHosts' | 'url' | 'trustProxy'>;
type HostDeps = { readonly clients: { findClientIdByLabel(label: string): Promise<string | undefined> } };

/** Reads the label of an application host: '' if the port is another or there are more labels, undefined for other hosts. */
function labelReader(applicationHosts: string) {
  const { hostname, port } = new URL(applicationHosts);
  const suffix = hostname.slice('id'.length);
  return (host: URL | null): string | undefined => {
    if (!host?.hostname.endsWith(suffix)) return undefined;
    const label = host.hostname.slice(0, -suffix.length);
    return host.port === port && /^[a-z\d_-]+$/.test(label) ? label : '';
  };
}

/** Returns whether a URL has an origin of the interface: the public one, or that of an application host. */
export function publicOrigins({ applicationHosts, url }: Omit<HostSettings, 'trustProxy'>) {
  const { origin } = new URL(url);
  if (applicationHosts === undefined) return (one: URL) => one.origin === origin;
  const { protocol } = new URL(applicationHosts);
  const labelIn = labelReader(applicationHosts);
  return (one: URL) => one.origin === origin || (one.protocol === protocol && Boolean(labelIn(one)));
}

const KEYS = '/.well-known/webhook-keys';

/** Creates the rules for requests to application hosts, or returns `undefined` if applications have none. */
export function applicationHostRules(settings: HostSettings, { clients }: HostDeps) {
  const { applicationHosts, url, trustProxy } = settings;
  if (applicationHosts === undefined) return undefined;
  const { protocol } = new URL(applicationHosts);
  const labelIn = labelReader(applicationHosts);
  const publicHost = new URL(url).hostname;
  const isProxy = trustedProxies(trustProxy);
  const parse = (host = '') => URL.parse(`${protocol}//${host.replace(/\.(?=:|$)/, '')}`);
  // X-Forwarded-Host never replaces a public Host: many proxies pass on what callers send, and caches would mix up hosts.
  const readHostLabel = ({ headers, socket }: RawRequestDefaultExpression) => {
    const host = parse(headers.host);
    const [forwarded = ''] = /[^,]*$/.exec(String(headers['x-forwarded-host'] ?? '')) ?? [];
    const isPublic = labelIn(host) !== undefined || host?.hostname === publicHost;
    const isForwarded = forwarded && !isPublic && isProxy(socket.remoteAddress ?? '');
    return labelIn(isForwarded ? parse(forwarded.trim()) : host);
  };

  return {
    /** Returns the URL to route: the key list of an application host is that of its application. */
    rewriteUrl(request: RawRequestDefaultExpression): string {
      const label = readHostLabel(request);
      return label && request.url?.split('?')[0] === KEYS ? `${KEYS}/${label}` : (request.url ?? '/');
    },

    /** Admits a request, redirects it to the public origin, or throws ApiError 404. */
    async admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
      const label = readHostLabel(request.raw);
      if (label === undefined) return undefined;
      const { method, server, routeOptions } = request;
      const { url: route = '' } = routeOptions;
      if (label !== '' && method === 'GET' && /^(\/api\/oauth|\/fapi2)?\/authorize$/.test(route)) {
        const location = url + route + request.url.replace(/^[^?]*/, '');
        return reply.code(302).headers({ location, 'cache-control': 'no-store' }).send();
      }
      // Every route of the default issuer and of the interface is under one of these prefixes too.
      const hasRoute = (prefix: string) => server.hasRoute({ method, url: prefix + route });
      const isOffered =
        /^\/(api|fapi2|\.well-known)\//.test(route) || hasRoute('/api') || hasRoute('/api/oauth');
      if (label === '' || !isOffered) throw notFound(request);
      if (!route.startsWith(KEYS)) return undefined;
      const params = request.params as Record<string, string>; // as the router gives them
      const clientId = await clients.findClientIdByLabel(label);
      const [name = '', value] = Object.entries(params)[0] ?? [];
      if (clientId === undefined || (value !== label && value !== clientId)) throw notFound(request);
      params[name] = clientId;
      return undefined;
    },
  };
}
