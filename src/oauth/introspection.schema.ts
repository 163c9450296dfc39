/** POST /introspect (RFC 7662) for the API reference. */
import { Type } from 'typebox';
import { enumeration, type Operation } from '../http/operation.ts';
import { badBodyClient, badClients, invalid, largeForms } from './oauth.schema.ts';
import { SCOPES } from './scope.ts';
import { INTROSPECTION_FORM } from './token-form.ts';

const Introspection = Type.Object(
  {
    active: Type.Boolean({ description: 'If it is false, there are no other members.' }),
    scope: Type.Optional(enumeration(SCOPES)),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String({ description: 'Your id for the user.' })),
    aud: Type.Optional(Type.String({ description: 'The application, or the resource that it requested.' })),
    iss: Type.Optional(Type.String({ description: 'The `issuer` of the metadata.' })),
    exp: Type.Optional(
      Type.Integer({ description: 'The expiry. Absent for a refresh token without a lifetime.' }),
    ),
    iat: Type.Optional(Type.Integer({ description: 'When the token was issued.' })),
    jti: Type.Optional(Type.String()),
    token_type: Type.Optional(
      enumeration(['Bearer', 'DPoP'], 'Only for an access token: refuse tokens without it.'),
    ),
    cnf: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The key to which the token is bound.' }),
    ),
  },
  { $id: 'Introspection' },
);

export const introspectionOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/introspect',
    id: 'introspectToken',
    group: 'Authorization',
    summary: 'Show whether a token is active (RFC 7662)',
    description:
      'Only the tokens of the application that asks. All others are inactive, as are expired, revoked and rotated ones. Client authentication is the same as at `/token`. The body is a form or JSON.',
    callers: ['application', 'anybody'],
    body: {
      fields: INTROSPECTION_FORM,
      required: true,
      types: ['application/x-www-form-urlencoded', 'application/json'],
    },
    answer: {
      description: 'The state of the token. Times are in seconds since 1970.',
      schema: Introspection,
      example: {
        ...{ active: true, scope: 'read', client_id: 'proj1a2b3c', sub: 'ada', aud: 'proj1a2b3c' },
        ...{ iss: 'https://kalends.example', exp: 1_790_003_600, iat: 1_790_000_000 },
        ...{ jti: '5b0f6a52-3c9e-4f0e-9d5b-7a3c1f6e2d10', token_type: 'Bearer' },
      },
    },
    errors: [
      invalid('`token` is missing or not a string.', 'token is missing'),
      badBodyClient,
      ...badClients,
      ...largeForms,
    ],
  },
];
