/** The review of an application: its status, missing values, possible steps, and its history. */
import { TEXT_SETTINGS } from '../../administration/documents/application-settings.ts';
import { logoPath } from '../../branding/branding.ts';
import { chip, ICONS } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { registeredUris } from '../../oauth/client.ts';
import { may } from '../../people/permission.ts';
import { type MissingValue, missingForReview } from '../../verification/requirements.ts';
import { MOST_NOTE_CHARACTERS, submissionOf } from '../../verification/reviews.ts';
import {
  type Activity,
  changedFields,
  REVIEWED_FIELDS,
  type ReviewedField,
  type ReviewedValues,
  type Verification,
} from '../../verification/verification.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath, uriList } from './applications.page.ts';
import { olderLink } from './filter-form.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { dangerZone, emptyState, formButtons, table, top } from './parts.page.ts';
import { ago, instant } from './times.page.ts';

export const REVIEWS = '/dashboard/reviews';

export const VERIFICATION_TAB = '/verification';

export type VerificationParts = {
  readonly verification: Verification;
  readonly activity: readonly Activity[];
  /** The number of the last entry shown, if there are older ones. */
  readonly older: number | undefined;
  /** The operator's name as users see it. Undefined if the instance names none. */
  readonly operatorName: string | undefined;
  readonly typed: TypedStep | undefined;
};

export function verificationContent(parts: VerificationParts, viewer: Viewer): Html {
  const { verification, typed } = parts;
  if (typed?.step === 'withdraw' && verification.verifiedAt !== undefined)
    return stepPanel(WITHDRAWAL, verification, { typed, viewer });
  return html`${statusPanel(parts)}
${requirements(verification)}
${valuesTable(verification)}
${reviewActions(verification, typed, viewer)}
${activityLog(parts)}`;
}

export const VERIFICATION_DONE = {
  submit: 'verification.done.submit',
  cancel: 'verification.done.cancel',
  approve: 'verification.done.approve',
  'request-changes': 'verification.done.request_changes',
  withdraw: 'verification.done.withdraw',
} as const;

function statusPanel({ verification, operatorName }: VerificationParts): Html {
  const { status, verifiedAt, submittedAt, reviewerNote } = verification;
  const word = chip(messages.text(`verification.status.${status}`));
  const since =
    status === 'under_review' && messages.markup('verification.since', { when: instant(submittedAt) });
  const verified =
    verifiedAt === undefined
      ? html`${messages.text('verification.unverified')}`
      : messages.markup('verification.verified', { when: instant(verifiedAt) });
  const request =
    reviewerNote !== undefined &&
    html`<div class="notice caution">${ICONS.caution}<div><strong>${messages.text('verification.asked')}</strong><p class="note"><bdi>${reviewerNote}</bdi></p></div></div>`;
  return html`<section class="panel"><h2>${messages.text('verification.title')}</h2><p class="lead">${messages.text('verification.lead')}</p>
<dl class="facts review"><dt>${messages.text('verification.application')}</dt><dd>${verified}</dd>
<dt>${messages.text('verification.review')}</dt><dd>${word} ${since}</dd></dl>
${request}
<p class="hint">${messages.text(`verification.status.${status}.about`, { isVerified: verifiedAt === undefined ? 'no' : 'yes' })}</p>
${operatorName === undefined && html`<p class="hint">${messages.text('verification.no_operator')}</p>`}</section>`;
}

/** The values that a submission needs, and the field where each is set. */
const REQUIRED: readonly (readonly [MissingValue['field'], DashboardMessageKey, field: string])[] = [
  ['displayName', 'application.display_name', 'display_name'],
  ['applicationUrl', 'application.application_url', 'application_url'],
  ['redirectUri', 'verification.redirect_uri', 'redirect_uris'],
  ['support', 'verification.support', 'support_email'],
];

function requirements(verification: Verification): Html | undefined {
  const { status, clientId } = verification;
  if (status === 'approved') return undefined;
  const missing = new Map(missingForReview(verification).map(({ field, sentence }) => [field, sentence]));
  const rows = REQUIRED.map(([field, label, name]) => {
    const sentence = missing.get(field);
    const isThere = sentence === undefined;
    const about =
      !isThere &&
      html`<small>${sentence}</small> <a href="${applicationPath(clientId)}#${name}">${messages.text('verification.set')}</a>`;
    return html`<li class="${isThere ? 'met' : 'unmet'}">${isThere ? ICONS.tick : ICONS.cross}<div>${messages.text(label)}<span class="unseen">: ${messages.text(isThere ? 'verification.met' : 'verification.unmet')}</span>${about}</div></li>
`;
  });
  return html`<section class="panel"><h2>${messages.text('verification.needs')}</h2>
<ul class="requirements">${rows}</ul>
<p class="hint">${messages.text('verification.needs.logo')}</p></section>`;
}

