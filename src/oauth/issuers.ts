/**
 * The issuers (RFC 8414 §2): authorization servers with one set of handlers, which receive theirs as a value. An
 * application belongs to the issuer of its profile.
 */
import type { SigningAlgorithm } from './signing-key-store.ts';

/** The fixed part of an issuer. */
type Policy = {
  /** The prefix of its endpoints and of the path of its URL. */
  readonly prefix: string;
  /** The path of its public keys. */
  readonly keysPath: string;
  /** The algorithm of its tokens; undefined for that of `KALENDS_TOKEN_ALGORITHM`. */
  readonly tokenAlgorithm: SigningAlgorithm | undefined;
  /** Whether its responses and tokens have `iss` (RFC 9207, RFC 9068 §2.2). */
  readonly hasIss: boolean;
  /** Whether requests must be pushed, with a `redirect_uri` that is compared even if only one is registered. */
  readonly isStrict: boolean;
};

const POLICIES = {
  default: {
    ...{ prefix: '', keysPath: '/.well-known/jwks.json' },
    ...{ tokenAlgorithm: undefined, hasIss: false, isStrict: false },
  },
  fapi2: {
    ...{ prefix: '/fapi2', keysPath: '/fapi2/jwks.json' },
    ...{ tokenAlgorithm: 'ES256', hasIss: true, isStrict: true },
  },
} as const satisfies Record<string, Policy>;

/** The name of an issuer, as it is stored, and of the profile of its applications. */
export type IssuerName = keyof typeof POLICIES;
export const ISSUER_NAMES = Object.keys(POLICIES) as readonly IssuerName[]; // the keys of the table

/** `publicUrl` is `KALENDS_URL`; `url` identifies the issuer. */
export type Issuer = Policy & {
  readonly name: IssuerName;
  readonly publicUrl: string;
  readonly url: string;
};

export const createIssuer = (name: IssuerName, publicUrl: string): Issuer => ({
  ...{ name, publicUrl, url: publicUrl + POLICIES[name].prefix },
  ...POLICIES[name],
});

/** The algorithms of tokens that do not depend on `KALENDS_TOKEN_ALGORITHM`. */
export const FIXED_ALGORITHMS: readonly SigningAlgorithm[] = Object.values<Policy>(POLICIES).flatMap(
  ({ tokenAlgorithm }) => tokenAlgorithm ?? [],
);

/** Returns the name of the issuer to which the application belongs. */
export const issuerOf = ({ profile = 'default' }: HasProfile): IssuerName => profile;

type HasProfile = { readonly profile?: IssuerName };

/** Returns the problem of an application that does not belong to `issuer`; undefined if it does. */
export function issuerProblem(client: HasProfile, issuer: Issuer): string | undefined {
  const name = issuerOf(client);
  return name === issuer.name
    ? undefined
    : `This application belongs to the issuer ${createIssuer(name, issuer.publicUrl).url}, not to ${issuer.url}`;
}
