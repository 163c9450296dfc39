/** BrandingStore in SQL; held to test/contract/branding-store.contract.ts on both databases. */
import { hash } from 'node:crypto';

import type { ChangeTerms } from '../../audit/audit-entry.ts';
import { type ApplicationFacts, DEFAULT_BRANDING, type Theme } from '../../branding/branding.ts';
import type { ApplicationLook, BrandingStore, LookChange } from '../../branding/branding-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import { changedLook } from '../audit/audited-settings.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { changeReviewed, FIND_VERSION, lockApplication } from './review-rows.ts';

type LookRow = ApplicationFacts & {
  readonly enabled?: number;
  readonly primaryColor?: string;
  readonly theme?: Theme;
  readonly hideFooter?: number;
  readonly logo?: string;
  readonly darkLogo?: string;
};

const FIND = `
  SELECT l.enabled, l.primary_color, l.theme, l.hide_footer, l.application_url, l.support_email, l.support_url,
         l.privacy_url, l.terms_url, light.hash AS logo, dark.hash AS dark_logo
    FROM application AS a
    LEFT JOIN application_look AS l ON l.client_id = a.client_id
    LEFT JOIN application_logo AS light ON light.client_id = a.client_id AND light.scheme = 'light'
    LEFT JOIN application_logo AS dark ON dark.client_id = a.client_id AND dark.scheme = 'dark'
   WHERE a.client_id = :clientId`;

const SET = `
  INSERT INTO application_look (client_id, enabled, primary_color, theme, hide_footer, application_url, support_email,
    support_url, privacy_url, terms_url, updated_at)
  VALUES (:clientId, :enabled, :primaryColor, :theme, :hideFooter, :applicationUrl, :supportEmail, :supportUrl,
    :privacyUrl, :termsUrl, :now)
  ON CONFLICT (client_id) DO UPDATE SET enabled = excluded.enabled, primary_color = excluded.primary_color,
    theme = excluded.theme, hide_footer = excluded.hide_footer,
    application_url = excluded.application_url, support_email = excluded.support_email,
    support_url = excluded.support_url, privacy_url = excluded.privacy_url,
    terms_url = excluded.terms_url, updated_at = excluded.updated_at`;

const SET_LOGO = `
  INSERT INTO application_logo (client_id, scheme, hash, content) VALUES (:clientId, :scheme, :hash, :content)
  ON CONFLICT (client_id, scheme) DO UPDATE SET hash = excluded.hash, content = excluded.content`;
const REMOVE_LOGO = 'DELETE FROM application_logo WHERE client_id = :clientId AND scheme = :scheme';
const FIND_LOGO = `
  SELECT content FROM application_logo WHERE hash = :hash
   UNION ALL SELECT content FROM approved_logo WHERE hash = :hash LIMIT 1`;

export function brandingStore(db: Database): BrandingStore {
  return {
    findLook: (clientId) => findLook(db, clientId),

    changeLook(clientId, change, terms) {
      return db.transaction(async (tx) =>
        (await lockApplication(tx, clientId, terms))
          ? changeLook(tx, change, { clientId, ...terms })
          : undefined,
      );
    },

    async findVersion(clientId) {
      return (await db.get<{ version: number }>(FIND_VERSION, { clientId }))?.version;
    },

    async findLogo(logoHash) {
      const row = await db.get<{ content: string }>(FIND_LOGO, { hash: logoHash });
      return row && { webp: Buffer.from(row.content, 'base64') };
    },
  };
}

/** Applies the change. The caller has locked the application. */
export async function changeLook(
  tx: Statements,
  change: LookChange,
  { clientId, now, by }: ChangeTerms & { readonly clientId: string },
): Promise<ApplicationLook> {
  const before = await findLook(tx, clientId);
  await changeReviewed(tx, { clientId, now, by }, async () => {
    await setLogos(tx, clientId, change);
    const look = await findLook(tx, clientId);
    await tx.change(SET, { clientId, now, ...toValues(look, change) });
  });
  const after = await findLook(tx, clientId);
  const changed = changedLook(before, after);
  if (changed) await auditFor(tx, by, { action: 'branding.updated', clientId, ...changed });
  return after;
}

async function findLook(statements: Statements, clientId: string): Promise<ApplicationLook> {
  const row: LookRow = (await statements.get<LookRow>(FIND, { clientId })) ?? {};
  const { applicationUrl, supportEmail, supportUrl, privacyUrl, termsUrl } = row;
  const toLogo = (logoHash: string | undefined) => (logoHash === undefined ? undefined : { hash: logoHash });
  return {
    branding: {
      enabled: row.enabled === undefined ? DEFAULT_BRANDING.enabled : row.enabled === 1,
      logo: toLogo(row.logo),
      darkLogo: toLogo(row.darkLogo),
      primaryColor: row.primaryColor,
      theme: row.theme ?? DEFAULT_BRANDING.theme,
      hideFooter: row.hideFooter === 1,
    },
    facts: { applicationUrl, supportEmail, supportUrl, privacyUrl, termsUrl },
  };
}

function toValues({ branding, facts }: ApplicationLook, change: LookChange) {
  const changed = (value: string | null | undefined, before: string | undefined) =>
    value === undefined ? (before ?? null) : value;
  return {
    enabled: Number(change.enabled ?? branding.enabled),
    primaryColor: changed(change.primaryColor, branding.primaryColor),
    theme: change.theme ?? branding.theme,
    hideFooter: Number(change.hideFooter ?? branding.hideFooter),
    applicationUrl: changed(change.applicationUrl, facts.applicationUrl),
    supportEmail: changed(change.supportEmail, facts.supportEmail),
    supportUrl: changed(change.supportUrl, facts.supportUrl),
    privacyUrl: changed(change.privacyUrl, facts.privacyUrl),
    termsUrl: changed(change.termsUrl, facts.termsUrl),
  };
}

async function setLogos(tx: Statements, clientId: string, { logo, darkLogo }: LookChange): Promise<void> {
  for (const [scheme, image] of Object.entries({ light: logo, dark: darkLogo })) {
    if (image === undefined) continue;
    if (image === null) await tx.change(REMOVE_LOGO, { clientId, scheme });
    else {
      const content = Buffer.from(image.webp).toString('base64');
      await tx.change(SET_LOGO, { clientId, scheme, hash: hash('sha256', image.webp), content });
    }
  }
}