function valueLabel(field: ReviewedField): string {
  if (field === 'logo') return messages.text('branding.logo');
  if (field === 'darkLogo') return messages.text('branding.dark_logo');
  return messages.text(`application.${TEXT_SETTINGS[field].name}`);
}

/** Shows the values that are set, and next to them the values that users see if they differ. */
function valuesTable(verification: Verification): Html {
  const { clientId, present, approved } = verification;
  const changed = approved === undefined ? [] : changedFields(present, approved);
  const hasTwo = changed.length > 0 && approved !== undefined;
  const rows = REVIEWED_FIELDS.map((field) => {
    const mark = changed.includes(field) && chip(messages.text('verification.changed'));
    return [
      html`${valueLabel(field)}`,
      html`${shownValue(present[field])} ${mark}`,
      ...(hasTwo ? [shownValue(approved[field])] : []),
    ];
  });
  const uris = uriList(registeredUris(verification));
  const redirect = [
    html`${messages.text('application.redirect_uris')}`,
    html`${uris}<small>${messages.text('verification.redirect_uri.about')}</small>`,
    ...(hasTwo ? [uris] : []),
  ];
  const settings = html`<a href="${applicationPath(clientId)}">${messages.text('application.tab.settings')}</a>`;
  const branding = html`<a href="${applicationPath(clientId)}/branding">${messages.text('application.tab.branding')}</a>`;
  return html`<h2>${messages.text('verification.values')}</h2>
<p class="lead">${messages.markup('verification.values.lead', { settings, branding })}</p>
${table({
  name: 'verification.values',
  heads: ['verification.value', 'verification.set_now', ...(hasTwo ? (['verification.seen'] as const) : [])],
  rows: [...rows, redirect],
})}`;
}

function shownValue(value: ReviewedValues[ReviewedField]): Html {
  if (value === undefined) return html`<span class="none">${messages.text('application.none')}</span>`;
  return typeof value === 'object'
    ? html`<span class="sign logo plate"><img src="${logoPath(value)}" width="56" height="56" alt=""></span>`
    : html`<bdi>${value}</bdi>`;
}

function activityLog({ verification, activity, older }: VerificationParts): Html {
  const path = `${applicationPath(verification.clientId)}${VERIFICATION_TAB}`;
  const rows = activity.map(({ at, kind, actor, note, fields }) => [
    ago(at),
    html`${messages.text(`verification.activity.${kind}`)}`,
    actor === undefined
      ? html`<span class="none">${messages.text('verification.actor.unknown')}</span>`
      : html`<bdi>${actor}</bdi>`,
    html`${note !== undefined && html`<p class="note"><bdi>${note}</bdi></p>`}${fields.length > 0 && html`<small>${fields.map(valueLabel).join(', ')}</small>`}`,
  ]);
  const log = table({
    name: 'verification.activity',
    none: messages.text('verification.activity.none'),
    heads: ['audit.when', 'audit.what', 'filter.actor', 'verification.note'],
    rows,
  });
  return html`<h2 id="activity">${messages.text('verification.activity')}</h2>
${log}
${olderLink(older === undefined ? undefined : `${path}?before=${older}#activity`)}`;
}

/** Returns a warning about the effect of changing reviewed values. Undefined if the change has no further effect. */
export function editNotice({ status, verifiedAt, clientId }: Verification, viewer: Viewer): Html | undefined {
  if (!may(viewer.person, 'application.change', clientId)) return undefined;
  const link = html`<a href="${applicationPath(clientId)}${VERIFICATION_TAB}">${messages.text('application.tab.verification')}</a>`;
  if (status === 'under_review') return editNote(messages.markup('verification.edit.under_review', { link }));
  if (verifiedAt === undefined) return undefined;
  const key = status === 'approved' ? 'verification.edit.approved' : 'verification.edit.pending';
  return editNote(messages.markup(key, { link }));
}

const editNote = (text: Html): Html =>
  html`<div class="notice note before-form">${ICONS.note}<div>${text}</div></div>`;

export function reviewsPage(waiting: readonly Verification[]): Html {
  const rows = waiting.map(({ clientId, present, submittedAt, verifiedAt }) => [
    html`<a href="${applicationPath(clientId)}${VERIFICATION_TAB}"><bdi>${present.displayName ?? clientId}</bdi></a><small class="code">${clientId}</small>`,
    ago(submittedAt),
    verifiedAt === undefined
      ? html`${messages.text('verification.unverified')}`
      : messages.markup('verification.verified', { when: instant(verifiedAt) }),
  ]);
  const list = table({
    name: 'reviews.title',
    none: emptyState(messages.text('reviews.none'), messages.text('reviews.none.text')),
    heads: ['applications.name', 'reviews.submitted', 'verification.application'],
    rows,
  });
  return html`${top(messages.text('reviews.title'), messages.text('reviews.lead'))}
${list}`;
}

