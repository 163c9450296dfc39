/** The credentials of a request: in its Authorization header, or in OAuth's form. */
import type { SandboxRequest } from './sandbox-server.ts';

/** RFC 6750 §2.1; `undefined` without a token. */
export const bearerToken = ({ headers }: Pick<SandboxRequest, 'headers'>): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** HTTP Basic (RFC 7617): the name ends at the first colon. */
export function basicCredentials({
  headers,
}: Pick<SandboxRequest, 'headers'>): { readonly name: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic\s+([\w+/=-]+)\s*$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [, name = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return { name, password };
}

/** The credentials of an OAuth client, by HTTP Basic or in the form (RFC 6749 §2.3.1); empty if there are none. */
export function clientCredentials(request: SandboxRequest): {
  readonly clientId: string;
  readonly clientSecret: string;
} {
  const basic = basicCredentials(request);
  const form = new URLSearchParams(
    basic === undefined ? request.body : `client_id=${basic.name}&client_secret=${basic.password}`,
  );
  return { clientId: form.get('client_id') ?? '', clientSecret: form.get('client_secret') ?? '' };
}
