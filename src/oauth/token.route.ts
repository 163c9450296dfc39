/** POST /token (RFC 6749 §3.2). Each grant type has its own file. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { type AuthorizationCodeDeps, authorizationCodeGrant } from './authorization-code-grant.ts';
import type { Client } from './client.ts';
import { authenticateClient, type ClientAuthenticationDeps, requireIssuer } from './client-authentication.ts';
import { bindTokens, type Dpop, type TokenProof } from './dpop.ts';
import type { Issuer } from './issuers.ts';
import { AUTHORIZATION, invalidRequest, OAuthError } from './oauth-error.ts';
import { type RefreshedTokens, type RefreshTokenDeps, refreshTokenGrant } from './refresh-token-grant.ts';
import { type ResourceDeps, readBodyResource } from './resource-indicators.ts';
import { presentedCredentials, readForm, TOKEN_FORM, TOKENS_AWAY, type TokenForm } from './token-form.ts';
import { APPLICATION_SCOPE, type ApplicationTokenResponse } from './token-signer.ts';
import { limitWrongCodes, type WrongCodeLimits } from './wrong-codes.ts';

export type TokenRouteDeps = ClientAuthenticationDeps &
  AuthorizationCodeDeps &
  RefreshTokenDeps &
  ResourceDeps & {
    readonly issuer: Issuer;
    readonly wrongCodes: WrongCodeLimits;
    readonly dpop: Pick<Dpop, 'readTokenProof'>;
    /** Receives the outcome of each request: `ok`, `replayed`, or the code of the error. */
    readonly tokenAnswered?: ((grantType: string, outcome: string) => void) | undefined;
  };

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];

/** Registers the route at the prefixes of an issuer. Errors are OAuthError. */
export function tokenRoute(deps: TokenRouteDeps): FastifyPluginAsync {
  const options = {
    bodyLimit: FORM_BYTES,
    config: { errorShape: 'oauth', awayMessage: TOKENS_AWAY },
  } as const;

  const { tokenAnswered } = deps;
  return async (app) => {
    app.addHook<{ Body?: { grant_type?: unknown } | null }>('onError', async ({ body }, _reply, error) =>
      tokenAnswered?.(
        toGrantTypeLabel(body?.grant_type),
        error instanceof OAuthError ? error.code : 'server_error',
      ),
    );
    app.post('/token', options, async (request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache'); // RFC 6749 §5.1
      const form = readForm(request.body, TOKEN_FORM);
      const client = await authenticateClient(presentedCredentials(request, form), deps);
      requireIssuer(client, deps.issuer);
      const resource = readBodyResource(request.body, client, deps);
      const proof = await deps.dpop.readTokenProof(request, client);
      if (proof?.nextNonce !== undefined) reply.header('dpop-nonce', proof.nextNonce);
      await deps.signer.prepare();
      const { tokens, outcome } = await grantTokens(form, { client, proof, resource }, deps);
      tokenAnswered?.(toGrantTypeLabel(form.grant_type), outcome);
      return tokens;
    });
  };
}

type GrantedTokens =
  | RefreshedTokens
  | { readonly tokens: ApplicationTokenResponse; readonly outcome: RefreshedTokens['outcome'] };

type Sender = {
  readonly client: Client;
  readonly proof: TokenProof | undefined;
  readonly resource: string | undefined;
};

async function grantTokens(form: TokenForm, sender: Sender, deps: TokenRouteDeps): Promise<GrantedTokens> {
  bindTokens(sender);
  switch (required(form, 'grant_type')) {
    case 'authorization_code': {
      const code = required(form, 'code');
      const redirectUri = required(form, 'redirect_uri');
      const request = { ...sender, code, redirectUri, codeVerifier: form.code_verifier };
      const presented = { clientId: sender.client.clientId, code };
      const grant = () => authorizationCodeGrant(request, deps);
      return { tokens: await limitWrongCodes(grant, presented, deps.wrongCodes), outcome: 'ok' };
    }
    case 'refresh_token':
      return refreshTokenGrant({ ...sender, refreshToken: required(form, 'refresh_token') }, deps);
    case 'client_credentials':
      return { tokens: await applicationTokenGrant(form, sender, deps), outcome: 'ok' };
    default:
      throw new OAuthError(AUTHORIZATION.unsupported_grant_type);
  }
}

/** Client credentials grant, RFC 6749 §4.4: for applications that have no secret to call for themselves. */
async function applicationTokenGrant(
  { scope }: TokenForm,
  sender: Sender,
  { signer }: TokenRouteDeps,
): Promise<ApplicationTokenResponse> {
  const { clientId, clientAuthentication } = sender.client;
  if (clientAuthentication === 'secret') throw new OAuthError(AUTHORIZATION.unsupported_grant_type);
  if (clientAuthentication === 'none')
    throw new OAuthError(
      AUTHORIZATION.unauthorized_client,
      'A public application cannot use client_credentials: use the tokens of its users',
    );
  if (scope !== APPLICATION_SCOPE)
    throw new OAuthError(AUTHORIZATION.invalid_scope, `scope must be ${APPLICATION_SCOPE}`);
  const jkt = bindTokens(sender);
  await sender.proof?.use();
  return signer.signApplicationToken(clientId, jkt);
}

function required(form: TokenForm, name: keyof TokenForm): string {
  const value = form[name];
  if (value === undefined) throw invalidRequest(`${name} is missing`);
  return value;
}

/** Returns a label from a fixed set, whatever was sent. */
const toGrantTypeLabel = (sent: unknown): string => GRANT_TYPES.find((type) => type === sent) ?? 'other';