/** Links to the waiting reviews. Undefined if there are none. */
export const waitingLink = (count: number): Html | undefined =>
  count > 0
    ? html`<p class="waiting"><a href="${REVIEWS}">${messages.text('reviews.waiting', { count })}</a></p>`
    : undefined;

/** A step that failed, with its note as typed, or that is not confirmed yet. */
export type TypedStep = { readonly step: string; readonly note?: string; readonly problem?: string };

type StepForm = {
  readonly step: 'submit' | 'cancel' | 'approve' | 'request-changes' | 'withdraw';
  readonly rank: 'primary' | 'destructive' | '';
  readonly label: DashboardMessageKey;
  readonly isNoteRequired?: boolean;
  /** Whether the step is not possible yet because values are missing. */
  readonly isOff?: boolean;
};

const WITHDRAWAL: StepForm = {
  ...{ step: 'withdraw', rank: 'destructive', label: 'verification.withdraw', isNoteRequired: true },
};

/** Renders all possible steps. An error is shown at its step, or above all if that step is no longer possible. */
export function reviewActions(
  verification: Verification,
  typed: TypedStep | undefined,
  viewer: Viewer,
): Html | undefined {
  const { clientId, status, verifiedAt } = verification;
  const { person } = viewer;
  const isUnderReview = status === 'under_review';
  const canSubmit = status === 'not_submitted' || status === 'changes_requested';
  const isOff = missingForReview(verification).length > 0;
  const ownSteps: StepForm[] = may(person, 'application.change', clientId)
    ? [
        ...(canSubmit
          ? [{ step: 'submit', rank: 'primary', label: 'verification.submit', isOff } as const]
          : []),
        ...(isUnderReview ? [{ step: 'cancel', rank: '', label: 'verification.cancel' } as const] : []),
      ]
    : [];
  const isReviewer = may(person, 'verification.review', clientId);
  const decisions: StepForm[] = [
    { step: 'approve', rank: 'primary', label: 'verification.approve' },
    { step: 'request-changes', rank: '', label: 'verification.request_changes', isNoteRequired: true },
  ];
  const forms = [...(isReviewer && isUnderReview ? decisions : []), ...ownSteps];
  const isHomeless = typed?.problem !== undefined && !forms.some(({ step }) => step === typed.step);
  const withdrawal = {
    title: messages.text('verification.withdraw'),
    text: messages.text('verification.withdraw.about'),
    path: `${applicationPath(clientId)}${VERIFICATION_TAB}/withdraw`,
  };
  return html`${isHomeless && html`<div class="panel"><p class="wrong" role="alert">${typed.problem}</p></div>`}
${forms.map((form) => stepPanel(form, verification, { typed, viewer }))}
${isReviewer && verifiedAt !== undefined && dangerZone([withdrawal])}`;
}

function stepPanel(
  { step, rank, label, isNoteRequired = false, isOff = false }: StepForm,
  verification: Verification,
  { typed, viewer }: { readonly typed: TypedStep | undefined; readonly viewer: Viewer },
): Html {
  const key = step.replace('-', '_') as 'submit'; // each step has its messages
  const failed = typed?.step === step && typed.problem !== undefined ? typed : undefined;
  const path = `${applicationPath(verification.clientId)}${VERIFICATION_TAB}`;
  const id = `note-${step}`;
  const described = [`${id}-hint`, ...(failed === undefined ? [] : [`${id}-wrong`])].join(' ');
  const button = isOff
    ? html`<button disabled aria-describedby="${id}-off">${messages.text(label)}</button>`
    : html`<button class="${rank}">${messages.text(label)}</button>`;
  const buttons =
    rank === 'destructive'
      ? formButtons(messages.text(label), path, rank)
      : html`<div class="buttons">${button}</div>`;
  const form = html`<input type="hidden" name="submission" value="${submissionOf(verification)}">
<div class="fields"><div><label for="${id}">${messages.text(isNoteRequired ? 'verification.note' : 'verification.note.optional')}</label>
<textarea id="${id}" name="note" rows="3" maxlength="${MOST_NOTE_CHARACTERS}"${isNoteRequired && html` required`}${failed && html` autofocus aria-invalid="true"`} aria-describedby="${described}">${failed?.note}</textarea>
<p class="hint" id="${id}-hint">${messages.text(`verification.${key}.note`)}</p>${failed && html`<p class="wrong" role="alert" id="${id}-wrong">${failed.problem}</p>`}</div></div>
${buttons}${isOff && html`<p class="hint" id="${id}-off">${messages.text('verification.submit.off')}</p>`}`;
  return html`<section class="panel"><h2>${messages.text(label)}</h2><p class="lead">${messages.text(`verification.${key}.about`)}</p>
${postForm(viewer, `${path}/${step}`, form)}</section>`;
}
