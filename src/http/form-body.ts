/** Bodies of type application/x-www-form-urlencoded: what OAuth speaks, and the pages' forms. */
import type { FastifyInstance } from 'fastify';

/** Each field's value; of one that came more than once, all of them in their order. */
export type Form = Record<string, string | string[]>;

/** Makes `app` read them as a Form. */
export function readForms(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, formOf(body.toString())),
  );
}

/** The fields of a form as the URL Standard reads them (§5.1): no text is refused. */
export function formOf(text: string): Form {
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
