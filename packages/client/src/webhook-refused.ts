/** Why a webhook delivery is not believed. */

/** The machine's word for it. */
export type RefusalReason =
  | 'missing_headers'
  | 'invalid_timestamp'
  | 'timestamp_out_of_tolerance'
  | 'no_public_keys'
  | 'no_matching_signature'
  | 'other_application'
  | 'invalid_payload';

const SENTENCES: Readonly<Record<RefusalReason, string>> = {
  missing_headers:
    'One of the headers webhook-id, webhook-timestamp and webhook-signature is missing: this is no delivery of Kalends.',
  invalid_timestamp: 'The header webhook-timestamp is not a number of seconds.',
  timestamp_out_of_tolerance:
    'The header webhook-timestamp is too far from the clock here: the delivery is an old one, or a clock is wrong.',
  no_public_keys: 'There is neither a secret nor a public key to verify the delivery with.',
  no_matching_signature:
    'No signature matches: it was made with another secret or key, or this body is not byte for byte the one that was signed.',
  other_application: 'The delivery is for another application.',
  invalid_payload: 'The body is not a JSON object.',
};

/** A delivery that is not to be believed. `reason` is for the program, `message` a sentence for people. */
export class WebhookRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(SENTENCES[reason]);
    this.name = 'WebhookRefused';
    this.reason = reason;
  }
}
