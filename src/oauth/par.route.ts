/** POST /par (RFC 9126), which accepts a form like `/token`, or JSON. */
import type { FastifyPluginAsync } from 'fastify';
import type { Caller } from '../http/address-key.ts';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import { asObject } from '../http/fields.ts';
import { type ReceivedQuery, receivedQuery, scalar } from '../http/received-query.ts';
import { FORM_BYTES } from '../http/sizes.ts';
import type { Client } from './client.ts';
import {
  authenticateClient,
  type ClientAuthenticationDeps,
  requireIssuer,
  tooManyAttempts,
} from './client-authentication.ts';
import { bindRequest, type Dpop } from './dpop.ts';
import { invalidRequest } from './oauth-error.ts';
import { type PushedRequestDeps, pushRequest } from './pushed-requests.ts';

export type ParRouteDeps = ClientAuthenticationDeps &
  PushedRequestDeps & {
    readonly dpop: Pick<Dpop, 'readTokenProof'>;
    /** Counts the requests of public applications by address, with those of `/authorize`. */
    readonly attempts: { readonly authorize: AttemptLimit<Caller> };
  };

const FORM = 'application/x-www-form-urlencoded';

/** A form in its original spelling: the application gets its `state` back byte for byte. */
class SpelledForm {
  readonly query: ReceivedQuery;

  constructor(body: Buffer) {
    this.query = receivedQuery(`?${body.toString('latin1')}`);
  }
}

/** Registers the route at the prefixes of an issuer. Errors are OAuthError. */
export function parRoute(deps: ParRouteDeps): FastifyPluginAsync {
  const options = { bodyLimit: FORM_BYTES, config: { errorShape: 'oauth' } } as const;

  return async (app) => {
    app.removeContentTypeParser(FORM);
    app.addContentTypeParser<Buffer>(FORM, { parseAs: 'buffer' }, (_, body, done) =>
      done(null, new SpelledForm(body)),
    );
    app.post('/par', options, async (request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
      const query = readPushedQuery(request.body);
      const presented = {
        request,
        authorization: request.headers.authorization,
        clientId: scalar(query, 'client_id'),
        clientSecret: scalar(query, 'client_secret'),
        assertion: scalar(query, 'client_assertion'),
        assertionType: scalar(query, 'client_assertion_type'),
      };
      const client = await authenticateClient(presented, deps);
      if (client.clientAuthentication === 'none') await limitPublic(client, request.ip, deps);
      requireIssuer(client, deps.issuer);
      const proof = await deps.dpop.readTokenProof(request, client);
      if (proof?.nextNonce !== undefined) reply.header('dpop-nonce', proof.nextNonce);
      const dpopJkt = await bindRequest({ client, proof }, scalar(query, 'dpop_jkt'));
      const answer = await pushRequest({ client, query, dpopJkt }, deps);
      return reply.status(201).send(answer);
    });
  };
}

/** Throws 429. Anybody could otherwise push out the unused requests of the application. */
async function limitPublic(
  { clientId }: Client,
  address: string,
  { attempts }: Pick<ParRouteDeps, 'attempts'>,
): Promise<void> {
  const wait = await attempts.authorize({ clientId, address });
  if (wait !== undefined) throw tooManyAttempts(wait);
}

function readPushedQuery(body: unknown): ReceivedQuery {
  if (body instanceof SpelledForm) return body.query;
  const fields = asObject(body ?? {});
  if (fields === undefined) throw invalidRequest('The body must be a form or a JSON object');
  const pairs = Object.entries(fields).flatMap(([name, value]) => toPairs(name, value));
  return receivedQuery(`?${new URLSearchParams(pairs)}`);
}

/** Returns one pair for each value of a list. Null means that the parameter is absent. */
function toPairs(name: string, value: unknown): [string, string][] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  return all.map((one) => {
    if (typeof one !== 'string') throw invalidRequest('Every parameter must be text');
    return [name, one];
  });
}
