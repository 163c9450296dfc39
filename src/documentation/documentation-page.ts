/** What a page of the documentation is, whether a file or the interface's description is behind it. */
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
  /** Those that "On this page" lists. */
  readonly headings: readonly Heading[];
  /** Made when it is first asked for. */
  content(): Html;
  /** Whether code stands beside the text and takes the place of the list of headings. */
  readonly hasCodeBeside?: boolean;
  /** What runs on it; it may ask this origin. */
  readonly script?: InlineCode;
};
