/** The fields that make a form one of a request's own pages (threat T3). */
import { type Html, html } from '../../http/html.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';

/** To stand in every form that is posted: `isOwnForm` asks for them. */
export function ownFields({ transactionId, formToken }: AuthorizationRequest): Html {
  return html`${transactionField({ transactionId })}<input type="hidden" name="token" value="${formToken}">`;
}

/** All that a form needs which only opens a page. */
export const transactionField = ({ transactionId }: Pick<AuthorizationRequest, 'transactionId'>): Html =>
  html`<input type="hidden" name="transaction" value="${transactionId}">`;
