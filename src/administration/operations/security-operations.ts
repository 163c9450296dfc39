/** The operation that checks an application against a profile. */
import { oneOf } from '../../http/fields.ts';
import { SWITCHES } from '../../oauth/switches.ts';
import { checkApplication } from '../security-check.ts';
import { CLIENT, operation } from './operation.ts';

export const checkApplicationOperation = operation({
  ...{
    id: 'checkApplication',
    method: 'get',
    path: '/applications/{client_id}/check',
    group: 'Applications',
  },
  summary: 'Check what an application lacks for a profile',
  description:
    'Each requirement has `missing`: what is missing and how to add it, or `null` if the requirement is met. `living_grants` counts to 10,001.',
  permission: 'application.read',
  pathFields: CLIENT,
  fields: {
    profile: oneOf(SWITCHES.profile.values, { doc: 'The profile, by default that of the application.' }),
  },
  ...{ command: 'client check', result: ['client_id', 'profile', 'met', 'living_grants', 'requirements'] },
  async run({ client_id: clientId, profile }, deps) {
    const { url } = await deps.addresses();
    return checkApplication(deps.actor, { clientId, profile }, { ...deps, url });
  },
  toDocument: ({ client, profile, requirements, livingGrants }) => ({
    ...{ client_id: client.clientId, profile },
    met: requirements.every(({ missing }) => missing === undefined),
    living_grants: livingGrants,
    requirements: requirements.map(({ name, text, missing = null }) => ({
      name,
      requirement: text,
      missing,
    })),
  }),
});
