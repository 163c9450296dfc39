/** The check of an access token that is bound to a key (RFC 9449), beside a Bearer token and an introspection. */
import { generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto';
import type { Kalends } from '../kalends.ts';
import { sendOnce } from '../load/http-load.ts';
import { bearerGet, exchangeRequest } from '../load/oauth-calls.ts';
import type { Subject } from '../measure.ts';
import type { LoadRow } from '../row.ts';
import { BEARER_PROGRAM } from './token-rows.ts';
import { getWith, introspect, kalends, oidc, presenting } from './token-subjects.ts';

const BOUND = 'Kalends, DPoP';
const UNBOUND = 'Kalends, Bearer';
const OIDC = 'oidc-provider introspection, memory';

/** More proofs than the server checks in a second. */
const PROOFS_PER_SECOND = 8_000;
/** Proofs are created in advance, so few users are enough. */
const USERS = 100;

export const dpopRow: LoadRow = {
  name: 'dpop',
  title: 'DPoP check',
  comparisons: [
    { ours: BOUND, theirs: UNBOUND, unit: '%', required: 0.2, outFor: 0.3 },
    { ours: BOUND, theirs: OIDC, unit: '×', required: 0.5, outFor: 1 },
  ],
  async subjects(context) {
    const bound = await kalends(context, { program: BEARER_PROGRAM });
    const unbound = await kalends(context, { program: BEARER_PROGRAM });
    const opaque = await oidc(context, 'memory', 'opaque');
    return [
      await proving(bound),
      await presenting(context, { name: UNBOUND, server: unbound }, getWith('/protected')),
      await presenting(context, { name: OIDC, server: opaque }, introspect),
    ];
  },
};

/** Presents bound tokens, each call with a new proof. */
async function proving({ application, port, process, seedCodes, stores }: Kalends): Promise<Subject> {
  const terms = { now: Date.now(), by: undefined };
  await stores.clients.updateClient(application.clientId, { senderConstraint: 'accepted' }, terms);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
  const withProof = (request: string, accessToken?: string) => {
    const [htm = '', path = ''] = request.split(' ');
    const ath = accessToken && hash('sha256', accessToken, 'base64url');
    const times = { jti: randomUUID(), iat: Math.floor(Date.now() / 1000) };
    const input = `${header}.${encode({ ...times, htm, htu: `http://127.0.0.1:${port}${path}`, ath })}`;
    const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const line = `DPoP: ${input}.${signature.toString('base64url')}`;
    return request.replace('Bearer', 'DPoP').replace('\r\nHost', `\r\n${line}\r\nHost`);
  };
  const tokens: string[] = [];
  for (const code of await seedCodes(USERS)) {
    const answer = await sendOnce(port, withProof(exchangeRequest('/token', code, application)));
    tokens.push(JSON.parse(answer).access_token);
  }
  return {
    name: BOUND,
    port,
    pid: process.pid,
    async prepare(seconds) {
      const requests = Array.from({ length: Math.ceil(PROOFS_PER_SECOND * seconds) }, (_, at) => {
        const token = tokens[at % USERS] ?? '';
        return withProof(bearerGet('/protected', token), token);
      });
      return () => {
        const request = requests.pop();
        return request === undefined ? undefined : { request };
      };
    },
  };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
