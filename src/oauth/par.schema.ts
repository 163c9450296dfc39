/** POST /par (RFC 9126) for the API reference. */
import { Type } from 'typebox';
import { required, text } from '../http/fields.ts';
import type { Operation } from '../http/operation.ts';
import {
  AUTHORIZATION_PARAMETERS,
  badBodyClient,
  badClients,
  badProofs,
  invalid,
  largeForms,
  wrongIssuer,
  wrongParameters,
} from './oauth.schema.ts';
import { MAX_HINT_CHARACTERS, MAX_NAME_CHARACTERS, MAX_RECONNECT_CHARACTERS } from './pushed-requests.ts';

const PUSHED_PARAMETERS = {
  client_id: text({
    doc: 'Required with `client_secret` in the body. With HTTP Basic it must be the same application.',
  }),
  client_secret: text({
    doc: 'Required without HTTP Basic, unless the application authenticates otherwise.',
  }),
  client_assertion: text({ doc: 'An assertion instead, as at `/token`.' }),
  client_assertion_type: text({ doc: 'As at `/token`.' }),
  user_id: required(text({ doc: 'Your id for the user.', example: 'ada' })),
  user_name: text({
    max: MAX_NAME_CHARACTERS,
    doc: 'The name of the user, shown on the pages. It is read only here.',
    example: 'Ada Lovelace',
  }),
  login_hint: text({
    max: MAX_HINT_CHARACTERS,
    doc: 'The email address that the user probably signs in with. It is read only here.',
  }),
  reconnect: text({
    max: MAX_RECONNECT_CHARACTERS,
    doc: 'An account of the user that needs reconnecting, as `PROVIDER:ID` with the id from `/connection-status`. The flow starts with the sign-in to this account. If no consent is needed afterwards, the browser returns at once. It is read only here.',
    example: 'google:ada@example.com',
  }),
  ...AUTHORIZATION_PARAMETERS,
};

const PushedAnswer = Type.Object(
  {
    request_uri: Type.String({ description: 'Valid once at `/authorize`, in one browser.' }),
    expires_in: Type.Literal(60, { description: 'The lifetime of `request_uri` in seconds.' }),
  },
  { $id: 'PushedAnswer' },
);

export const parOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/par',
    id: 'pushAuthorizationRequest',
    group: 'Authorization',
    summary: 'Push an authorization request (RFC 9126)',
    description:
      'Then send the browser to `/authorize?client_id=…&request_uri=…`. Nobody can change a pushed request, so it proves who the user is. Client authentication is the same as at `/token`. The body is a form or JSON of at most 16 kB.',
    callers: ['application', 'anybody'],
    body: {
      fields: PUSHED_PARAMETERS,
      name: 'PushedParameters',
      shows: ['user_id', 'user_name', 'scope', 'state'],
      required: true,
      types: ['application/x-www-form-urlencoded', 'application/json'],
    },
    answer: {
      status: 201,
      description: 'The request was stored for 60 seconds.',
      schema: PushedAnswer,
      example: {
        request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c6b3yD0zXk7zQKqPo',
        expires_in: 60,
      },
    },
    errors: [
      invalid('A parameter is missing or invalid, or `request_uri` was pushed.', 'user_id is missing'),
      ...wrongParameters,
      wrongIssuer,
      ...badProofs,
      badBodyClient,
      ...badClients,
      ...largeForms,
    ],
  },
];
