/** Calls with a user's access token: after a 401 the call is repeated once with a new token. */
import { KalendsError } from './kalends-error.ts';
import { type Answer, type Call, type SendOptions, send, withToken } from './send.ts';
import type { TokenKeeper } from './tokens.ts';

/** Sends a call in the user's name. Fails with KalendsError, or with ReauthorizationRequired if the grant has ended. */
export type UserCall = {
  /** Returns the response's JSON, whose type the service's documentation states. */
  body<T>(request: Call): Promise<T>;
  answer(request: Call): Promise<Answer>;
};

/** Returns the calls of the user whose tokens the keeper has. */
export function userCall(keeper: TokenKeeper, options: SendOptions): UserCall {
  const answer = async (request: Call): Promise<Answer> => {
    const sendWith = (accessToken: string) => {
      const { headers, proof } = withToken(accessToken, options);
      return send({ ...request, headers: { ...request.headers, ...headers }, proof }, options);
    };
    const token = await keeper.accessToken();
    try {
      return await sendWith(token);
    } catch (error) {
      if (!(error instanceof KalendsError) || error.status !== 401) throw error;
      return sendWith(await keeper.renewed(token));
    }
  };
  return {
    answer,
    // The service documents this type for the path; it is not checked here.
    body: async <T>(request: Call) => (await answer(request)).body as T,
  };
}

/** Returns the query: absent fields are left out; instants and lists get the form that the service reads. */
export function queryOf(members: Readonly<Record<string, unknown>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, formatParameter(value));
  }
  return query;
}

function formatParameter(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
