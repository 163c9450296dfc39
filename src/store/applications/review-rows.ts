/** The rows of an application's verification, and what a change of its values does to them. */
import type { Caller, ChangeTerms } from '../../audit/audit-entry.ts';
import { differingFields } from '../../audit/differing-fields.ts';
import type { EditTerms } from '../../branding/branding-store.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { ApiError } from '../../http/refusal.ts';
import { type ReviewState, type Transition, transitionOf } from '../../verification/review-states.ts';
import {
  changedFields,
  type ReviewedField,
  type ReviewedValues,
  type ReviewStatus,
  type Verification,
} from '../../verification/verification.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Statements } from '../drivers/database.ts';

// `updated_at` is the version of the application: it increases with each change, also if clocks differ.
const NEXT_VERSION = 'updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at + 1 END';
export const LOCK_APPLICATION = `UPDATE application SET ${NEXT_VERSION} WHERE client_id = :clientId`;
const LOCK_VERSION = `${LOCK_APPLICATION} AND updated_at = :ifVersion`;
export const FIND_VERSION = 'SELECT updated_at AS version FROM application WHERE client_id = :clientId';

/**
 * Begins every transaction that changes an application, its branding or its review, to serialize them. Returns false if
 * the application does not exist. Throws ApiError 412 if it has another version than `ifVersion`.
 */
export async function lockApplication(
  tx: Statements,
  clientId: string,
  { now, ifVersion }: Pick<EditTerms, 'now' | 'ifVersion'>,
): Promise<boolean> {
  if (ifVersion === undefined) return (await tx.change(LOCK_APPLICATION, { clientId, now })) > 0;
  if ((await tx.change(LOCK_VERSION, { clientId, now, ifVersion })) > 0) return true;
  if ((await tx.get(FIND_VERSION, { clientId })) === undefined) return false;
  throw new ApiError(SETTINGS.changed_meanwhile);
}

/** The redirect URIs besides the default one. A URI has no spaces. The application's row is `a`. */
export const FURTHER_REDIRECT_URIS = `
  (SELECT string_agg(r.uri, ' ' ORDER BY r.position)
     FROM redirect_uri AS r WHERE r.client_id = a.client_id) AS further_redirect_uris`;

export const toUris = (text: string | undefined): readonly string[] => text?.split(' ') ?? [];

/** The SELECT and its joins, to which a statement adds its own `WHERE` or `ORDER BY`. */
export const SELECT_VERIFICATION = `
  SELECT a.client_id, a.redirect_uri, a.display_name, l.application_url, l.support_email, l.support_url,
         light.hash AS logo, dark.hash AS dark_logo, v.status, v.submitted_at, v.reviewer_note, v.verified_at,
         v.display_name AS approved_display_name, v.application_url AS approved_application_url,
         v.support_email AS approved_support_email, v.support_url AS approved_support_url,
         approved_light.hash AS approved_logo, approved_dark.hash AS approved_dark_logo, ${FURTHER_REDIRECT_URIS}
    FROM application AS a
    LEFT JOIN application_look AS l ON l.client_id = a.client_id
    LEFT JOIN application_logo AS light ON light.client_id = a.client_id AND light.scheme = 'light'
    LEFT JOIN application_logo AS dark ON dark.client_id = a.client_id AND dark.scheme = 'dark'
    LEFT JOIN verification AS v ON v.client_id = a.client_id
    LEFT JOIN approved_logo AS approved_light
           ON approved_light.client_id = a.client_id AND approved_light.scheme = 'light'
    LEFT JOIN approved_logo AS approved_dark
           ON approved_dark.client_id = a.client_id AND approved_dark.scheme = 'dark'`;

const FIND = `${SELECT_VERIFICATION} WHERE a.client_id = :clientId`;

const SET_STATUS = 'UPDATE verification SET status = :status WHERE client_id = :clientId';
const ADD_ACTIVITY = `
  INSERT INTO verification_activity (client_id, number, at, actor, kind, note, fields)
  SELECT CAST(:clientId AS TEXT), COALESCE(MAX(number), 0) + 1, CAST(:now AS BIGINT), CAST(:actor AS TEXT),
         CAST(:kind AS TEXT), CAST(:note AS TEXT), CAST(:fields AS TEXT)
    FROM verification_activity WHERE client_id = :clientId`;

type Nullable<T> = { [K in keyof T]: string | undefined };

