/** Living grants and pending codes with coverage of the caller's choice. */
import type { Grant } from '../../src/oauth/grant.ts';
import { newTokenIn } from '../../src/oauth/refresh-token-id.ts';
import type { NewFamily } from '../../src/oauth/token-family-store.ts';
import type { Statements } from '../../src/store/drivers/database.ts';
import { beginFamily, hashOfTokenId } from '../../src/store/oauth/token-family-store.ts';

type Code = Omit<Grant, 'familyId'> & {
  readonly redirectUri?: string;
  readonly codeChallenge?: string | null;
  readonly codeHash?: string;
};

/** Creates a pending code, as an approval does; returns the number of its family. */
export async function beginCode(tx: Statements, code: Code, now: number): Promise<number> {
  const { coverageId, ...given } = code;
  const family = { redirectUri: 'https://acme.example/cb', codeChallenge: null, finishes: 0, ...given };
  const familyId = Number.parseInt(await beginFamily(tx, family, now), 16);
  await tx.change('UPDATE token_family SET coverage_id = :coverageId WHERE family_id = :familyId', {
    coverageId,
    familyId,
  });
  return familyId;
}

/** Creates a living grant with its first refresh token, as a redemption more than a day ago did. */
export async function beginGrant(
  tx: Statements,
  owner: Omit<Grant, 'familyId'>,
  now: number,
): Promise<NewFamily> {
  const familyId = await beginCode(tx, owner, now);
  const first = newTokenIn(familyId);
  await tx.change(
    `UPDATE token_family SET token_hash = :tokenHash, ended_at = NULL, redirect_uri = NULL, finishes = NULL,
            approved_at = NULL
      WHERE family_id = :familyId`,
    { familyId, tokenHash: hashOfTokenId(first) },
  );
  return { grant: { familyId, ...owner }, first };
}
