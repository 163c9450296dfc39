/** POST /token (RFC 6749 §3.2). Each grant type has its own file. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { type AuthorizationCodeDeps, authorizationCodeGrant } from './authorization-code-grant.ts';
import type { Client } from './client.ts';
import { authenticateClient, type ClientAuthenticationDeps } from './client-authentication.ts';
import { bindTokens, type Dpop, type TokenProof } from './dpop.ts';
import { AUTHORIZATION, invalidRequest, OAuthError } from './oauth-error.ts';
import { type RefreshedTokens, type RefreshTokenDeps, refreshTokenGrant } from './refresh-token-grant.ts';
import { readForm, TOKEN_FORM, TOKENS_AWAY, type TokenForm } from './token-form.ts';
import { limitWrongCodes, type WrongCodeLimits } from './wrong-codes.ts';

export type TokenRouteDeps = ClientAuthenticationDeps &
  AuthorizationCodeDeps &
  RefreshTokenDeps & {
    readonly wrongCodes: WrongCodeLimits;
    readonly dpop: Pick<Dpop, 'readTokenProof'>;
    /** Receives the outcome of each request: `ok`, `replayed`, or the code of the error. */
    readonly tokenAnswered?: ((grantType: string, outcome: string) => void) | undefined;
  };

/** Registers the route at both prefixes. Errors are OAuthError. */
export function tokenRoute(deps: TokenRouteDeps): FastifyPluginAsync {
  const options = {
    bodyLimit: FORM_BYTES,
    config: { errorShape: 'oauth', awayMessage: TOKENS_AWAY },
  } as const;

  const { tokenAnswered } = deps;
  return async (app) => {
    if (tokenAnswered !== undefined)
      app.addHook<{ Body?: { grant_type?: unknown } | null }>('onError', async ({ body }, _reply, error) =>
        tokenAnswered(
          toGrantTypeLabel(body?.grant_type),
          error instanceof OAuthError ? error.code : 'server_error',
        ),
      );
    app.post('/token', options, async (request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache'); // RFC 6749 §5.1
      const form = readForm(request.body, TOKEN_FORM);
      const presented = {
        request,
        authorization: request.headers.authorization,
        clientId: form.client_id,
        clientSecret: form.client_secret,
      };
      const client = await authenticateClient(presented, deps);
      const proof = await deps.dpop.readTokenProof(request, client);
      if (proof?.nextNonce !== undefined) reply.header('dpop-nonce', proof.nextNonce);
      const { tokens, outcome } = await grantTokens(form, { client, proof }, deps);
      tokenAnswered?.(toGrantTypeLabel(form.grant_type), outcome);
      return tokens;
    });
  };
}

type Sender = { readonly client: Client; readonly proof: TokenProof | undefined };

async function grantTokens(form: TokenForm, sender: Sender, deps: TokenRouteDeps): Promise<RefreshedTokens> {
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
    default:
      throw new OAuthError(AUTHORIZATION.unsupported_grant_type);
  }
}

function required(form: TokenForm, name: keyof TokenForm): string {
  const value = form[name];
  if (value === undefined) throw invalidRequest(`${name} is missing`);
  return value;
}

/** Returns a label from a fixed set, whatever was sent. */
const toGrantTypeLabel = (sent: unknown): string =>
  sent === 'authorization_code' || sent === 'refresh_token' ? sent : 'other';
