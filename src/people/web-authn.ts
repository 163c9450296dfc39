/** Web Authentication: options for browsers and the verification of responses. The library is loaded at first use. */
import { isIP } from 'node:net';

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

import type { Challenge } from './passkey-challenge.ts';
import type { NewPasskey, Passkey } from './passkey-store.ts';
import type { Person } from './person.ts';

/** The relying party of passkeys: the dashboard's host name, and the one origin that may use them. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** Returns undefined if passkeys are impossible: at an IP address, or without https except on localhost. */
export function findRelyingParty(dashboardUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(dashboardUrl);
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  return protocol === 'https:' || hostname === 'localhost' ? { id: hostname, origin } : undefined;
}

type Library = typeof import('@simplewebauthn/server');
let loading: Promise<Library> | undefined;

// The library has 28 MB, which an instance without passkeys does not load.
const library = (): Promise<Library> => {
  loading ??= import('@simplewebauthn/server');
  return loading;
};

const USER_VERIFICATION = 'required';

/** Returns options for `navigator.credentials.create`. `known` are the member's existing passkeys. */
export async function creationOptions(
  { challenge, person, known }: Asked & { readonly known: readonly Passkey[] },
  { id }: RelyingParty,
): Promise<object> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    ...{ rpName: 'Kalends', rpID: id, attestationType: 'none' },
    userID: new Uint8Array(Buffer.from(person.personId)),
    userName: person.login,
    userDisplayName: person.name,
    challenge: decodeBase64url(challenge),
    authenticatorSelection: { residentKey: 'required', userVerification: USER_VERIFICATION },
    excludeCredentials: known.map(({ passkeyId, transports }) => ({
      id: passkeyId,
      transports: [...transports],
    })),
  });
}

/** `person`: the future owner of the passkey. */
export type Asked = {
  readonly challenge: string;
  readonly person: Pick<Person, 'personId' | 'name' | 'login'>;
};

/** Returns options for `navigator.credentials.get`: any passkey of this dashboard, or one of `known`. */
export async function requestOptions(
  { challenge, known = [] }: { readonly challenge: string; readonly known?: readonly Passkey[] },
  { id }: RelyingParty,
): Promise<object> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    ...{ rpID: id, challenge: decodeBase64url(challenge), userVerification: USER_VERIFICATION },
    allowCredentials: known.map(({ passkeyId, transports }) => ({
      id: passkeyId,
      transports: [...transports],
    })),
  });
}

/** Parses a browser's response without verifying it. Returns undefined if it names no credential. */
export function parseAnswer(
  text: string,
): { readonly id: string; readonly userHandle: string | undefined } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('id' in value) || !('response' in value))
    return undefined;
  const { id, response } = value;
  if (typeof id !== 'string' || typeof response !== 'object' || response === null) return undefined;
  const handle = 'userHandle' in response ? response.userHandle : undefined;
  return { id, userHandle: typeof handle === 'string' ? handle : undefined };
}

/** Returns the credential created for this challenge at this origin by a verified user, otherwise undefined. */
export async function verifyCreation(
  text: string,
  { challenge }: Challenge,
  { id, origin }: RelyingParty,
): Promise<Omit<NewPasskey, 'name'> | undefined> {
  if (parseAnswer(text) === undefined) return undefined;
  const { verifyRegistrationResponse } = await library();
  // parseAnswer checked the fields that are read here; the library checks the rest.
  const response = JSON.parse(text) as RegistrationResponseJSON;
  const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: id };
  const { verified, registrationInfo } = await orRefused(
    verifyRegistrationResponse({ ...expected, response, requireUserVerification: true }),
  );
  if (!verified || registrationInfo === undefined) return undefined;
  const { credential } = registrationInfo;
  const transports = Array.isArray(credential.transports) ? credential.transports : [];
  return {
    passkeyId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: transports.filter((one) => TRANSPORTS.has(one)),
  };
}

/** The transports of Web Authentication §5.8.4. Browsers do not understand others. */
const TRANSPORTS: ReadonlySet<string> = new Set(['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal']);

/**
 * Returns the counter of a response that this passkey signed for this challenge and origin with a verified user. The
 * store checks that it rises, because the store decides races.
 */
export async function verifyAssertion(
  { text, passkey }: { readonly text: string; readonly passkey: Passkey },
  { challenge }: Challenge,
  { id, origin }: RelyingParty,
): Promise<number | undefined> {
  const answer = parseAnswer(text);
  const isOfPerson = answer?.userHandle === Buffer.from(passkey.personId).toString('base64url');
  if (answer?.id !== passkey.passkeyId || (answer.userHandle !== undefined && !isOfPerson)) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await orRefused(
    verifyAuthenticationResponse({
      // parseAnswer checked the fields that are read here; the library checks the rest.
      response: JSON.parse(text) as AuthenticationResponseJSON,
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: id },
      credential: { id: passkey.passkeyId, publicKey: decodeBase64url(passkey.publicKey), counter: 0 },
      requireUserVerification: true,
    }),
  );
  return verified ? authenticationInfo?.newCounter : undefined;
}

/** Turns a rejection into `verified: false`: the library throws for invalid responses and makes no requests. */
const orRefused = <T extends { readonly verified: boolean }>(
  verifying: Promise<T>,
): Promise<T | ({ readonly verified: false } & Partial<Omit<T, 'verified'>>)> =>
  verifying.catch(() => ({ verified: false }) as { verified: false } & Partial<Omit<T, 'verified'>>);

const decodeBase64url = (base64url: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64url, 'base64url'));
