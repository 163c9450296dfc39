/** POST /par (RFC 9126) for the API reference. */
import { Type } from 'typebox';

import type { Operation } from '../http/operation.ts';
import { badClients, largeForms, oauthRefusal, wrongParameters } from './oauth.schema.ts';

const field = (description: string) => Type.Optional(Type.Union([Type.String({ description }), Type.Null()]));

const PushedParameters = Type.Object(
  {
    client_id: field('With the secret in the body; the same application as in HTTP Basic.'),
    client_secret: field('Where HTTP Basic is not used.'),
    user_id: Type.String({ description: 'Your own id of the user.' }),
    user_name: field(
      'What people call the user, shown on the pages. At most 200 characters. Counts here only.',
    ),
    login_hint: field(
      'The address the user is likely to sign in with. At most 320 characters. Counts here only.',
    ),
    scope: field('As at `/authorize`, like all that follow.'),
    state: field('Comes back unchanged.'),
    response_type: field('`code`.'),
    redirect_uri: field('Ignored: the registered one counts.'),
    lng: field('Language of the pages.'),
    theme: field('Of the pages.'),
    display: field('`page` or `popup`.'),
    providers: field('Which providers are offered, separated by commas.'),
    code_challenge: field('PKCE (RFC 7636).'),
    code_challenge_method: field('`S256`.'),
  },
  { $id: 'PushedParameters' },
);

const PushedAnswer = Type.Object(
  {
    request_uri: Type.String({ description: 'For one use at `/authorize`, by one browser.' }),
    expires_in: Type.Literal(60, { description: 'Seconds.' }),
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
      'Then send the browser to `/authorize?client_id=…&request_uri=…`. Nobody can change a pushed request, so it proves who the user is. Client authentication as at `/token`; JSON is taken as well as the form; at most 16 kB.',
    callers: ['application', 'anybody'],
    body: {
      schema: PushedParameters,
      required: true,
      types: ['application/x-www-form-urlencoded', 'application/json'],
      example: { user_id: 'ada', user_name: 'Ada Lovelace', scope: 'read', state: 'xyz' },
    },
    answer: {
      status: 201,
      description: 'Kept for 60 seconds.',
      schema: PushedAnswer,
      example: {
        request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c6b3yD0zXk7zQKqPo',
        expires_in: 60,
      },
    },
    refusals: [
      oauthRefusal(
        'invalid_request',
        'A parameter is missing or unusable, or `request_uri` is pushed.',
        'user_id is missing',
      ),
      ...wrongParameters,
      oauthRefusal(
        'invalid_client',
        'The credentials of the body are wrong.',
        'Client authentication failed',
      ),
      ...badClients,
      ...largeForms,
    ],
  },
];
