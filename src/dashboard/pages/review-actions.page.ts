/** The forms of a review: the next steps that the member may take. */
import { type Html, html } from '../../http/html.ts';
import { may } from '../../people/permission.ts';
import { missingForReview } from '../../verification/requirements.ts';
import { MOST_NOTE_CHARACTERS, submissionOf } from '../../verification/reviews.ts';
import type { Verification } from '../../verification/verification.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { postForm, type Viewer } from './layout.page.ts';

/** A step that failed, with its note as typed. */
export type TypedStep = { readonly step: string; readonly note: string; readonly problem: string };

type StepForm = {
  readonly step: 'submit' | 'cancel' | 'approve' | 'request-changes' | 'withdraw';
  readonly rank: 'primary' | 'destructive' | '';
  readonly label: DashboardMessageKey;
  readonly isNoteRequired?: boolean;
  /** Whether the step is not possible yet because values are missing. */
  readonly isOff?: boolean;
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
  const withdrawal: StepForm[] =
    isReviewer && verifiedAt !== undefined
      ? [{ step: 'withdraw', rank: 'destructive', label: 'verification.withdraw', isNoteRequired: true }]
      : [];
  const forms = [...(isReviewer && isUnderReview ? decisions : []), ...ownSteps, ...withdrawal];
  const isHomeless = typed !== undefined && !forms.some(({ step }) => step === typed.step);
  return html`${isHomeless && html`<div class="panel"><p class="wrong" role="alert">${typed.problem}</p></div>`}
${forms.map((form) => stepPanel(form, verification, { typed, viewer }))}`;
}

function stepPanel(
  { step, rank, label, isNoteRequired = false, isOff = false }: StepForm,
  verification: Verification,
  { typed, viewer }: { readonly typed: TypedStep | undefined; readonly viewer: Viewer },
): Html {
  const key = step.replace('-', '_') as 'submit'; // each step has its messages
  const failed = typed?.step === step ? typed : undefined;
  const id = `note-${step}`;
  const described = [`${id}-hint`, ...(failed === undefined ? [] : [`${id}-wrong`])].join(' ');
  const button = isOff
    ? html`<button disabled aria-describedby="${id}-off">${messages.text(label)}</button>`
    : html`<button class="${rank}">${messages.text(label)}</button>`;
  const form = html`<input type="hidden" name="submission" value="${submissionOf(verification)}">
<div class="fields"><div><label for="${id}">${messages.text(isNoteRequired ? 'verification.note' : 'verification.note.optional')}</label>
<textarea id="${id}" name="note" rows="3" maxlength="${MOST_NOTE_CHARACTERS}"${isNoteRequired && html` required`}${failed && html` autofocus aria-invalid="true"`} aria-describedby="${described}">${failed?.note}</textarea>
<p class="hint" id="${id}-hint">${messages.text(`verification.${key}.note`)}</p>${failed && html`<p class="wrong" role="alert" id="${id}-wrong">${failed.problem}</p>`}</div></div>
<div class="buttons">${button}</div>${isOff && html`<p class="hint" id="${id}-off">${messages.text('verification.submit.off')}</p>`}`;
  return html`<section class="panel"><h2>${messages.text(label)}</h2><p class="lead">${messages.text(`verification.${key}.about`)}</p>
${postForm(viewer, `${applicationPath(verification.clientId)}/verification/${step}`, form)}</section>`;
}
