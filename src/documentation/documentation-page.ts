/** A page of the documentation, made from a file or from the API description. */
import type { Html } from '../http/html.ts';
import type { InlineCode } from '../http/page.ts';
import type { Section } from './contents.ts';
import type { Heading } from './headings.ts';

export type DocumentationPage = {
  /** Such as `/docs/reading`; as Markdown it is at the same address with `.md`. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly section: Section['name'];
  readonly markdown: string;
  /** The headings that "On this page" lists. */
  readonly headings: readonly Heading[];
  /** Rendered at first use. */
  content(): Html;
  /** Whether code is beside the text, where the list of headings would be. */
  readonly hasCodeBeside?: boolean;
  /** The script of the page. It may send requests to this origin. */
  readonly script?: InlineCode;
};
