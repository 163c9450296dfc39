/** The errors of DPoP proofs (RFC 9449), in responses of `/token` and `/par` and of resources. */
import { errorTable } from './refusal.ts';

/** The signature algorithms of proofs. RFC 9864 names Ed25519; older libraries send `EdDSA`. */
export const DPOP_ALGORITHMS = ['ES256', 'PS256', 'Ed25519', 'EdDSA'];
/** The parameter of challenges. */
export const DPOP_ALGS = `algs="${DPOP_ALGORITHMS.join(' ')}"`;

type Headers = Readonly<Record<string, string>>;

/** Returns the headers of an error with the scheme of the request's token in their challenge (RFC 9449 §7.1). */
export function withTokenScheme(headers: Headers, authorization = ''): Headers {
  const { 'www-authenticate': challenge } = headers;
  if (!challenge?.startsWith('Bearer error=') || !/^DPoP /i.test(authorization)) return headers;
  return { ...headers, 'www-authenticate': `${challenge.replace('Bearer', 'DPoP')}, ${DPOP_ALGS}` };
}

const CHALLENGE = {
  'WWW-Authenticate': 'At resources: the challenge of RFC 9449 §7.1, with `algs` and `error`.',
};

export const DPOP = errorTable({
  invalid_dpop_proof: {
    status: 400,
    otherStatuses: [401],
    message: 'The DPoP header with a proof is missing',
    when: 'The DPoP proof is missing, was used before, or has a wrong claim. `error_description`, at resources `message`, names the claim. The status is 400 at `/token` and `/par` and for several `DPoP` headers, otherwise 401.',
    fix: 'Create a new proof for each request, with its method, its URL and the current time. For an access token, sign it with the key that the token is bound to.',
    headers: CHALLENGE,
  },
  use_dpop_nonce: {
    status: 400,
    otherStatuses: [401],
    message: 'The DPoP proof needs the nonce of the header DPoP-Nonce',
    when: 'The application requires nonces, and the DPoP proof has none or an old one. The status is 400 at `/token` and `/par`, otherwise 401.',
    fix: 'Repeat the request with a new proof that has the `nonce` of the response header `DPoP-Nonce`.',
    headers: { ...CHALLENGE, 'DPoP-Nonce': 'The nonce of the next proof.' },
  },
});
