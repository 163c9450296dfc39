/** The wire shapes of the token and revocation endpoints. */
import { type Static, Type } from 'typebox';

/** A field that published clients may send as JSON null or as an empty value: both mean "absent". */
const field = () => Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Unknown fields are ignored (RFC 6749 §3.2); a repeated one arrives as a list and is refused. */
export const TokenForm = Type.Object({
  grant_type: field(),
  client_id: field(),
  client_secret: field(),
  code: field(),
  redirect_uri: field(),
  code_verifier: field(),
  refresh_token: field(),
});
export type TokenForm = Static<typeof TokenForm>;

/** The error of /token while the database is away: whether a token was spent is not known. */
export const TOKENS_AWAY =
  'The data cannot be reached at the moment. Repeat the request. If the response is then invalid_grant, start again at /authorize.';

/** See docs/wire.md O4.4. */
export const RevocationRequest = Type.Object({ token: Type.String() });
