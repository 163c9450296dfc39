/** Bodies of type application/x-www-form-urlencoded: OAuth requests and the forms of pages. */
import type { FastifyInstance } from 'fastify';

/** The value of each field; all values in order if the field is repeated. */
export type Form = Record<string, string | string[]>;

/** Makes `app` parse these bodies as a Form. */
export function readForms(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, parseForm(body.toString())),
  );
}

/** Parses a form as the URL Standard does (§5.1): no text is refused. */
export function parseForm(text: string): Form {
  // Without a prototype: a field may have any name.
  const form: Form = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const before = form[name];
    if (before === undefined) form[name] = value;
    else if (typeof before === 'string') form[name] = [before, value];
    else before.push(value);
  }
  return form;
}