export type VerificationRow = Nullable<ReviewedValues> & {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly furtherRedirectUris: string | undefined;
  readonly status: ReviewStatus | undefined;
  readonly submittedAt: number | undefined;
  readonly reviewerNote: string | undefined;
  readonly verifiedAt: number | undefined;
  readonly approvedDisplayName: string | undefined;
  readonly approvedApplicationUrl: string | undefined;
  readonly approvedSupportEmail: string | undefined;
  readonly approvedSupportUrl: string | undefined;
  readonly approvedLogo: string | undefined;
  readonly approvedDarkLogo: string | undefined;
};

export async function findVerification(on: Statements, clientId: string): Promise<Verification | undefined> {
  const row = await on.get<VerificationRow>(FIND, { clientId });
  return row && toVerification(row);
}

export function toVerification(row: VerificationRow): Verification {
  const approved = {
    displayName: row.approvedDisplayName,
    applicationUrl: row.approvedApplicationUrl,
    supportEmail: row.approvedSupportEmail,
    supportUrl: row.approvedSupportUrl,
    logo: row.approvedLogo,
    darkLogo: row.approvedDarkLogo,
  };
  return {
    clientId: row.clientId,
    redirectUri: row.redirectUri,
    furtherRedirectUris: toUris(row.furtherRedirectUris),
    status: row.status ?? 'not_submitted',
    submittedAt: row.submittedAt,
    reviewerNote: row.reviewerNote,
    verifiedAt: row.verifiedAt,
    present: toReviewedValues(row),
    approved: row.verifiedAt === undefined ? undefined : toReviewedValues(approved),
  };
}

export const toReviewState = ({ status, verifiedAt }: Verification): ReviewState => ({
  status,
  isVerified: verifiedAt !== undefined,
});

type NewActivity = ChangeTerms & {
  readonly clientId: string;
  readonly note?: string | undefined;
  readonly fields?: readonly ReviewedField[];
};

/** Records a step of an application's review in both logs. Call it under LOCK_APPLICATION, last in the transaction. */
export async function addActivity(
  tx: Statements,
  { kind, ...next }: Transition,
  { before, activity }: { readonly before: ReviewState; readonly activity: NewActivity },
): Promise<void> {
  const { clientId, now, note, fields = [], by } = activity;
  const entry = {
    clientId,
    now,
    kind,
    actor: callerName(by),
    note: note ?? null,
    fields: fields.join(','),
  };
  await tx.change(ADD_ACTIVITY, entry);
  const action = `verification.${kind}` as const;
  const changed = differingFields(auditedState(before), auditedState(next));
  await auditFor(tx, by, { action, clientId, ...changed });
}

const auditedState = ({ status, isVerified }: ReviewState) => ({
  review_status: status,
  verified: isVerified,
});

function callerName(caller: Caller | undefined): string | null {
  switch (caller?.actor.kind) {
    case undefined:
      return null;
    case 'person':
      return caller.actor.name;
    case 'command_line':
      return `${caller.actor.name} (command line)`;
    case 'admin_key':
      return `${caller.actor.name} (admin key)`;
    case 'system':
      return 'Kalends';
  }
}

/** Runs a change under `lockApplication`. If it changes a reviewed value, it counts as the step `edit`. */
export async function changeReviewed<T>(
  tx: Statements,
  activity: NewActivity,
  change: () => Promise<T>,
): Promise<T> {
  const { clientId } = activity;
  const before = await findVerification(tx, clientId);
  const result = await change();
  const after = await findVerification(tx, clientId);
  if (before === undefined || after === undefined) return result;
  const fields = changedFields(before.present, after.present);
  const state = toReviewState(before);
  const transition = fields.length === 0 ? undefined : transitionOf(state, 'edit');
  if (transition !== undefined) {
    await tx.change(SET_STATUS, { clientId, status: transition.status });
    await addActivity(tx, transition, { before: state, activity: { ...activity, fields } });
  }
  return result;
}

function toReviewedValues(row: Nullable<ReviewedValues>): ReviewedValues {
  const toLogo = (hash: string | undefined) => (hash === undefined ? undefined : { hash });
  return {
    displayName: row.displayName,
    applicationUrl: row.applicationUrl,
    supportEmail: row.supportEmail,
    supportUrl: row.supportUrl,
    logo: toLogo(row.logo),
    darkLogo: toLogo(row.darkLogo),
  };
}
